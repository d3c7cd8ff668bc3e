-- Every setting of the newest sweep over each transcript, cheapest first, with what it keeps.
-- Parameters: transcript (part of a path, id or conversation; default all), limit (default 40).
SELECT
  s.window_tokens AS "window",
  s.trigger_share AS "trigger",
  s.target_share AS target,
  s.layers,
  s.summarizer,
  count(*) AS transcripts,
  sum(s.compactions)::BIGINT AS compactions,
  sum(s.too_large)::BIGINT AS too_large,
  round(sum(s.usd), 4) AS usd,
  round(sum(s.saved_usd), 4) AS saved_usd,
  round(sum(s.broken_usd), 4) AS broken_usd,
  round(sum(s.summary_usd), 4) AS summary_usd,
  sum(s.decisions_kept)::BIGINT AS decisions_kept,
  sum(s.decisions)::BIGINT AS decisions,
  sum(s.conclusions_kept)::BIGINT AS conclusions_kept,
  sum(s.conclusions)::BIGINT AS conclusions
FROM swept AS t
JOIN sweeps AS s USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY s.window_tokens, s.trigger_share, s.target_share, s.layers, s.summarizer
ORDER BY usd NULLS LAST, decisions_kept DESC, "window", "trigger", target, s.layers, s.summarizer
LIMIT coalesce(getvariable('limit')::BIGINT, 40);
