-- Tokens saved on each tool's calls and results, over the latest run of every transcript; outputs that did not fit and were not written save nothing.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.window_tokens AS "window",
  e.tool,
  count(*) AS edits,
  count(DISTINCT (t.transcript_id, e.message_id)) AS messages,
  sum(e.saved)::BIGINT AS saved,
  sum(e.saved) FILTER (e.layer = 'live_output')::BIGINT AS live_output,
  sum(e.saved) FILTER (e.layer = 'turn_budget')::BIGINT AS turn_budget,
  sum(e.saved) FILTER (e.layer = 'history_shrink')::BIGINT AS history_shrink,
  sum(e.saved) FILTER (e.layer = 'cold_fold')::BIGINT AS cold_fold,
  bool_and(t.exact) AS exact
FROM latest AS t
JOIN edits AS e USING (run_id, transcript_id)
WHERE t.written AND e.tool <> '' AND contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY t.window_tokens, e.tool
ORDER BY "window", saved DESC, e.tool;
