-- What the calls of each day cost, in UTC; calls without a time stand last.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  coalesce(nullif(left(c.made_at, 10), ''), 'no date') AS "day",
  count(*) FILTER (c.scenario = 'recorded') AS calls,
  sum(c.input_tokens) FILTER (c.scenario = 'recorded')::BIGINT AS input,
  sum(c.output_tokens) FILTER (c.scenario = 'recorded')::BIGINT AS output,
  round(sum(c.usd) FILTER (c.scenario = 'recorded'), 4) AS usd,
  round(sum(c.usd) FILTER (c.scenario = 'compacted'), 4) AS compacted_usd,
  count(*) FILTER (c.scenario = 'recorded' AND c.usd IS NULL) AS unpriced
FROM costed AS t
JOIN costs AS c USING (run_id, transcript_id)
WHERE NOT c.repeated AND contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY "day"
ORDER BY "day" = 'no date', "day";
