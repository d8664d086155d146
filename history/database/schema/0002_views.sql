-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

-- A view for each question, the same in SQLite and in PostgreSQL. docs/history.md has one line on each.

-- The newest run of each series, without runs of chosen rows.
CREATE VIEW latest_runs AS
SELECT r.* FROM runs r
WHERE r.partial = 0 AND r.details > 0 AND NOT EXISTS (
  SELECT 1 FROM runs n WHERE n.series = r.series AND n.partial = 0 AND n.details > 0
    AND (n.started_us > r.started_us OR n.started_us = r.started_us AND n.name > r.name));

-- Each run with its age in its series: 1 is the newest.
CREATE VIEW run_ages AS
SELECT r.*, row_number() OVER (PARTITION BY series ORDER BY started_us DESC, name DESC) AS age
FROM runs r WHERE r.partial = 0;

-- Every row of every run, with names. Ask for one run: WHERE run = '...'.
CREATE VIEW run_results AS
SELECT r.name AS run, r.started, r.series, r.target, r.toolchain, mo.name AS model, c.name AS case_name, c.op, c.kind,
  c.dtype, c.signature, s.name AS status, s.red, s.blocks, l.name AS stage, g.name AS cause, g.fingerprint, g.diagnostic,
  x.ops, e.reason, e.issue, e.owner, t.median_us, t.p95_us, t.compile_ms, t.wall_ms, t.bound_ratio
FROM runs r JOIN results x ON x.run_id = r.id JOIN model_rows m ON m.id = x.row_id JOIN cases c ON c.id = m.case_id
  JOIN models mo ON mo.id = m.model_id JOIN statuses s ON s.id = x.status_id JOIN labels l ON l.id = x.stage_id
  LEFT JOIN causes g ON g.id = x.cause_id LEFT JOIN expectations e ON e.id = x.expectation_id
  LEFT JOIN timings t ON t.run_id = x.run_id AND t.case_id = m.case_id;

-- The changes of each run since the previous one of its series.
CREATE VIEW run_changes AS
SELECT r.name AS run, r.started, r.series, r.toolchain, p.name AS previous_run, p.toolchain AS previous_toolchain, h.kind,
  mo.name AS model, c.name AS case_name, c.op, c.signature, b.name AS before_status, a.name AS after_status,
  gb.name AS before_cause, ga.name AS after_cause, ga.stage, ga.diagnostic, h.before_value, h.after_value, h.confidence,
  h.alike
FROM changes h JOIN runs r ON r.id = h.run_id LEFT JOIN runs p ON p.id = r.previous_id
  JOIN model_rows m ON m.id = h.row_id JOIN cases c ON c.id = m.case_id JOIN models mo ON mo.id = m.model_id
  LEFT JOIN statuses b ON b.id = h.before_status_id LEFT JOIN statuses a ON a.id = h.after_status_id
  LEFT JOIN causes gb ON gb.id = h.before_cause_id LEFT JOIN causes ga ON ga.id = h.after_cause_id;

-- A line for each run: how many rows had each status, and how many changed.
CREATE VIEW trend AS
SELECT r.name AS run, r.started, r.series, r.target, r.toolchain, r.age, r.wall_s, r.drift, r.complete,
  n.rows_count, n.passed, n.red, n.unsupported, n.expected_fail,
  CASE WHEN n.rows_count > 0 THEN 1.0 * n.passed / n.rows_count ELSE 0 END AS pass_rate,
  coalesce(h.broke, 0) AS broke, coalesce(h.unsupported_now, 0) AS unsupported_now, coalesce(h.lost, 0) AS lost,
  coalesce(h.slower, 0) AS slower, coalesce(h.worse, 0) AS worse, coalesce(h.moved, 0) AS moved,
  coalesce(h.new_rows, 0) AS new_rows, coalesce(h.gone, 0) AS gone, coalesce(h.fixed, 0) AS fixed,
  coalesce(h.faster, 0) AS faster, coalesce(h.better, 0) AS better
