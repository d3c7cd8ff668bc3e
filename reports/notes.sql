-- What was said about each compaction: narrowed protection, warnings, what did not fit.
-- Parameters: transcript (part of a path, id or conversation; default all), level (note, warning, error; default all).
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  n.level,
  n.code,
  n.text
FROM latest AS t
JOIN notes AS n USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
  AND n.level = coalesce(getvariable('level'), n.level)
ORDER BY t.source, t.conversation, "window", n.position;
