-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

-- Records of OpTest (reports/ingestion/optest.schema.json), and the views of their dashboard.

CREATE SCHEMA IF NOT EXISTS optest;

CREATE TABLE IF NOT EXISTS optest.tests (
  github_job_id BIGINT NOT NULL,
  full_test_name TEXT NOT NULL,
  test_start_ts TIMESTAMPTZ NOT NULL,
  test_end_ts TIMESTAMPTZ,
  test_duration TEXT,        -- ISO 8601
  test_case_name TEXT NOT NULL,
  filepath TEXT NOT NULL,
  success BOOLEAN NOT NULL,
  skipped BOOLEAN NOT NULL,
  message TEXT,
  config JSONB,
  frontend TEXT NOT NULL,
  model_name TEXT NOT NULL,
  op_kind TEXT NOT NULL,
  op_name TEXT NOT NULL,
  framework_op_name TEXT NOT NULL,
  inputs JSONB,
  outputs JSONB,
  op_params JSONB,
  git_sha TEXT,
  status TEXT,
  card_type TEXT,
  backend TEXT
);
CREATE INDEX IF NOT EXISTS tests_by_job ON optest.tests (github_job_id);
CREATE INDEX IF NOT EXISTS tests_by_name ON optest.tests (test_case_name, test_start_ts);

-- The newest record of each test on each card. full_test_name may contain the path of a report, and so differ between
-- jobs.
CREATE OR REPLACE VIEW optest.optest_newest AS
SELECT DISTINCT ON (test_case_name, coalesce(card_type, ''), coalesce(backend, '')) test_case_name, model_name, op_name,
  op_kind, framework_op_name, frontend, coalesce(card_type, '') AS card, coalesce(backend, '') AS backend, git_sha,
  CASE WHEN success THEN 'success' WHEN skipped THEN 'skipped' ELSE coalesce(status, 'failed') END AS outcome, message,
  github_job_id, test_start_ts
FROM optest.tests
ORDER BY test_case_name, coalesce(card_type, ''), coalesce(backend, ''), test_start_ts DESC, github_job_id DESC;

CREATE OR REPLACE VIEW optest.optest_days AS
SELECT date_trunc('day', test_start_ts, 'UTC') AS day, coalesce(card_type, '') AS card, frontend, count(*) AS tests,
  count(*) FILTER (WHERE success) AS passed, count(*) FILTER (WHERE NOT success AND skipped) AS skipped,
  count(*) FILTER (WHERE NOT success AND NOT skipped) AS failed
FROM optest.tests GROUP BY 1, 2, 3;

CREATE OR REPLACE VIEW optest.optest_failures AS
SELECT outcome, coalesce(message, '') AS message, count(*) AS tests, count(DISTINCT model_name) AS models,
  count(DISTINCT op_name) AS ops, min(test_case_name) AS first_test
FROM optest.optest_newest WHERE outcome NOT IN ('success', 'skipped') GROUP BY 1, 2;