FROM run_ages r
LEFT JOIN (
  SELECT rc.run_id, sum(rc.rows_count) AS rows_count,
    coalesce(sum(rc.rows_count) FILTER (WHERE s.name = 'pass'), 0) AS passed,
    coalesce(sum(rc.rows_count) FILTER (WHERE s.red = 1), 0) AS red,
    coalesce(sum(rc.rows_count) FILTER (WHERE s.name = 'unsupported'), 0) AS unsupported,
    coalesce(sum(rc.rows_count) FILTER (WHERE s.name = 'expected_fail'), 0) AS expected_fail
  FROM run_counts rc JOIN statuses s ON s.id = rc.status_id GROUP BY rc.run_id) n ON n.run_id = r.id
LEFT JOIN (
  SELECT run_id,
    count(*) FILTER (WHERE kind = 'broke') AS broke, count(*) FILTER (WHERE kind = 'unsupported') AS unsupported_now,
    count(*) FILTER (WHERE kind = 'lost') AS lost, count(*) FILTER (WHERE kind = 'slower') AS slower,
    count(*) FILTER (WHERE kind = 'worse') AS worse, count(*) FILTER (WHERE kind = 'moved') AS moved,
    count(*) FILTER (WHERE kind = 'new') AS new_rows, count(*) FILTER (WHERE kind = 'gone') AS gone,
    count(*) FILTER (WHERE kind = 'fixed') AS fixed, count(*) FILTER (WHERE kind = 'faster') AS faster,
    count(*) FILTER (WHERE kind = 'better') AS better
  FROM changes GROUP BY run_id) h ON h.run_id = r.id;

-- The rows of the newest runs that keep a model from being ready, with the newest time of their case on the device.
CREATE VIEW blocked_rows AS
SELECT r.id AS run_id, r.name AS run, r.series, x.row_id, m.case_id, m.model_id, x.status_id, x.cause_id,
  x.expectation_id, x.ops, c.op, t.median_us * x.ops AS device_us
FROM latest_runs r JOIN results x ON x.run_id = r.id JOIN statuses s ON s.id = x.status_id AND s.blocks = 1
  JOIN model_rows m ON m.id = x.row_id JOIN cases c ON c.id = m.case_id
  LEFT JOIN last_timings t ON t.series = r.series AND t.case_id = m.case_id;

-- Ranks causes by what fixing them gains: first models that nothing else blocks, then models, ops, device time.
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

-- How many rows each cause had in each run, over all targets.
CREATE VIEW cause_history AS
SELECT g.name AS cause, s.name AS status, g.stage, g.fingerprint, r.name AS run, r.started, r.series, r.target, r.toolchain,
  rc.rows_count, rc.cases, rc.op_kinds, rc.models, rc.ops
FROM run_causes rc JOIN causes g ON g.id = rc.cause_id JOIN statuses s ON s.id = g.status_id
  JOIN runs r ON r.id = rc.run_id;

-- Every change between red and not red, with the age of the run in which it was seen.
CREATE VIEW flips AS
SELECT h.row_id, r.id AS run_id, r.name AS run, r.started_us, r.started, r.series, r.age, h.kind, h.alike,
  h.after_cause_id, h.after_status_id
FROM changes h JOIN run_ages r ON r.id = h.run_id
WHERE h.kind IN ('broke', 'fixed');

-- Flaky rows of the last 30 runs: rows with three changes between red and not red, with one such change between two
-- runs that agree in everything that decides a result, or with a pass after a retry.
CREATE VIEW flaky AS
SELECT f.series, mo.name AS model, c.name AS case_name, c.op, f.flips, f.alike, f.retried, f.first_run, f.last_run
FROM (
  SELECT f.series, f.row_id, count(*) AS flips, sum(f.alike) AS alike,
    sum(CASE WHEN s.name = 'flaky' THEN 1 ELSE 0 END) AS retried,
    min(f.started || ' ' || f.run) AS first_run, max(f.started || ' ' || f.run) AS last_run
  FROM flips f LEFT JOIN statuses s ON s.id = f.after_status_id WHERE f.age <= 30 GROUP BY f.series, f.row_id) f
JOIN model_rows m ON m.id = f.row_id JOIN cases c ON c.id = m.case_id JOIN models mo ON mo.id = m.model_id
WHERE f.flips >= 3 OR f.alike > 0 OR f.retried > 0;

