-- Compactions that cost more than they saved: the cache they broke and their summaries outweigh it.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.source,
  t.conversation,
  c.position AS compaction,
  c.turn,
  c.call,
  c.tokens_before AS before,
  c.tokens_after AS after,
  c.broken_tokens,
  c.calls_until_next AS calls,
  round(c.saved_usd, 4) AS saved_usd,
  round(c.broken_usd, 4) AS broken_usd,
  round(c.summary_usd, 4) AS summary_usd,
  round(c.net_usd, 4) AS net_usd
FROM costed AS t
JOIN compactions AS c USING (run_id, transcript_id)
WHERE c.net_usd < 0 AND contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY c.net_usd, t.source, t.conversation, c.position;
