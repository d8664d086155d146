// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares a run with an earlier one: rows that broke, times that changed beyond noise, numbers that drifted.
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
  kBroke,        // red now, but not before
  kUnsupported,  // the target reports it as unsupported now, but did not before
  kLost,         // was judged before, but not now: inconclusive, skipped, or expected to fail
  kSlower,
  kWorse,  // the worst error is a larger share of its bound
  kMoved,  // red as before, with another cause
  kNew,    // the row was not there
  kGone,   // the row was removed
  kFixed,  // passes now, but did not before
  kFaster,
  kBetter,
};

inline constexpr std::array kAllChanges = {ChangeKind::kBroke,  ChangeKind::kUnsupported, ChangeKind::kLost,
                                           ChangeKind::kSlower, ChangeKind::kWorse,       ChangeKind::kMoved,
                                           ChangeKind::kNew,    ChangeKind::kGone,        ChangeKind::kFixed,
                                           ChangeKind::kFaster, ChangeKind::kBetter};

// The names in databases: "broke", "unsupported", ...
std::string_view ToString(ChangeKind kind);

// The names for readers: "broke", "unsupported now", ...
std::string_view TitleOf(ChangeKind kind);

struct Change {
  ChangeKind kind = ChangeKind::kBroke;
  const SnapshotRow* before = nullptr;  // null: new
  const SnapshotRow* after = nullptr;   // null: removed
  double before_value = 0;              // microseconds, or bound ratio
  double after_value = 0;
  double confidence = 0;  // for times
};

// Whether the change makes the run worse than the one it is compared with: a pass that was lost in any way, a longer
// time, or larger errors. A new row that is red is no regression: it never passed.
bool IsRegression(const Change& change);

struct DifferenceOptions {
  SlowdownOptions time;
  double worse = 2;          // a bound ratio this many times the earlier one is a change,
  double least_ratio = 0.1;  // if it is at least this share of the bound
};

struct Difference {
  const Snapshot* before = nullptr;
  const Snapshot* after = nullptr;
  std::vector<Change> changes;  // by kind, then in the order of the rows; pointers into the snapshots
  // rows that passed or failed as the baseline allows, but differently than before: no changes
  int64_t up_to_machine = 0;
  Drift drift;          // of all times together
  std::string untimed;  // why times were not compared; empty if they were

  bool regressed() const;
};

// Returns earlier times of some cases of `before`, which are given by index, newest first
// (history/difference/earlier_times.h).
using EarlierTimes = std::function<Expected<std::vector<std::vector<double>>>(const std::vector<size_t>& cases)>;

// Rows are matched by case and model, and cases by id, or for two runs of one database by key. Between partial runs, a
// row that only one has is no change. If `earlier` is null, times are judged by the two runs alone.
Expected<Difference> Compare(const Snapshot& before, const Snapshot& after, const DifferenceOptions& options,
                             const EarlierTimes& earlier);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DIFFERENCE_DIFFERENCE_H_
