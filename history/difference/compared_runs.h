// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two runs and their difference, which points into them.
//
//   Expected<ComparedRuns> found = CompareStored({.db = *db, .beside = *second}, "night-01", "night-02", {});
//   std::cout << DifferenceText(found->difference);
#ifndef OPBYOP_HISTORY_DIFFERENCE_COMPARED_RUNS_H_
#define OPBYOP_HISTORY_DIFFERENCE_COMPARED_RUNS_H_

#include <memory>
#include <string>

#include "history/difference/difference.h"
#include "history/difference/stored_snapshot.h"
#include "support/expected.h"

namespace opbyop::history {

struct ComparedRuns {
  std::unique_ptr<SnapshotPair> runs;
  Difference difference;
};

// If `before` has a key, it is a run of the history `db`, which also has the times of earlier runs; otherwise `db` may
// be null.
Expected<ComparedRuns> CompareRuns(SnapshotPair runs, const DifferenceOptions& options, Database* db);

// Compares two runs of a history. Only cases that changed have names. Returns the errors of LoadSnapshot.
Expected<ComparedRuns> CompareStored(Connections connections, const std::string& before, const std::string& after,
                                     const DifferenceOptions& options);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_COMPARED_RUNS_H_
