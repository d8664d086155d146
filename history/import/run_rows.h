// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the cases and rows of a run into the tables of a history. The importer does the rest
// (history/import/importer.h), within its transaction.
//
//   Expected<Snapshot> snapshot = WriteRows(db, keys, view, details, run);
//   if (snapshot) UpdateLastTimings(db, *snapshot);
#ifndef OPBYOP_HISTORY_IMPORT_RUN_ROWS_H_
#define OPBYOP_HISTORY_IMPORT_RUN_ROWS_H_

#include <cstdint>

#include "history/database/database.h"
#include "history/difference/case_details.h"
#include "history/difference/snapshot.h"
#include "history/import/keys.h"
#include "reports/view/rows.h"
#include "support/expected.h"

namespace opbyop::history {

// Writes the results, stages, comparisons and timings of the run with the key `run`, and their counts and summaries.
// The tables must have nothing of that run. Returns its snapshot, with keys.
Expected<Snapshot> WriteRows(Database& db, Keys& keys, const reports::View& view, const RunDetails& details,
                             int64_t run);

// Writes the places of its rows' ops, as its manifest has them. Replaces the earlier ones.
Expected<void> WriteOrigins(Database& db, Keys& keys, const reports::View& view, int64_t run);

// Keeps only the newest time of each case of the series.
Expected<void> UpdateLastTimings(Database& db, const Snapshot& run);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_RUN_ROWS_H_
