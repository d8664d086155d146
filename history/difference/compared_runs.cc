// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/compared_runs.h"

#include <set>
#include <utility>
#include <vector>

#include "history/difference/earlier_times.h"

namespace opbyop::history {
namespace {

// The cases, by index, of the rows that changed.
std::vector<size_t> ChangedCases(const Difference& difference, const SnapshotRow* Change::* row) {
  std::set<size_t> cases;
  for (const Change& change : difference.changes) {
    if (change.*row) cases.insert((change.*row)->case_index);
  }
  return {cases.begin(), cases.end()};
}

}  // namespace

Expected<ComparedRuns> CompareRuns(SnapshotPair runs, const DifferenceOptions& options, Database* db) {
  ComparedRuns compared{std::make_unique<SnapshotPair>(std::move(runs)), {}};
  const auto& [before, after] = *compared.runs;
  EarlierTimes earlier;
  if (before.key != 0) earlier = TimesBefore(*db, before);
  Expected<Difference> difference = Compare(before, after, options, earlier);
  if (!difference) return Unexpected(difference.error());
  compared.difference = std::move(*difference);
  return compared;
}

Expected<ComparedRuns> CompareStored(Connections connections, const std::string& before, const std::string& after,
                                     const DifferenceOptions& options) {
  Expected<SnapshotPair> loaded = LoadSnapshots(connections, before, after);
  if (!loaded) return Unexpected(loaded.error());
  Expected<ComparedRuns> compared = CompareRuns(std::move(*loaded), options, &connections.db);
  if (!compared) return compared;
  const Difference& difference = compared->difference;
  Expected<void> named = NameCases(connections.db, ChangedCases(difference, &Change::before), compared->runs->before);
  if (named) named = NameCases(connections.db, ChangedCases(difference, &Change::after), compared->runs->after);
  if (!named) return Unexpected(named.error());
  return compared;
}

}  // namespace opbyop::history
