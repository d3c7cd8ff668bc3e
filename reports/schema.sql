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

-- What each model call cost, or would have cost; one row for each call and scenario. Tokens are whole
-- prompts: cache reads and writes are part of input_tokens, the 1-hour writes part of
-- cache_write_tokens, reasoning part of output_tokens. Sums over usd leave out what is NULL and what is
-- repeated.
CREATE TABLE costs (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  scenario VARCHAR,               -- recorded: as it was; compacted: with the run's settings in the loop
  call INTEGER,                   -- from 1, the same in both scenarios; a summary has that of its compaction
  purpose VARCHAR,                -- answer, continuation, aside, sidechain, summary, memory
  model VARCHAR,
  made_at VARCHAR,                -- ISO 8601, empty where the transcript does not say
  line BIGINT,                    -- 1-based line of the answer
  turn BIGINT,                    -- 0: none
  source VARCHAR,                 -- recorded, partly counted, counted, simulated
  repeated BOOLEAN,               -- an earlier transcript of the run has this call too
  context_tokens BIGINT,          -- in the main context when the call was made; NULL: another context
  compaction INTEGER,             -- number of the compaction right before the call, 0: none
  input_tokens BIGINT,
  cache_read_tokens BIGINT,
  cache_write_tokens BIGINT,
  cache_write_1h_tokens BIGINT,
  output_tokens BIGINT,
  reasoning_tokens BIGINT,
  broken_tokens BIGINT,           -- would have been read from the cache but for the compaction
  input_price DOUBLE,             -- US dollars for a million tokens, of the tier that applied
  cache_read_price DOUBLE,
  cache_write_price DOUBLE,
  cache_write_1h_price DOUBLE,
  output_price DOUBLE,
  price_source VARCHAR,           -- where the prices are from; empty: no price
  usd DOUBLE                      -- NULL: no price
);

-- Each compaction that would have happened. net_usd = saved_usd - broken_usd - summary_usd.
CREATE TABLE compactions (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,               -- from 1
  call INTEGER,                   -- the call it came right before
  turn BIGINT,
  made_at VARCHAR,
  tokens_before BIGINT,
  tokens_after BIGINT,
  kept_prefix_tokens BIGINT,      -- from the start on unchanged, still in the cache
  broken_tokens BIGINT,
  folded_tokens BIGINT,           -- what the summary stands for
  summary_tokens BIGINT,
  calls_until_next INTEGER,       -- model calls until the next one, or the end
  refilled_tokens BIGINT,         -- tokens that came in until then
  saved_usd DOUBLE,               -- over all later calls; NULL: no price
  broken_usd DOUBLE,
  summary_usd DOUBLE,             -- summarizer and memory calls
  net_usd DOUBLE
);

-- What each layer saved over the whole conversation, call by call.
CREATE TABLE layer_costs (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  layer VARCHAR,
  number INTEGER,
  saved_tokens BIGINT,            -- taken out once
  saved_token_calls BIGINT,       -- and not sent again, summed over all calls
  saved_usd DOUBLE,
  broken_usd DOUBLE,              -- its share of the broken cache
  summary_usd DOUBLE,
  net_usd DOUBLE
);

-- What each tool result cost as it was: sent once, then again with every later call.
CREATE TABLE result_costs (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  line BIGINT,
  turn BIGINT,
  tool VARCHAR,
  target VARCHAR,
  tokens BIGINT,
  calls BIGINT,                   -- that carried it
  usd DOUBLE,                     -- NULL: no price
  compacted_usd DOUBLE            -- with compaction
);

-- One row for each point of a sweep and transcript.
CREATE TABLE sweeps (
  run_id VARCHAR NOT NULL,
  transcript_id VARCHAR NOT NULL,
  position INTEGER,
  point INTEGER,                  -- numbers the settings, 0: without compaction
  window_tokens BIGINT,
  trigger_share DOUBLE,
  target_share DOUBLE,
  layers VARCHAR,                 -- numbers of those that run, in their order
  summarizer VARCHAR,             -- extractive, or the model that is charged
  calls BIGINT,
  compactions BIGINT,
  too_large BIGINT,               -- calls whose context exceeds the budget
  usd DOUBLE,                     -- NULL: no price
  saved_usd DOUBLE,
  broken_usd DOUBLE,
  summary_usd DOUBLE,
  decisions BIGINT,               -- live ones, and those still there at the end
  decisions_kept BIGINT,
  conclusions BIGINT,             -- of tool results, and those still there at the end
  conclusions_kept BIGINT
);

-- The newest run of every transcript, command and settings; names is what a parameter is looked for in.
CREATE VIEW newest AS
SELECT
  t.*,
  r.seq,
  r.settings_id,
  r.command,
  r.started_at,
  concat_ws(' ', t.transcript_id, t.source, t.conversation) AS names
FROM transcripts AS t
JOIN runs AS r USING (run_id)
QUALIFY row_number() OVER (
  PARTITION BY t.transcript_id, r.command, r.settings_id ORDER BY r.seq DESC
) = 1;

-- Of these, what changed a transcript or looked at one: reports of savings start here.
CREATE VIEW latest AS
SELECT * FROM newest WHERE command NOT IN ('cost', 'sweep');

-- The newest working out of each transcript's cost, whatever its settings: reports of costs start here.
CREATE VIEW costed AS
SELECT * FROM newest WHERE command = 'cost'
QUALIFY row_number() OVER (PARTITION BY transcript_id ORDER BY seq DESC) = 1;

-- The newest sweep over each transcript.
CREATE VIEW swept AS
SELECT * FROM newest WHERE command = 'sweep'
QUALIFY row_number() OVER (PARTITION BY transcript_id ORDER BY seq DESC) = 1;
