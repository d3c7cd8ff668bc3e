-- Every decision of the user, and where the output keeps it.
-- Parameters: transcript (part of a path, id or conversation; default all), state (live, superseded, withdrawn; default all).
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  d.turn,
  d.line,
  d.kind,
  d.tier,
  d.state,
  d.kept_in,
  d.quote,
  d.superseded_by
FROM latest AS t
JOIN decisions AS d USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
  AND d.state = coalesce(getvariable('state'), d.state)
ORDER BY t.source, t.conversation, "window", d.turn, d.position;
