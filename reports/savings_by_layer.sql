-- Tokens saved by each layer, in the order of running, over the latest run of every transcript; outputs that did not fit and were not written save nothing.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.window_tokens AS "window",
  s.layer,
  count(*) AS transcripts,
  count(*) FILTER (s.status = 'done') AS acted,
  sum(s.edits)::BIGINT AS edits,
  sum(s.saved)::BIGINT AS saved,
  round(100.0 * sum(s.saved) / nullif(sum(t.tokens_before), 0), 1) AS percent_of_input,
  string_agg(DISTINCT t.counter, ', ' ORDER BY t.counter) AS counter,
  bool_and(t.exact) AS exact
FROM latest AS t
JOIN layer_savings AS s USING (run_id, transcript_id)
WHERE t.written AND contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY t.window_tokens, s.layer
ORDER BY t.window_tokens, min(s.position);
