-- Live decisions that the output no longer states.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  d.turn,
  d.line,
  d.kind,
  d.tier,
  d.quote
FROM latest AS t
JOIN decisions AS d USING (run_id, transcript_id)
WHERE d.state = 'live' AND d.kept_in = 'lost'
  AND contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY d.tier DESC, t.source, t.conversation, "window", d.turn, d.position;
