-- What each layer saved call by call, less the cache it broke and the summaries it had written.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  l.layer,
  count(*) FILTER (l.saved_tokens <> 0) AS transcripts,
  sum(l.saved_tokens)::BIGINT AS taken_out,
  sum(l.saved_token_calls)::BIGINT AS not_sent,
  round(sum(l.saved_usd), 4) AS saved_usd,
  round(sum(l.broken_usd), 4) AS broken_usd,
  round(sum(l.summary_usd), 4) AS summary_usd,
  round(sum(l.net_usd), 4) AS net_usd
FROM costed AS t
JOIN layer_costs AS l USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
GROUP BY l.layer
ORDER BY min(l.position);
