// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long the cases of a target take, as a history knows: what the shards of its next run are balanced by.
//
//   Expected<std::string> text = DurationsText(*db, "host", "isolated");
//   WriteFile("out/nightly/balance.jsonl", *text);        // opbyop run out/nightly --shard 1/3 --balance that file
//
// The text is of the form of a run's results: who deals cases out by an earlier run (harness/run/shard_assignment.h)
// reads it as one.
#ifndef OPBYOP_HISTORY_QUESTIONS_DURATIONS_H_
#define OPBYOP_HISTORY_QUESTIONS_DURATIONS_H_

#include <string>

#include "history/database/database.h"
#include "support/expected.h"

namespace opbyop::history {

// The median duration of each case over the newest runs of that target and mode that keep their times. kNoInput if
// there is no such run.
Expected<std::string> DurationsText(Database& db, const std::string& target, const std::string& mode);

// True for PostgreSQL, and for a file that is an SQLite database.
bool IsHistory(const std::string& where);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_QUESTIONS_DURATIONS_H_
