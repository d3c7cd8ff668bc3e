-- The tool results that cost most, sent once and then again with every later call.
-- Parameters: transcript (part of a path, id or conversation; default all), limit (default 20).
SELECT
  t.source,
  r.line,
  r.turn,
  r.tool,
  r.target,
  r.tokens,
  r.calls,
  round(r.usd, 4) AS usd,
  round(r.compacted_usd, 4) AS compacted_usd
FROM costed AS t
JOIN result_costs AS r USING (run_id, transcript_id)
WHERE r.usd IS NOT NULL AND contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY r.usd DESC, t.source, r.line, r.position
LIMIT coalesce(getvariable('limit')::BIGINT, 20);
