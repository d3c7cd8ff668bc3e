-- Tokens before and after, and what each layer saved, for every transcript; an output that was not written saves nothing.
-- Parameters: transcript (part of a path, id or conversation; default all).
WITH saved AS (
  SELECT
    run_id,
    transcript_id,
    sum(saved) FILTER (layer = 'live_output')::BIGINT AS live_output,
    sum(saved) FILTER (layer = 'turn_budget')::BIGINT AS turn_budget,
    sum(saved) FILTER (layer = 'history_shrink')::BIGINT AS history_shrink,
    sum(saved) FILTER (layer = 'memory_flush')::BIGINT AS memory_flush,
    sum(saved) FILTER (layer = 'cold_fold')::BIGINT AS cold_fold
  FROM layer_savings
  GROUP BY run_id, transcript_id
)
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  t.budget_tokens AS budget,
  t.tokens_before AS before,
  t.tokens_after AS after,
  CASE WHEN t.written THEN t.saved ELSE 0 END AS saved,
  round(100.0 * CASE WHEN t.written THEN t.saved ELSE 0 END / nullif(t.tokens_before, 0), 1) AS percent,
  s.live_output,
  s.turn_budget,
  s.history_shrink,
  s.memory_flush,
  s.cold_fold,
  t.fits,
  t.written,
  t.counter,
  t.exact
FROM latest AS t
LEFT JOIN saved AS s USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY saved DESC, t.source, t.conversation, "window", t.transcript_id;
