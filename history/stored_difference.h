// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two runs of a history, compared.
//
//   Expected<StoredDifference> found = CompareStored({.db = *db, .beside = *second}, "night-01", "night-02", {});
//   std::cout << DifferenceText(found->difference);
#ifndef OPBYOP_HISTORY_STORED_DIFFERENCE_H_
#define OPBYOP_HISTORY_STORED_DIFFERENCE_H_

#include <memory>
#include <string>

#include "history/difference.h"
#include "history/stored_snapshot.h"
#include "support/expected.h"

namespace opbyop::history {

struct StoredDifference {
  std::unique_ptr<SnapshotPair> runs;  // what the difference points into; only cases that changed have names
  Difference difference;
};

// With the times of the runs before both. Errors as of LoadSnapshot.
Expected<StoredDifference> CompareStored(Connections connections, const std::string& before, const std::string& after,
                                         const DifferenceOptions& options);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_STORED_DIFFERENCE_H_
