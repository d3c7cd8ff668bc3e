-- What each transcript cost, what it would have cost with compaction, and what the difference is made of.
-- Parameters: transcript (part of a path, id or conversation; default all).
WITH paid AS (
  SELECT
    run_id,
    transcript_id,
    count(*) FILTER (scenario = 'recorded') AS calls,
    sum(input_tokens) FILTER (scenario = 'recorded')::BIGINT AS input,
    sum(output_tokens) FILTER (scenario = 'recorded')::BIGINT AS output,
    sum(usd) FILTER (scenario = 'recorded') AS usd,
    sum(usd) FILTER (scenario = 'compacted') AS compacted_usd,
    count(*) FILTER (scenario = 'recorded' AND usd IS NULL) AS unpriced
  FROM costs
  WHERE NOT repeated
  GROUP BY run_id, transcript_id
),
layer AS (
  SELECT
    run_id,
    transcript_id,
    sum(saved_usd) AS saved_usd,
    sum(broken_usd) AS broken_usd,
    sum(summary_usd) AS summary_usd
  FROM layer_costs
  GROUP BY run_id, transcript_id
),
fired AS (
  SELECT run_id, transcript_id, count(*) AS compactions
  FROM compactions
  GROUP BY run_id, transcript_id
)
SELECT
  t.source,
  t.conversation,
  t.model,
  t.window_tokens AS "window",
  p.calls,
  p.input,
  p.output,
  round(p.usd, 4) AS usd,
  round(p.compacted_usd, 4) AS compacted_usd,
  round(l.saved_usd, 4) AS saved_usd,
  round(l.broken_usd, 4) AS broken_usd,
  round(l.summary_usd, 4) AS summary_usd,
  round(l.saved_usd - l.broken_usd - l.summary_usd, 4) AS net_usd,
  coalesce(f.compactions, 0) AS compactions,
  p.unpriced
FROM costed AS t
JOIN paid AS p USING (run_id, transcript_id)
LEFT JOIN layer AS l USING (run_id, transcript_id)
LEFT JOIN fired AS f USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY p.usd DESC NULLS LAST, t.source, t.conversation, t.transcript_id;
