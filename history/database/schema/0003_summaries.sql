-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

-- Summaries for the questions about the newest runs, which would otherwise read millions of rows. They are written with
-- each run (history/import/run_summaries.h), and removed with its results.

-- How many cases of each op ended how in each stage of a run.
CREATE TABLE run_op_stages (
  run_id INTEGER NOT NULL,
  op TEXT NOT NULL,
  stage_id INTEGER NOT NULL,
  status_id INTEGER NOT NULL,
  cases BIGINT NOT NULL,
  ms DOUBLE PRECISION NOT NULL
);
CREATE INDEX run_op_stages_by_run ON run_op_stages (run_id);

-- The slowest cases of each stage of a run, and on the device.
CREATE TABLE run_slowest (
  run_id INTEGER NOT NULL,
  stage_id INTEGER NOT NULL,        -- 0: one execution on the device
  place INTEGER NOT NULL,           -- from 1
  case_id INTEGER NOT NULL,
  us DOUBLE PRECISION NOT NULL,
  part DOUBLE PRECISION,            -- of the time of all cases there; null if that is 0
  PRIMARY KEY (run_id, stage_id, place)
);

-- How many rows of each op and element type of a run ended how.
CREATE TABLE run_op_types (
  run_id INTEGER NOT NULL,
  op TEXT NOT NULL,
  dtype TEXT NOT NULL,
  status_id INTEGER NOT NULL,
  rows_count BIGINT NOT NULL,
  ops BIGINT NOT NULL
);
CREATE INDEX run_op_types_by_run ON run_op_types (run_id);

-- Few rows do not pass: a query for them need not read the others. In the views below, CROSS JOIN makes SQLite start
-- with the newest runs, or with the changes of one row, whatever its statistics say.
CREATE INDEX results_not_passed ON results (run_id, cause_id) WHERE cause_id IS NOT NULL;

DROP VIEW op_stages;
CREATE VIEW op_stages AS
SELECT r.series, r.name AS run, h.op, l.name AS stage, s.name AS status, h.cases, h.ms
FROM latest_runs r CROSS JOIN run_op_stages h JOIN labels l ON l.id = h.stage_id
  JOIN statuses s ON s.id = h.status_id
WHERE h.run_id = r.id;

DROP VIEW cause_ranks;
DROP VIEW readiness_gaps;
DROP VIEW blocked_rows;

-- The same view, now with the index of rows that did not pass.
CREATE VIEW blocked_rows AS
SELECT r.id AS run_id, r.name AS run, r.series, x.row_id, m.case_id, m.model_id, x.status_id, x.cause_id,
  x.expectation_id, x.ops, c.op, t.median_us * x.ops AS device_us
FROM latest_runs r CROSS JOIN results x JOIN statuses s ON s.id = x.status_id AND s.blocks = 1
  JOIN model_rows m ON m.id = x.row_id JOIN cases c ON c.id = m.case_id
  LEFT JOIN last_timings t ON t.series = r.series AND t.case_id = m.case_id
WHERE x.run_id = r.id AND x.cause_id IS NOT NULL;

CREATE VIEW cause_ranks AS
SELECT b.run, b.series, g.name AS cause, s.name AS status, g.stage, g.fingerprint, g.diagnostic, b.rows_count, b.cases,
  b.op_kinds, b.models, coalesce(u.unlocked, 0) AS unlocked, b.ops, b.device_us, b.untimed_rows, e.reason, e.issue, e.owner
FROM (
  SELECT run_id, run, series, cause_id, count(*) AS rows_count, count(DISTINCT case_id) AS cases,
    count(DISTINCT op) AS op_kinds, count(DISTINCT model_id) AS models, sum(ops) AS ops, sum(device_us) AS device_us,
    count(*) FILTER (WHERE device_us IS NULL) AS untimed_rows, min(expectation_id) AS expectation_id
  FROM blocked_rows GROUP BY run_id, run, series, cause_id) b
