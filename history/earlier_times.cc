// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/earlier_times.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace opbyop::history {
namespace {

constexpr size_t kMostRuns = 9;

struct EarlierRun {
  int64_t key = 0;
  double offset = 0;  // to its logarithms, so that they are those of `before`'s machine
};

struct RunLink {
  int64_t previous = 0;
  double drift = 0;
  bool ends = true;  // no previous run whose times could be compared
};

Expected<RunLink> LinkOf(Database& db, int64_t run) {
  RunLink link;
  const Expected<void> done = db.Query(
      R"sql(
      SELECT r.previous_id, r.drift
      FROM runs r JOIN runs p ON p.id = r.previous_id WHERE r.id = $1 AND r.drift IS NOT NULL AND p.details = 2)sql",
      {run}, [&](const Record& record) { link = {record.Integer(0), record.Real(1), false}; });
  if (!done) return Unexpected(done.error());
  return link;
}

// `before` and those before it, newest first.
Expected<std::vector<EarlierRun>> RunsBefore(Database& db, int64_t before) {
  std::vector<EarlierRun> runs = {{before, 0}};
  while (runs.size() <= kMostRuns) {
    const Expected<RunLink> link = LinkOf(db, runs.back().key);
    if (!link) return Unexpected(link.error());
    if (link->ends) break;
    runs.push_back({link->previous, runs.back().offset + link->drift});
  }
  return runs;
}

}  // namespace

EarlierTimes TimesBefore(Database& db, const Snapshot& before) {
  return [&db, &before](const std::vector<size_t>& cases) -> Expected<std::vector<std::vector<double>>> {
    std::vector<std::vector<double>> times(cases.size());
    const Expected<std::vector<EarlierRun>> runs = RunsBefore(db, before.key);
    if (!runs) return Unexpected(runs.error());
    std::unordered_map<int64_t, size_t> place;  // in `cases`, by key
    std::vector<int64_t> keys;
    for (size_t i = 0; i < cases.size(); ++i) {
      keys.push_back(before.cases[cases[i]].key);
      place.emplace(keys.back(), i);
    }
    // Of most cases a run's times are read one after the other faster than they are looked for.
    constexpr size_t kManyCases = 20'000;
    const bool few = keys.size() < std::min(kManyCases, before.cases.size() / 8);
    const std::string among = few ? fmt::format(" AND case_id IN ({})", fmt::join(keys, ",")) : "";
    std::vector<bool> ended(cases.size());
    for (size_t k = 0; k < runs->size(); ++k) {
      const EarlierRun& run = (*runs)[k];
      Expected<void> done;
      if (k > 0) {
        done = db.Query("SELECT case_id, median_us FROM timings WHERE run_id = $1 AND median_us > 0" + among, {run.key},
                        [&](const Record& record) {
                          const auto found = place.find(record.Integer(0));
                          if (found == place.end() || ended[found->second]) return;
                          times[found->second].push_back(std::log(record.Real(1)) + run.offset);
                        });
        if (!done) return Unexpected(done.error());
      }
      // What this run made slower or faster was otherwise before it.
      done = db.Query(
          R"sql(
      SELECT m.case_id
      FROM changes c JOIN model_rows m ON m.id = c.row_id WHERE c.run_id = $1 AND c.kind IN ('slower', 'faster'))sql",
          {run.key}, [&](const Record& record) {
            if (const auto found = place.find(record.Integer(0)); found != place.end()) ended[found->second] = true;
          });
      if (!done) return Unexpected(done.error());
    }
    return times;
  };
}

}  // namespace opbyop::history
