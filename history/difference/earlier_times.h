// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a case took in the runs before one, for the judgement of a change in time (history/difference/slowdown.h).
//
//   Compare(before, after, options, TimesBefore(*db, before));
#ifndef OPBYOP_HISTORY_DIFFERENCE_EARLIER_TIMES_H_
#define OPBYOP_HISTORY_DIFFERENCE_EARLIER_TIMES_H_

#include "history/database/database.h"
#include "history/difference/difference.h"
#include "history/difference/snapshot.h"

namespace opbyop::history {

// ln of microseconds in at most nine runs before `before`, which is of this database, as if the machine had not
// drifted since. It ends where the case was last told to have become slower or faster: its times before that are of
// another state. Both must outlive the answer.
EarlierTimes TimesBefore(Database& db, const Snapshot& before);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_EARLIER_TIMES_H_
