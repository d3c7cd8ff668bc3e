-- Input tokens saved against sending the whole answer again, by length of the answer in characters.
SELECT
  CASE
    WHEN characters < 2000 THEN 'under 2,000'
    WHEN characters < 8000 THEN '2,000 to 8,000'
    WHEN characters < 20000 THEN '8,000 to 20,000'
    WHEN characters < 50000 THEN '20,000 to 50,000'
    ELSE '50,000 and more'
  END AS length,
  count(*) AS answers,
  sum(continuations) AS continuations,
  sum(anchor_tokens) AS sent_of_answer,
  sum(answer_if_resent) AS if_resent,
  round(100 * (1 - sum(anchor_tokens) / nullif(sum(answer_if_resent), 0)), 1) AS saved_percent
FROM recoveries
WHERE continuations > 0
GROUP BY ALL
ORDER BY min(characters);
