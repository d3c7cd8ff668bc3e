-- What each model's calls cost, as they were and with compaction; unpriced calls are left out of the sums.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  c.model,
  count(*) FILTER (c.scenario = 'recorded') AS calls,
  sum(c.input_tokens - c.cache_read_tokens - c.cache_write_tokens) FILTER (c.scenario = 'recorded')::BIGINT AS input,
  sum(c.cache_read_tokens) FILTER (c.scenario = 'recorded')::BIGINT AS cache_read,
  sum(c.cache_write_tokens) FILTER (c.scenario = 'recorded')::BIGINT AS cache_write,
  sum(c.output_tokens) FILTER (c.scenario = 'recorded')::BIGINT AS output,
  round(sum(c.usd) FILTER (c.scenario = 'recorded'), 4) AS usd,
  round(sum(c.usd) FILTER (c.scenario = 'compacted'), 4) AS compacted_usd,
  count(*) FILTER (c.scenario = 'recorded' AND c.usd IS NULL) AS unpriced,
  string_agg(DISTINCT nullif(c.price_source, ''), ', ' ORDER BY nullif(c.price_source, '')) AS prices
FROM costed AS t
JOIN costs AS c USING (run_id, transcript_id)
WHERE NOT c.repeated AND contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY c.model
ORDER BY usd DESC NULLS LAST, c.model;
