-- How fast the window fills again after each compaction.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.source,
  t.conversation,
  c.position AS compaction,
  c.turn,
  c.tokens_before AS before,
  c.tokens_after AS after,
  c.calls_until_next AS calls,
  c.refilled_tokens AS refilled,
  round(c.refilled_tokens / nullif(c.calls_until_next, 0), 1) AS tokens_per_call,
  round(100.0 * c.refilled_tokens / nullif(c.tokens_before - c.tokens_after, 0), 1) AS percent_refilled
FROM costed AS t
JOIN compactions AS c USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY tokens_per_call DESC NULLS LAST, t.source, t.conversation, c.position;
