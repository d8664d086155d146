// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists the runs of a history, and removes old details so that it does not grow without limit.
//
//   Prune(*db, {.keep = 90, .keep_details = 14});
//
// The counts of a run and its changes stay for ever, so that trends and `since` reach back to the first run.
#ifndef OPBYOP_HISTORY_IMPORT_RETENTION_H_
#define OPBYOP_HISTORY_IMPORT_RETENTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/database/database.h"

namespace opbyop::history {

struct ListedRun {
  std::string run_id, started, series, toolchain;
  int64_t rows = 0, passed = 0, red = 0;
  int64_t details = 0;  // 2: all; 1: results; 0: counts only
  bool complete = true, partial = false;
};

// Newest first. If `series` is empty, the runs of all series.
Expected<std::vector<ListedRun>> ListRuns(Database& db, const std::string& series);

struct Retention {
  std::optional<int64_t> keep;          // newest runs of each series that keep their results
  std::optional<int64_t> keep_details;  // newest runs that also keep stages, comparisons and timings
};

struct Pruned {
  int64_t results = 0;  // runs that lost their results
  int64_t details = 0;  // runs that lost only stages, comparisons and timings
};

// Prunes in one transaction, then shrinks the file. The newest run of a series always keeps everything.
Expected<Pruned> Prune(Database& db, const Retention& retention);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_RETENTION_H_
