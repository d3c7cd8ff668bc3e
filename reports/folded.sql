-- What the cold fold took out of each transcript, and the size of the summary in its place.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  count(*) FILTER (e.change = 'drop') AS messages,
  min(e.turn) FILTER (e.change = 'drop' AND e.turn > 0) AS first_turn,
  max(e.turn) FILTER (e.change = 'drop') AS last_turn,
  sum(e.tokens_before) FILTER (e.change = 'drop')::BIGINT AS folded_tokens,
  sum(e.tokens_after - e.tokens_before) FILTER (e.change <> 'drop')::BIGINT AS summary_tokens,
  t.exact
FROM latest AS t
JOIN edits AS e USING (run_id, transcript_id)
WHERE e.layer = 'cold_fold' AND contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY ALL
ORDER BY folded_tokens DESC NULLS LAST, t.source, t.conversation, "window";
