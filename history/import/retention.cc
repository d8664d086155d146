// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/retention.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbyop::history {
namespace {

// Runs beyond the newest `keep` of their series that have more details than `details`.
Expected<std::vector<int64_t>> RunsBeyond(Database& db, int64_t keep, int64_t details) {
  std::vector<int64_t> runs;
  const Expected<void> done = db.Query(
      R"sql(
      SELECT id
      FROM (SELECT id, details, row_number() OVER (PARTITION BY series ORDER BY started_us DESC, name DESC) AS age
        FROM runs) aged WHERE age > $1 AND details > $2)sql",
      {std::max<int64_t>(keep, 1), details}, [&](const Record& record) { runs.push_back(record.Integer(0)); });
  if (!done) return Unexpected(done.error());
  return runs;
}

Expected<void> Strip(Database& db, int64_t run, int64_t details) {
  std::vector<std::string> tables = {"stages", "comparisons", "timings", "run_op_stages", "run_slowest"};
  if (details == 0) tables.insert(tables.end(), {"results", "run_op_types"});
  for (const std::string& table : tables) {
    const Expected<void> done = db.Query(fmt::format("DELETE FROM {} WHERE run_id = $1", table), {run});
    if (!done) return done;
  }
  return db.Query("UPDATE runs SET details = $1 WHERE id = $2", {details, run});
}

}  // namespace

Expected<std::vector<ListedRun>> ListRuns(Database& db, const std::string& series) {
  std::vector<ListedRun> runs;
  const Expected<void> done = db.Query(
      R"sql(
      SELECT r.name, r.started, r.series, r.toolchain, coalesce(sum(c.rows_count), 0), coalesce(sum(CASE WHEN s.name
        = 'pass' THEN c.rows_count ELSE 0 END), 0), coalesce(sum(CASE WHEN s.red = 1 THEN c.rows_count ELSE 0 END),
        0), r.details, r.complete, r.partial
      FROM runs r LEFT JOIN run_counts c ON c.run_id = r.id LEFT JOIN statuses s ON s.id = c.status_id
      WHERE $1 = '' OR r.series = $1
      GROUP BY r.id, r.name, r.started, r.started_us, r.series, r.toolchain, r.details, r.complete, r.partial
      ORDER BY r.started_us DESC, r.name DESC)sql",
      {series}, [&](const Record& r) {
        ListedRun run;
        run.run_id = r.Text(0);
        run.started = r.Text(1);
        run.series = r.Text(2);
        run.toolchain = r.Text(3);
        run.rows = r.Integer(4);
        run.passed = r.Integer(5);
        run.red = r.Integer(6);
        run.details = r.Integer(7);
        run.complete = r.Integer(8) != 0;
        run.partial = r.Integer(9) != 0;
        runs.push_back(std::move(run));
      });
  if (!done) return Unexpected(done.error());
  return runs;
}

Expected<Pruned> Prune(Database& db, const Retention& retention) {
  Expected<Transaction> transaction = Transaction::Begin(db);
  if (!transaction) return Unexpected(transaction.error());
  Pruned pruned;
  for (const auto& [keep, details, count] : {std::tuple(retention.keep, int64_t{0}, &pruned.results),
                                             std::tuple(retention.keep_details, int64_t{1}, &pruned.details)}) {
    if (!keep) continue;
    const Expected<std::vector<int64_t>> runs = RunsBeyond(db, *keep, details);
    if (!runs) return Unexpected(runs.error());
    for (const int64_t run : *runs) {
      if (const Expected<void> done = Strip(db, run, details); !done) return Unexpected(done.error());
    }
    *count = static_cast<int64_t>(runs->size());
  }
  if (const Expected<void> done = transaction->Commit(); !done) return Unexpected(done.error());
  if (pruned.results + pruned.details > 0) {
    if (const Expected<void> done = db.Vacuum(); !done) return Unexpected(done.error());
  }
  return pruned;
}

}  // namespace opbyop::history
