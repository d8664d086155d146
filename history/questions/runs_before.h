// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the runs of a history that came before a run, for the run's page.
//
//   Expected<reports::RunsBefore> before = FindRunsBefore(*db, view, "out/nightly");
#ifndef OPBYOP_HISTORY_QUESTIONS_RUNS_BEFORE_H_
#define OPBYOP_HISTORY_QUESTIONS_RUNS_BEFORE_H_

#include <filesystem>

#include "history/database/database.h"
#include "reports/page/runs_before.h"
#include "reports/view/rows.h"
#include "support/expected.h"

namespace opbyop::history {

// The complete runs of the same series that started before the run of `view`, which need not be in the history; at most
// thirty. A run has a link, relative to `out`, if the results next to its page are still its own.
Expected<reports::RunsBefore> FindRunsBefore(Database& db, const reports::View& view, const std::filesystem::path& out);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_QUESTIONS_RUNS_BEFORE_H_
