-- What the cold fold took out of each transcript, and the size of the summary in its place.
-- Parameters: transcript (part of a path, id or conversation; default all).
WITH fold AS (
  SELECT
    run_id,
    transcript_id,
    count(*) FILTER (change = 'drop') AS messages,
    min(turn) FILTER (change = 'drop' AND turn > 0) AS first_turn,
    max(turn) FILTER (change = 'drop') AS last_turn,
    sum(tokens_before) FILTER (change = 'drop')::BIGINT AS folded_tokens,
    sum(tokens_after - tokens_before) FILTER (change <> 'drop')::BIGINT AS summary_tokens
  FROM edits
  WHERE layer = 'cold_fold'
  GROUP BY run_id, transcript_id
)
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  f.messages,
  f.first_turn,
  f.last_turn,
  f.folded_tokens,
  f.summary_tokens,
  t.exact
FROM latest AS t
JOIN fold AS f USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY f.folded_tokens DESC NULLS LAST, t.source, t.conversation, "window";
