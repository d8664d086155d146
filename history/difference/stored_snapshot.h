// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of a history, as they are compared.
//
//   Expected<Snapshot> run = LoadSnapshot(*db, "20261121T101500Z-3f9a");
//
// kNoInput where there is no such run, or its results were pruned. Two runs, to be compared:
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

// Its cases have no names: of two runs of one history, Compare goes by their keys.
Expected<Snapshot> LoadSnapshotByKey(Database& db, int64_t key);

// Two connections to one history, each used by a thread of its own.
struct Connections {
  Database& db;
  Database& beside;
};

struct SnapshotPair {
  Snapshot before, after;
};

// Both at once. Their cases have no names, which are most of what a server would have to send: NameCases.
Expected<SnapshotPair> LoadSnapshots(Connections connections, const std::string& before, const std::string& after);

// Names those of `cases`, by index in the snapshot's cases.
Expected<void> NameCases(Database& db, const std::vector<size_t>& cases, Snapshot& snapshot);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_STORED_SNAPSHOT_H_
