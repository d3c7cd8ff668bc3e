-- The tables of a baodai ledger, and the view that reports start from.
--
-- A row belongs to a run and a transcript. Rows of an earlier run stay until `baodai ledger prune`,
-- because a marker in an earlier output still names its originals; reports read `latest`.
-- Tokens are counted by transcripts.counter; exact says whether it is the model's own tokenizer.

CREATE TABLE schema_version (version INTEGER NOT NULL);

CREATE TABLE runs (
  run_id VARCHAR NOT NULL,        -- hash of input digest, settings and version
  seq BIGINT NOT NULL,            -- order of recording; a rerun moves to the end
  command VARCHAR NOT NULL,
  version VARCHAR NOT NULL,
  settings VARCHAR NOT NULL,      -- JSON
  settings_id VARCHAR NOT NULL,   -- hash of settings
  input_digest VARCHAR NOT NULL,
  started_at VARCHAR NOT NULL,    -- ISO 8601, empty where it was not asked for
  exit_status INTEGER NOT NULL
);

CREATE TABLE transcripts (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL, -- hash of source (a stream's digest) and conversation
  position INTEGER,               -- order in the run
  source VARCHAR,                 -- path as given, "-" for a stream
  digest VARCHAR,                 -- of the source's bytes
  conversation VARCHAR,
  project VARCHAR,
  format VARCHAR,
  model VARCHAR,
  counter VARCHAR,
  exact BOOLEAN,
  window_tokens BIGINT,
  reserve_tokens BIGINT,
  margin_tokens BIGINT,
  overhead_tokens BIGINT,
  budget_tokens BIGINT,
  trigger_tokens BIGINT,
  target_tokens BIGINT,
  tokens_before BIGINT,
  tokens_after BIGINT,
  saved BIGINT,
  bytes_before BIGINT,
  bytes_after BIGINT,
  messages_before BIGINT,
  messages_after BIGINT,
  turns BIGINT,
  facts BIGINT,                   -- sent to the memory store
  fits BOOLEAN,
  written BOOLEAN                 -- the output was let out; savings of others are none
);

-- saved summed over a transcript's rows equals its tokens_before - tokens_after.
CREATE TABLE layer_savings (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,               -- order of running
  layer VARCHAR,
  number INTEGER,
  status VARCHAR,                 -- done, off, not needed, nothing to do
  tokens_before BIGINT,
  tokens_after BIGINT,
  saved BIGINT,
  edits BIGINT
);

CREATE TABLE edits (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  layer VARCHAR,
  change VARCHAR,                 -- rewrite, drop, insert
  message_id VARCHAR,
  line BIGINT,                    -- 1-based line of the source record
  turn BIGINT,                    -- 0: none
  tool VARCHAR,
  target VARCHAR,
  reason_code VARCHAR,
  reason VARCHAR,
  tokens_before BIGINT,           -- of the whole message
  tokens_after BIGINT,
  saved BIGINT,
  ref VARCHAR                     -- what `baodai expand` takes
);

CREATE TABLE decisions (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  decision_id VARCHAR,
  kind VARCHAR,
  state VARCHAR,                  -- live, superseded, withdrawn
  tier INTEGER,                   -- 2 explicit, 1 softer
  polarity INTEGER,
  object VARCHAR,
  quote VARCHAR,
  turn BIGINT,
  line BIGINT,
  language VARCHAR,
  superseded_by VARCHAR,
  kept_in VARCHAR                 -- verbatim, summary, memory, lost
);

CREATE TABLE notes (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  level VARCHAR,                  -- note, warning, error
  code VARCHAR,
  text VARCHAR
);

-- A pointer where the input was a file, the text (secrets hidden) where it was a stream.
CREATE TABLE originals (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  ref VARCHAR,
  position INTEGER,               -- orders the parts of one ref
  message_id VARCHAR,
  source VARCHAR,
  line BIGINT,
  pointer VARCHAR,                -- JSON pointer of the block inside the record
  tool VARCHAR,
  hash VARCHAR,                   -- of the text before anything was hidden in it
  characters BIGINT,
  text VARCHAR,                   -- NULL: read it from source
  hidden BIGINT                   -- secrets hidden in text
);

-- What models were asked by the run itself, attempt by attempt.
CREATE TABLE model_calls (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  purpose VARCHAR,                -- summary
  model VARCHAR,
  attempt INTEGER,                -- from 1
  outcome VARCHAR,                -- accepted, refused, cached, failed
  why VARCHAR,                    -- what the gate refused, or the endpoint said
  input_tokens BIGINT,            -- as the endpoint reported; NULL: it did not
  cache_read_tokens BIGINT,
  output_tokens BIGINT
);

-- Answers that were cut off and finished, live or played again.
CREATE TABLE recoveries (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  source VARCHAR,
  conversation VARCHAR,
  message_id VARCHAR,
  line BIGINT,
  turn BIGINT,
  profile VARCHAR,                -- fault profile of a replay, empty for a live recovery
  provider VARCHAR,
  cap BIGINT,                     -- most output tokens of one request
  outcome VARCHAR,                -- how the recovery ended
  verdict VARCHAR,                -- of a replay: how it stands to the transcript
  exact BOOLEAN,                  -- byte for byte; NULL: there is nothing to compare with
  ambiguous BOOLEAN,              -- a seam could not be told from honest repetition
  continuations INTEGER,
  characters BIGINT,              -- of the whole answer
  removed BIGINT,                 -- characters taken out at seams
  tokens_sent BIGINT,             -- input of all requests
  tokens_out BIGINT,
  anchor_tokens BIGINT,           -- of that, what was sent of the answer
  answer_if_resent BIGINT,        -- had the whole answer been sent again each time
  handle VARCHAR,                 -- what `baodai recover --continue` takes
  state VARCHAR                   -- JSON
);

-- Appended to by every run, for trends.
CREATE TABLE checks (
  run_id VARCHAR NOT NULL,
  seq BIGINT,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  rule VARCHAR,
  subject VARCHAR,                -- the atom or metric judged
  verdict VARCHAR,
  level VARCHAR,
  value DOUBLE,
  threshold DOUBLE,
  n BIGINT,
  line BIGINT,
  message VARCHAR
);

CREATE TABLE costs (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  scenario VARCHAR,               -- as recorded, or the settings of what might have been
  model VARCHAR,
  call INTEGER,
  purpose VARCHAR,                -- answer, summary, continuation
  input_tokens BIGINT,
  cache_read_tokens BIGINT,
  cache_write_tokens BIGINT,
  output_tokens BIGINT,
  usd DOUBLE                      -- NULL: price unknown
);

-- The newest run of every transcript and settings; names is what a parameter is looked for in.
CREATE VIEW latest AS
SELECT
  t.*,
  r.seq,
  r.settings_id,
  r.started_at,
  concat_ws(' ', t.transcript_id, t.source, t.conversation) AS names
FROM transcripts AS t
JOIN runs AS r USING (run_id)
QUALIFY row_number() OVER (PARTITION BY t.transcript_id, r.settings_id ORDER BY r.seq DESC) = 1;
