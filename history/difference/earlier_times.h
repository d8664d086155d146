// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the times of a case in the runs before one, to judge a change in time (history/difference/slowdown.h).
//
//   Compare(before, after, options, TimesBefore(*db, before));
#ifndef OPBYOP_HISTORY_DIFFERENCE_EARLIER_TIMES_H_
#define OPBYOP_HISTORY_DIFFERENCE_EARLIER_TIMES_H_

#include "history/database/database.h"
#include "history/difference/difference.h"
#include "history/difference/snapshot.h"

namespace opbyop::history {

// Returns ln of microseconds in at most nine runs before `before`, which is a run of this database, corrected for the
// machine's drift since. Stops at the run that reported the case as slower or faster: earlier times are of another
// state. `db` and `before` must outlive the answer.
EarlierTimes TimesBefore(Database& db, const Snapshot& before);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_EARLIER_TIMES_H_
