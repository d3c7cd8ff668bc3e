-- How cut answers came out, by profile, provider and cap.
SELECT
  coalesce(nullif(profile, ''), 'live') AS profile,
  provider,
  cap,
  count(*) AS answers,
  count(*) FILTER (exact AND NOT ambiguous) AS exact,
  count(*) FILTER (ambiguous) AS ambiguous,
  count(*) FILTER (outcome IN ('truncated', 'no-progress', 'loop', 'thinking-only')) AS gave_up,
  count(*) FILTER (outcome = 'call-exceeds-cap') AS call_exceeds_cap,
  count(*) FILTER (verdict = 'differs') AS differs,
  sum(continuations) AS continuations
FROM recoveries
GROUP BY ALL
ORDER BY profile, provider, cap;
