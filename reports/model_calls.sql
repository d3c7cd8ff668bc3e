-- What models were asked for summaries, attempt by attempt, with the reasons of refusals.
-- Parameters: transcript (part of a path, id or conversation; default all).
SELECT
  t.source,
  t.conversation,
  t.window_tokens AS "window",
  c.purpose,
  c.model,
  c.attempt,
  c.outcome,
  c.input_tokens AS input,
  c.cache_read_tokens AS cached,
  c.output_tokens AS output,
  c.why
FROM latest AS t
JOIN model_calls AS c USING (run_id, transcript_id)
WHERE contains(t.names, coalesce(getvariable('transcript'), ''))
ORDER BY t.source, t.conversation, "window", c.position;
