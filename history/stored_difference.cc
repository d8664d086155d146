// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/stored_difference.h"

#include <set>
#include <utility>
#include <vector>

#include "history/earlier_times.h"

namespace opbyop::history {
namespace {

// By index, of the rows that changes show.
std::vector<size_t> ChangedCases(const Difference& difference, const SnapshotRow* Change::* row) {
  std::set<size_t> cases;
  for (const Change& change : difference.changes) {
    if (change.*row) cases.insert((change.*row)->case_index);
  }
  return {cases.begin(), cases.end()};
}

}  // namespace

Expected<StoredDifference> CompareStored(Connections connections, const std::string& before, const std::string& after,
                                         const DifferenceOptions& options) {
  Expected<SnapshotPair> loaded = LoadSnapshots(connections, before, after);
  if (!loaded) return Unexpected(loaded.error());
  StoredDifference stored{std::make_unique<SnapshotPair>(std::move(*loaded)), {}};
  SnapshotPair& runs = *stored.runs;
  Expected<Difference> difference = Compare(runs.before, runs.after, options, TimesBefore(connections.db, runs.before));
  if (!difference) return Unexpected(difference.error());
  stored.difference = std::move(*difference);
  Expected<void> named = NameCases(connections.db, ChangedCases(stored.difference, &Change::before), runs.before);
  if (named) named = NameCases(connections.db, ChangedCases(stored.difference, &Change::after), runs.after);
  if (!named) return Unexpected(named.error());
  return stored;
}

}  // namespace opbyop::history