-- The run since which each red row of the newest runs is red. `since_run` is null if the row was red in the first run.
CREATE VIEW red_since AS
SELECT r.series, r.name AS run, mo.name AS model, c.name AS case_name, c.op, c.signature, s.name AS status,
  g.name AS cause, g.stage, g.diagnostic, f.name AS since_run, f.started AS since_started, f.toolchain AS since_toolchain,
  p.name AS last_good_run, p.toolchain AS last_good_toolchain, e.reason, e.issue, e.owner
FROM latest_runs r JOIN results x ON x.run_id = r.id JOIN statuses s ON s.id = x.status_id AND s.red = 1
JOIN model_rows m ON m.id = x.row_id JOIN cases c ON c.id = m.case_id JOIN models mo ON mo.id = m.model_id
LEFT JOIN causes g ON g.id = x.cause_id LEFT JOIN expectations e ON e.id = x.expectation_id
LEFT JOIN runs f ON f.id = (
  SELECT q.id FROM changes h JOIN runs q ON q.id = h.run_id JOIN statuses a ON a.id = h.after_status_id
  WHERE h.row_id = x.row_id AND q.series = r.series AND q.started_us <= r.started_us AND a.red = 1
    AND h.kind IN ('broke', 'new')
  ORDER BY q.started_us DESC, q.name DESC LIMIT 1)
LEFT JOIN runs p ON p.id = f.previous_id;

-- Whether each model is ready: the rows of it that the newest run of each series does not pass yet.
CREATE VIEW readiness AS
SELECT r.series, r.name AS run, mo.name AS model, rm.rows_count, rm.passed, rm.red, rm.blocked, rm.ops, rm.blocked_ops,
  CASE WHEN rm.ops > 0 THEN 1.0 * (rm.ops - rm.blocked_ops) / rm.ops ELSE 0 END AS ready_share, rm.error
FROM latest_runs r JOIN run_models rm ON rm.run_id = r.id JOIN models mo ON mo.id = rm.model_id;

-- The work that is left for it, with shapes.
CREATE VIEW readiness_gaps AS
SELECT b.series, b.run, mo.name AS model, c.op, c.signature, s.name AS status, g.name AS cause, g.stage, g.diagnostic,
  sum(b.ops) AS ops, count(*) AS cases, e.reason, e.issue, e.owner
FROM blocked_rows b JOIN cases c ON c.id = b.case_id JOIN models mo ON mo.id = b.model_id
  JOIN statuses s ON s.id = b.status_id LEFT JOIN causes g ON g.id = b.cause_id
  LEFT JOIN expectations e ON e.id = b.expectation_id
GROUP BY b.series, b.run, mo.name, c.op, c.signature, s.name, g.name, g.stage, g.diagnostic, e.reason, e.issue, e.owner;

-- The heat map: how many rows of each op ended how in each stage, in the newest run of each series.
CREATE VIEW op_stages AS
SELECT r.series, r.name AS run, c.op, l.name AS stage, s.name AS status, count(*) AS cases, sum(st.ms) AS ms
FROM latest_runs r JOIN stages st ON st.run_id = r.id JOIN cases c ON c.id = st.case_id
  JOIN labels l ON l.id = st.stage_id JOIN statuses s ON s.id = st.status_id
GROUP BY r.series, r.name, c.op, l.name, s.name;

-- The time and the worst error of each case in each run: WHERE case_name = '...'.
CREATE VIEW case_history AS
SELECT c.name AS case_name, c.op, r.name AS run, r.started, r.series, r.toolchain, t.n, t.median_us, t.p95_us,
  t.compile_ms, t.wall_ms, t.bound_ratio
FROM cases c JOIN runs r ON 1 = 1 JOIN timings t ON t.run_id = r.id AND t.case_id = c.id;

-- Comparisons with the reference in the newest run of each series.
CREATE VIEW numerics AS
SELECT r.series, r.name AS run, c.name AS case_name, c.op, c.dtype, p.name AS policy, u.name AS rule, q.output,
  q.elements, q.mismatches, q.max_abs, q.max_rel, q.max_ulp, q.pcc, q.bound_ratio, q.precision_ratio, q.accepted
FROM latest_runs r JOIN comparisons q ON q.run_id = r.id JOIN cases c ON c.id = q.case_id
  JOIN labels p ON p.id = q.policy_id JOIN labels u ON u.id = q.rule_id;
