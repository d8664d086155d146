// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The durations of a target's cases in a history, to balance the shards of its next run.
//
//   Expected<std::string> text = DurationsText(*db, "host", "isolated");
//   WriteFile("out/nightly/balance.jsonl", *text);        // opbyop run out/nightly --shard 1/3 --balance that file
//
// The text has the form of a run's results; harness/run/shard_assignment.h reads it as an earlier run.
#ifndef OPBYOP_HISTORY_QUESTIONS_DURATIONS_H_
#define OPBYOP_HISTORY_QUESTIONS_DURATIONS_H_

#include <string>

#include "history/database/database.h"
#include "support/expected.h"

namespace opbyop::history {

// The median duration of each case over the newest runs of that target and mode that keep their times. Returns kNoInput
// if there is no such run.
Expected<std::string> DurationsText(Database& db, const std::string& target, const std::string& mode);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_QUESTIONS_DURATIONS_H_
