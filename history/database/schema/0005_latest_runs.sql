-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

-- The same runs as before. Now PostgreSQL sees that there is one of each series, and reads their rows by the indexes.
-- Before, it expected most runs of a series, and read whole tables.
/* sqlite: DROP VIEW latest_runs; */
CREATE OR REPLACE VIEW latest_runs AS
SELECT r.* FROM runs r
WHERE r.id IN (
  SELECT n.id FROM (
    SELECT id, row_number() OVER (PARTITION BY series ORDER BY started_us DESC, name DESC) AS age
    FROM runs WHERE partial = 0 AND details > 0) n
  WHERE n.age = 1);
