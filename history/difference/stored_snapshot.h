// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loads runs of a history to compare them.
//
//   Expected<Snapshot> run = LoadSnapshot(*db, "20261121T101500Z-3f9a");
//
// Returns kNoInput if there is no such run, or if its results were pruned. To compare two runs, see
// history/difference/compared_runs.h.
#ifndef OPBYOP_HISTORY_DIFFERENCE_STORED_SNAPSHOT_H_
#define OPBYOP_HISTORY_DIFFERENCE_STORED_SNAPSHOT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "history/database/database.h"
#include "history/difference/snapshot.h"
#include "support/expected.h"

namespace opbyop::history {

Expected<Snapshot> LoadSnapshot(Database& db, const std::string& run_id);

// Its cases have no names: Compare matches the cases of two runs of one history by their keys.
Expected<Snapshot> LoadSnapshotByKey(Database& db, int64_t key);

// Two connections to one history, each used by its own thread.
struct Connections {
  Database& db;
  Database& beside;
};

struct SnapshotPair {
  Snapshot before, after;
};

// Loads both at once. Their cases have no names, which would be most of a server's answer; NameCases adds them.
Expected<SnapshotPair> LoadSnapshots(Connections connections, const std::string& before, const std::string& after);

// Sets the names of `cases`, which are indexes in the snapshot's cases.
Expected<void> NameCases(Database& db, const std::vector<size_t>& cases, Snapshot& snapshot);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_STORED_SNAPSHOT_H_
