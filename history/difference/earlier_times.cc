// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/earlier_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opbyop::history {
namespace {

constexpr int kMostRuns = 9;

// `before` and the runs before it, newest first, each with the number to add to its logarithms to convert them to the
// speed of `before`'s machine. Ends with a run whose times were compared with none, or with the ninth before.
constexpr std::string_view kRunsBefore = R"sql(
      WITH RECURSIVE earlier (depth, run_id, drift) AS (
        SELECT 0, id, CAST(0 AS DOUBLE PRECISION) FROM runs WHERE id = $1
        UNION ALL
        SELECT e.depth + 1, r.previous_id, e.drift + r.drift
        FROM earlier e JOIN runs r ON r.id = e.run_id JOIN runs p ON p.id = r.previous_id
        WHERE r.drift IS NOT NULL AND p.details = 2 AND e.depth < {}
      ) SELECT run_id, drift FROM earlier ORDER BY depth)sql";

struct EarlierRun {
  int64_t key = 0;
  double offset = 0;
};

Expected<std::vector<EarlierRun>> RunsBefore(Database& db, int64_t before) {
  std::vector<EarlierRun> runs;
  const Expected<void> done = db.Query(fmt::format(kRunsBefore, kMostRuns), {before}, [&](const Record& record) {
    runs.push_back({record.Integer(0), record.Real(1)});
  });
  if (!done) return Unexpected(done.error());
  return runs;
}

std::string In(std::string_view column, const std::vector<int64_t>& keys) {
  return fmt::format("{} IN ({})", column, fmt::join(keys, ","));
}

}  // namespace

EarlierTimes TimesBefore(Database& db, const Snapshot& before) {
  return [&db, &before](const std::vector<size_t>& cases) -> Expected<std::vector<std::vector<double>>> {
    const Expected<std::vector<EarlierRun>> runs = RunsBefore(db, before.key);
    if (!runs) return Unexpected(runs.error());
    std::vector<std::vector<double>> times(cases.size());
    if (runs->size() < 2) return times;
    std::unordered_map<int64_t, size_t> place;  // index in `cases`, by key
    std::vector<int64_t> keys;
    for (size_t i = 0; i < cases.size(); ++i) {
      keys.push_back(before.cases[cases[i]].key);
      place.emplace(keys.back(), i);
    }
    std::unordered_map<int64_t, size_t> age;  // by key; 0 is `before`
    std::vector<int64_t> run_keys;
    for (size_t k = 0; k < runs->size(); ++k) {
      run_keys.push_back((*runs)[k].key);
      age.emplace(run_keys.back(), k);
    }
    // The newest run that made each case slower or faster: its earlier times are of another state.
    std::vector<size_t> oldest(cases.size(), runs->size());
    Expected<void> done =
        db.Query("SELECT c.run_id, m.case_id FROM changes c JOIN model_rows m ON m.id = c.row_id WHERE " +
                     In("c.run_id", run_keys) + " AND c.kind IN ('slower', 'faster')",
                 {}, [&](const Record& record) {
                   const auto found = place.find(record.Integer(1));
                   if (found == place.end()) return;
                   oldest[found->second] = std::min(oldest[found->second], age.at(record.Integer(0)));
                 });
    if (!done) return Unexpected(done.error());
    std::vector<std::vector<double>> by_age(runs->size());  // NaN: none
    for (std::vector<double>& each : by_age) each.resize(cases.size(), std::nan(""));
    const auto read = [&](const std::string& which) {
      return db.Query("SELECT run_id, case_id, median_us FROM timings WHERE median_us > 0 AND " + which, {},
                      [&](const Record& record) {
                        const auto found = place.find(record.Integer(1));
                        if (found == place.end()) return;
                        const size_t k = age.at(record.Integer(0));
                        by_age[k][found->second] = std::log(record.Real(2)) + (*runs)[k].offset;
                      });
    };
    // If most cases are wanted, reading all times of a run is faster than looking each case up. This is done for one
    // run at a time, because a server's answer is kept in memory as a whole.
    constexpr size_t kManyCases = 20'000;
    if (keys.size() < std::min(kManyCases, before.cases.size() / 8)) {
      done = read(In("run_id", run_keys) + " AND " + In("case_id", keys));
    } else {
      for (size_t k = 1; done && k < run_keys.size(); ++k) done = read(fmt::format("run_id = {}", run_keys[k]));
    }
    if (!done) return Unexpected(done.error());
    for (size_t i = 0; i < cases.size(); ++i) {
      for (size_t k = 1; k < by_age.size() && k <= oldest[i]; ++k) {
        if (!std::isnan(by_age[k][i])) times[i].push_back(by_age[k][i]);
      }
    }
    return times;
  };
}

}  // namespace opbyop::history
