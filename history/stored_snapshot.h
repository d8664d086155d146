// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of a history, as they are compared.
//
//   Expected<Snapshot> run = LoadSnapshot(*db, "20261121T101500Z-3f9a");
//   Expected<SnapshotPair> pair = LoadSnapshots({.db = *db, .beside = *second_connection}, before, after);
//
// kNoInput where there is no such run, or its results were pruned.
#ifndef OPBYOP_HISTORY_STORED_SNAPSHOT_H_
#define OPBYOP_HISTORY_STORED_SNAPSHOT_H_

#include <cstdint>
#include <string>

#include "history/database.h"
#include "history/snapshot.h"
#include "support/expected.h"

namespace opbyop::history {

Expected<Snapshot> LoadSnapshot(Database& db, const std::string& run_id);
Expected<Snapshot> LoadSnapshotByKey(Database& db, int64_t key);

// Two connections to one history, each used by a thread of its own.
struct Connections {
  Database& db;
  Database& beside;
};

struct SnapshotPair {
  Snapshot before, after;
};

// Both at once: names that they share are read once, beside the numbers.
Expected<SnapshotPair> LoadSnapshots(Connections connections, const std::string& before, const std::string& after);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_STORED_SNAPSHOT_H_
