-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

-- The tables of a history, the same in SQLite and in PostgreSQL. `/* sqlite: X */` is X in SQLite only, which has no
-- `OR REPLACE` for views.
-- Names of columns end in their unit (seconds, microseconds, bytes); 0 and 1 are no and yes.

-- The meaning of each status for the questions; ids are the numbers of manifests/status/status.h.
CREATE TABLE statuses (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  red INTEGER NOT NULL,      -- a run with such a row is not green
  blocks INTEGER NOT NULL,   -- a model with such a row is not ready: red, expected to fail, or unsupported
  silent INTEGER NOT NULL    -- shows neither that the target is right nor that it is wrong
);

-- Texts that many rows share: stages, policies, rules.
CREATE TABLE labels (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

-- Counts the changes of the history, so that a process that has cached ids knows whether they are complete.
CREATE TABLE generations (
  number BIGINT NOT NULL
);
INSERT INTO generations VALUES (0);

CREATE TABLE runs (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,        -- the run id
  digest TEXT NOT NULL,             -- sha256 of what it was imported from
  series TEXT NOT NULL,             -- runs are compared within a series: one target, mode and suite
  started_us BIGINT NOT NULL,       -- since 1970, UTC
  started TEXT NOT NULL,            -- the same, RFC 3339
  target TEXT NOT NULL,
  toolchain TEXT NOT NULL,
  policy TEXT NOT NULL,
  mode TEXT NOT NULL,
  seed BIGINT,
  git_sha TEXT NOT NULL,
  machine TEXT NOT NULL,            -- times of different machines are not compared
  decides TEXT NOT NULL,            -- digest of everything that decides a result; empty if the run has none
  manifest_hash TEXT NOT NULL,
  source TEXT NOT NULL,             -- the folder that it was imported from
  complete INTEGER NOT NULL,
  partial INTEGER NOT NULL,         -- a run of chosen rows: no run of its series is compared with it
  compile_only TEXT NOT NULL,
  wall_s DOUBLE PRECISION NOT NULL,
  previous_id INTEGER,              -- the run that `changes` compares it with; null for the first of a series
  drift DOUBLE PRECISION,           -- ln of the median of its cases' times over those of the previous run
  timed_cases INTEGER NOT NULL,     -- cases whose times were compared with those of the previous run
  details INTEGER NOT NULL,         -- 2: all is kept; 1: results without stages, comparisons and timings; 0: neither
  imported TEXT NOT NULL
);
CREATE INDEX runs_by_series ON runs (series, started_us);

CREATE TABLE models (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  frontend TEXT NOT NULL
);

CREATE TABLE cases (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,        -- the case id
  op TEXT NOT NULL,                 -- with the called target, if the op calls one
  kind TEXT NOT NULL,
  dtype TEXT NOT NULL,              -- of the first output
  signature TEXT NOT NULL,          -- (2x3xf32, 3xf32) -> (2x3xf32)
  flops BIGINT NOT NULL,
  bytes BIGINT NOT NULL
);
CREATE INDEX cases_by_op ON cases (op);

-- A row: one case in one model.
CREATE TABLE model_rows (
  id INTEGER NOT NULL PRIMARY KEY,
  case_id INTEGER NOT NULL,
  model_id INTEGER NOT NULL,
  UNIQUE (case_id, model_id)
);

-- The places of a row's ops in their model, as of the last run that had the row. Lists are JSON.
CREATE TABLE origins (
  row_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  ops BIGINT NOT NULL,
  framework_op TEXT NOT NULL,
  module_path TEXT NOT NULL,
  regions TEXT NOT NULL,
  locations TEXT NOT NULL,
  PRIMARY KEY (row_id, position)
);

-- Groups of rows that end in one way: stage, status and the diagnostic's fingerprint (reports/view/cause.h).
CREATE TABLE causes (
  id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,        -- its id in every report: "g3f9a12cd"
  status_id INTEGER NOT NULL,
  stage TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  diagnostic TEXT NOT NULL          -- the first one that was seen
);

-- The entries of baselines for rows.
CREATE TABLE expectations (
  id INTEGER NOT NULL PRIMARY KEY,
  reason TEXT NOT NULL,
  issue TEXT NOT NULL,
  owner TEXT NOT NULL,
  since TEXT NOT NULL,
  UNIQUE (reason, issue, owner, since)
);

CREATE TABLE results (
  run_id INTEGER NOT NULL,
  row_id INTEGER NOT NULL,
  status_id INTEGER NOT NULL,       -- judged by the baseline
  stage_id INTEGER NOT NULL,        -- the stage in which it ended
  cause_id INTEGER,                 -- null on pass
  expectation_id INTEGER,
  ops BIGINT NOT NULL,              -- number of ops in the model
  PRIMARY KEY (run_id, row_id)
) /* sqlite: WITHOUT ROWID */;

CREATE TABLE stages (
  run_id INTEGER NOT NULL,
  case_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  stage_id INTEGER NOT NULL,
  status_id INTEGER NOT NULL,
  ms DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (run_id, case_id, position)
) /* sqlite: WITHOUT ROWID */;

CREATE TABLE comparisons (
  run_id INTEGER NOT NULL,
  case_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  policy_id INTEGER NOT NULL,
  output BIGINT NOT NULL,
  rule_id INTEGER NOT NULL,
  elements BIGINT NOT NULL,
  mismatches BIGINT NOT NULL,
  max_abs DOUBLE PRECISION,         -- null: no number
  max_rel DOUBLE PRECISION,
  max_ulp DOUBLE PRECISION,
  pcc DOUBLE PRECISION,
  bound_ratio DOUBLE PRECISION,
  precision_ratio DOUBLE PRECISION,
  accepted INTEGER NOT NULL,
  PRIMARY KEY (run_id, case_id, position)
) /* sqlite: WITHOUT ROWID */;

-- One row for each case that a run has a record of.
CREATE TABLE timings (
  run_id INTEGER NOT NULL,
  case_id INTEGER NOT NULL,
  n BIGINT NOT NULL,                -- repetitions on the device; 0: not measured
  min_us DOUBLE PRECISION,
  median_us DOUBLE PRECISION,
  p95_us DOUBLE PRECISION,
  compile_ms DOUBLE PRECISION NOT NULL,  -- stages before `load`
  wall_ms DOUBLE PRECISION NOT NULL,
  bound_ratio DOUBLE PRECISION,     -- the worst of its comparisons; null: nothing was compared
  peak_rss_kb BIGINT NOT NULL,
  artifact_bytes BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  PRIMARY KEY (run_id, case_id)
) /* sqlite: WITHOUT ROWID */;

-- The changes of a run since its previous one. A row may appear with its status, its time and its numbers.
CREATE TABLE changes (
  run_id INTEGER NOT NULL,
  row_id INTEGER NOT NULL,
  kind TEXT NOT NULL,               -- history/difference/difference.h
  before_status_id INTEGER,         -- null: the row is new
  after_status_id INTEGER,          -- null: the row was removed
  before_cause_id INTEGER,
  after_cause_id INTEGER,
  before_value DOUBLE PRECISION,    -- of times: microseconds; of numbers: the bound ratio
  after_value DOUBLE PRECISION,
  confidence DOUBLE PRECISION,      -- for times: that the change is not noise
  alike INTEGER NOT NULL,           -- whether nothing that decides a result differs between the two runs
  PRIMARY KEY (run_id, row_id, kind)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX changes_by_row ON changes (row_id, run_id);

-- Summaries, so that a question over many runs reads few rows. They stay when a run's results are pruned.
CREATE TABLE run_counts (
  run_id INTEGER NOT NULL,
  status_id INTEGER NOT NULL,
  rows_count BIGINT NOT NULL,
  ops BIGINT NOT NULL,
  PRIMARY KEY (run_id, status_id)
);

CREATE TABLE run_models (
  run_id INTEGER NOT NULL,
  model_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  error TEXT NOT NULL,              -- why it could not be split
  rows_count BIGINT NOT NULL,
  passed BIGINT NOT NULL,
  red BIGINT NOT NULL,
  blocked BIGINT NOT NULL,          -- rows that block it
  ops BIGINT NOT NULL,              -- number of ops of its rows
  blocked_ops BIGINT NOT NULL,
  PRIMARY KEY (run_id, model_id)
);

CREATE TABLE run_causes (
  run_id INTEGER NOT NULL,
  cause_id INTEGER NOT NULL,
  rows_count BIGINT NOT NULL,
  cases BIGINT NOT NULL,
  op_kinds BIGINT NOT NULL,
  models BIGINT NOT NULL,
  ops BIGINT NOT NULL,
  PRIMARY KEY (run_id, cause_id)
);
CREATE INDEX run_causes_by_cause ON run_causes (cause_id, run_id);

-- The newest time of each case in each series, even if the case fails now.
CREATE TABLE last_timings (
  series TEXT NOT NULL,
  case_id INTEGER NOT NULL,
  started_us BIGINT NOT NULL,
  median_us DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (series, case_id)
);
