-- Tokens before and after, and what each layer saved, for every transcript.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  t.budget_tokens AS budget,
  t.tokens_before AS before,
  t.tokens_after AS after,
  t.saved,
  round(100.0 * t.saved / nullif(t.tokens_before, 0), 1) AS percent,
  sum(s.saved) FILTER (s.layer = 'live_output')::BIGINT AS live_output,
  sum(s.saved) FILTER (s.layer = 'turn_budget')::BIGINT AS turn_budget,
  sum(s.saved) FILTER (s.layer = 'history_shrink')::BIGINT AS history_shrink,
  sum(s.saved) FILTER (s.layer = 'memory_flush')::BIGINT AS memory_flush,
  sum(s.saved) FILTER (s.layer = 'cold_fold')::BIGINT AS cold_fold,
  t.fits,
  t.counter,
  t.exact
FROM latest AS t
LEFT JOIN layer_savings AS s USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY ALL
ORDER BY t.saved DESC, t.source, t.conversation, "window";
