-- All runs, newest first, with what each saved.
-- Parameters: limit (default 50).
SELECT
  r.run_id AS run,
  r.started_at,
  r.command,
  r.version,
  r.exit_status,
  count(t.run_id) AS transcripts,
  coalesce(sum(t.tokens_before), 0)::BIGINT AS before,
  coalesce(sum(t.tokens_after), 0)::BIGINT AS after,
  coalesce(sum(t.saved) FILTER (t.written), 0)::BIGINT AS saved,
  count(*) FILTER (NOT t.fits) AS too_large,
  bool_and(t.exact) AS exact
FROM runs AS r
LEFT JOIN transcripts AS t USING (run_id)
GROUP BY ALL
ORDER BY max(r.seq) DESC
LIMIT coalesce(getvariable('limit')::BIGINT, 50);
