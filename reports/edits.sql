-- Every edit of one transcript, in order, with its reason.
-- Parameters: transcript (part of a path, id or conversation; default the one recorded last), layer (default all).
WITH one AS (
  SELECT run_id, transcript_id
  FROM latest
  WHERE contains(names, coalesce(getvariable('transcript'), ''))
  ORDER BY seq DESC, position DESC
  LIMIT 1
)
SELECT
  e.position,
  e.layer,
  e.change,
  e.turn,
  e.line,
  e.message_id AS message,
  e.tool,
  e.target,
  e.tokens_before AS before,
  e.tokens_after AS after,
  e.reason,
  e.ref
FROM one
JOIN edits AS e USING (run_id, transcript_id)
WHERE e.layer = coalesce(getvariable('layer'), e.layer)
ORDER BY e.position;
