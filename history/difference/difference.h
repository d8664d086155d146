// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a run changed beside an earlier one: rows that broke, times beyond noise, numbers that drifted.
//
//   const Difference difference = Compare(before, after, {}, nullptr);
//   for (const Change& change : difference.changes) fmt::print("{}\n", ToString(change.kind));
#ifndef OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_H_
#define OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_H_

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/difference/slowdown.h"
#include "history/difference/snapshot.h"

namespace opbyop::history {

enum class ChangeKind {
  kBroke,        // red now, and was not
  kUnsupported,  // the target says so now, and did not
  kLost,         // was judged, and proves nothing now: inconclusive, skipped, or expected to fail
  kSlower,
  kWorse,  // the worst error is a larger share of its bound
  kMoved,  // red as before, of another cause
  kNew,    // the row was not there
  kGone,   // the row is not there any more
  kFixed,  // passes, and did not
  kFaster,
  kBetter,
};

inline constexpr std::array kAllChanges = {ChangeKind::kBroke,  ChangeKind::kUnsupported, ChangeKind::kLost,
                                           ChangeKind::kSlower, ChangeKind::kWorse,       ChangeKind::kMoved,
                                           ChangeKind::kNew,    ChangeKind::kGone,        ChangeKind::kFixed,
                                           ChangeKind::kFaster, ChangeKind::kBetter};

// "broke", "unsupported", ...: what databases have.
std::string_view ToString(ChangeKind kind);

// "broke", "unsupported now", ...: what readers are told.
std::string_view TitleOf(ChangeKind kind);

struct Change {
  ChangeKind kind = ChangeKind::kBroke;
  const SnapshotRow* before = nullptr;  // null: new
  const SnapshotRow* after = nullptr;   // null: gone
  double before_value = 0;              // microseconds, or bound ratio
  double after_value = 0;
  double confidence = 0;  // of times
};

// What makes the candidate worse than what it is compared with: a pass that was lost in whatever way, time, numbers. A
// new row that is red is none: it never passed.
bool IsRegression(const Change& change);

struct DifferenceOptions {
  SlowdownOptions time;
  double worse = 2;          // a bound ratio this many times the earlier one is a change,
  double least_ratio = 0.1;  // where it is at least this share of the bound
};

struct Difference {
  const Snapshot* before = nullptr;
  const Snapshot* after = nullptr;
  std::vector<Change> changes;  // by kind, then as the rows stand; pointers into the snapshots
  int64_t up_to_machine = 0;    // rows that went the other of two ways which the baseline leaves open: no changes
  Drift drift;                  // of all times together
  std::string untimed;          // why times were not compared; empty where they were

  bool regressed() const;
};

// Earlier times of some cases of `before`, by index in its cases, newest first: history/difference/earlier_times.h.
using EarlierTimes = std::function<Expected<std::vector<std::vector<double>>>(const std::vector<size_t>& cases)>;

// Rows are the same where case and model are; cases, where their ids are, and of two runs of a database their keys
// there. Of partial runs, rows that only one has are no change. `earlier` may be null: times are judged by the two runs
// alone.
Expected<Difference> Compare(const Snapshot& before, const Snapshot& after, const DifferenceOptions& options,
                             const EarlierTimes& earlier);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_H_
