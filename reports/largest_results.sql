-- The largest tool messages that were cut, and what is left of each.
-- Parameters: transcript (part of a path, id or conversation; default all), limit (default 20).
SELECT
  t.source,
  t.window_tokens AS "window",
  e.line,
  e.turn,
  e.tool,
  arg_max(e.target, e.tokens_before) AS target,
  max(e.tokens_before) AS before,
  arg_max(e.tokens_after, e.position) AS after,
  string_agg(e.layer, ' > ' ORDER BY e.position) AS layers,
  arg_min(e.ref, e.position) AS ref
FROM latest AS t
JOIN edits AS e USING (run_id, transcript_id)
WHERE e.tool <> '' AND contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY t.source, t.window_tokens, t.transcript_id, t.settings_id, e.message_id, e.line, e.turn, e.tool
ORDER BY before DESC, t.source, "window", e.line
LIMIT coalesce(getvariable('limit')::BIGINT, 20);