JOIN causes g ON g.id = b.cause_id JOIN statuses s ON s.id = g.status_id
LEFT JOIN expectations e ON e.id = b.expectation_id
LEFT JOIN (
  SELECT run_id, cause_id, count(*) AS unlocked FROM (
    SELECT run_id, model_id, min(cause_id) AS cause_id FROM blocked_rows
    GROUP BY run_id, model_id HAVING count(DISTINCT cause_id) = 1) one
  GROUP BY run_id, cause_id) u ON u.run_id = b.run_id AND u.cause_id = b.cause_id;

CREATE VIEW readiness_gaps AS
SELECT b.series, b.run, mo.name AS model, c.op, c.signature, s.name AS status, g.name AS cause, g.stage, g.diagnostic,
  sum(b.ops) AS ops, count(*) AS cases, e.reason, e.issue, e.owner
FROM blocked_rows b JOIN cases c ON c.id = b.case_id JOIN models mo ON mo.id = b.model_id
  JOIN statuses s ON s.id = b.status_id LEFT JOIN causes g ON g.id = b.cause_id
  LEFT JOIN expectations e ON e.id = b.expectation_id
GROUP BY b.series, b.run, mo.name, c.op, c.signature, s.name, g.name, g.stage, g.diagnostic, e.reason, e.issue, e.owner;

DROP VIEW red_since;
CREATE VIEW red_since AS
SELECT r.series, r.name AS run, mo.name AS model, c.name AS case_name, c.op, c.signature, s.name AS status,
  g.name AS cause, g.stage, g.diagnostic, f.name AS since_run, f.started AS since_started, f.toolchain AS since_toolchain,
  p.name AS last_good_run, p.toolchain AS last_good_toolchain, e.reason, e.issue, e.owner
FROM latest_runs r CROSS JOIN results x JOIN statuses s ON s.id = x.status_id AND s.red = 1
JOIN model_rows m ON m.id = x.row_id JOIN cases c ON c.id = m.case_id JOIN models mo ON mo.id = m.model_id
LEFT JOIN causes g ON g.id = x.cause_id LEFT JOIN expectations e ON e.id = x.expectation_id
LEFT JOIN runs f ON f.id = (
  SELECT q.id FROM changes h CROSS JOIN runs q JOIN statuses a ON a.id = h.after_status_id
  WHERE h.row_id = x.row_id AND q.id = h.run_id AND q.series = r.series AND q.started_us <= r.started_us AND a.red = 1
    AND h.kind IN ('broke', 'new')
  ORDER BY q.started_us DESC, q.name DESC LIMIT 1)
LEFT JOIN runs p ON p.id = f.previous_id
WHERE x.run_id = r.id AND x.cause_id IS NOT NULL;

-- Fills the tables for the runs that exist.
INSERT INTO run_op_stages
SELECT st.run_id, c.op, st.stage_id, st.status_id, count(*), sum(st.ms)
FROM stages st JOIN cases c ON c.id = st.case_id
GROUP BY st.run_id, c.op, st.stage_id, st.status_id;

INSERT INTO run_slowest
SELECT t.run_id, t.stage_id, t.place, t.case_id, t.us, t.part
FROM (
  SELECT st.run_id, st.stage_id, st.case_id, 1000.0 * st.ms AS us,
    st.ms / nullif(sum(st.ms) OVER (PARTITION BY st.run_id, st.stage_id), 0) AS part,
    row_number() OVER (PARTITION BY st.run_id, st.stage_id ORDER BY st.ms DESC, st.case_id) AS place
  FROM stages st
  UNION ALL
  SELECT d.run_id, 0, d.case_id, d.median_us,
    d.median_us / nullif(sum(d.median_us) OVER (PARTITION BY d.run_id), 0),
    row_number() OVER (PARTITION BY d.run_id ORDER BY d.median_us DESC, d.case_id)
  FROM timings d WHERE d.n > 0 AND d.median_us IS NOT NULL) t
WHERE t.place <= 50;

INSERT INTO run_op_types
SELECT x.run_id, c.op, c.dtype, x.status_id, count(*), sum(x.ops)
FROM results x JOIN model_rows m ON m.id = x.row_id JOIN cases c ON c.id = m.case_id
GROUP BY x.run_id, c.op, c.dtype, x.status_id;
