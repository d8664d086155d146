// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/difference.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <unordered_map>

#include "manifests/status/counts.h"

namespace opbyop::history {
namespace {

struct Words {
  ChangeKind kind;
  std::string_view name;
  std::string_view title;
};

constexpr std::array kWords = {
    Words{ChangeKind::kBroke, "broke", "broke"},
    Words{ChangeKind::kUnsupported, "unsupported", "unsupported now"},
    Words{ChangeKind::kLost, "lost", "verdict lost"},
    Words{ChangeKind::kSlower, "slower", "slower"},
    Words{ChangeKind::kWorse, "worse", "less exact"},
    Words{ChangeKind::kMoved, "moved", "fails differently"},
    Words{ChangeKind::kNew, "new", "new"},
    Words{ChangeKind::kGone, "gone", "gone"},
    Words{ChangeKind::kFixed, "fixed", "fixed"},
    Words{ChangeKind::kFaster, "faster", "faster"},
    Words{ChangeKind::kBetter, "better", "more exact"},
};
static_assert(std::ranges::equal(kWords, kAllChanges, {}, &Words::kind));

enum class Standing { kGreen, kRed, kUnsupported, kSilent, kExpected };

Standing StandingOf(Status status) {
  if (IsProblem(status)) return Standing::kRed;
  if (status == Status::kUnsupported) return Standing::kUnsupported;
  if (status == Status::kExpectedFail) return Standing::kExpected;
  return IsUnjudged(status) ? Standing::kSilent : Standing::kGreen;
}

// The kind of change between the statuses of a row that both runs have.
std::optional<ChangeKind> StatusChange(const SnapshotRow& before, const SnapshotRow& after) {
  const Standing was = StandingOf(before.status);
  const Standing is = StandingOf(after.status);
  if (was == is) {
    if (is == Standing::kGreen || before.cause == after.cause) return std::nullopt;
    return ChangeKind::kMoved;
  }
  switch (is) {
    case Standing::kRed:
      return ChangeKind::kBroke;
    case Standing::kUnsupported:
      return ChangeKind::kUnsupported;
    case Standing::kGreen:
      return ChangeKind::kFixed;
    case Standing::kSilent:
      return ChangeKind::kLost;
    case Standing::kExpected:
      return was == Standing::kGreen ? ChangeKind::kLost : ChangeKind::kMoved;
  }
  return std::nullopt;
}

class Comparer {
 public:
  Comparer(const Snapshot& before, const Snapshot& after, const DifferenceOptions& options)
      : before_(before), after_(after), options_(options) {
    if (before.key != 0 && after.key != 0) {
      JoinCases([](const SnapshotCase& c) { return c.key; });
    } else {
      JoinCases([](const SnapshotCase& c) -> std::string_view { return c.id; });
    }
    difference_.before = &before;
    difference_.after = &after;
  }

  Expected<Difference> Run(const EarlierTimes& earlier) {
    JoinRows();
    CompareNumbers();
    if (const Expected<void> done = CompareTimes(earlier); !done) return Unexpected(done.error());
    for (std::vector<Change>& changes : changes_) {
      difference_.changes.insert(difference_.changes.end(), changes.begin(), changes.end());
    }
    return std::move(difference_);
  }

 private:
  template <class KeyOf>
  void JoinCases(const KeyOf& key_of) {
    std::unordered_map<std::invoke_result_t<KeyOf, const SnapshotCase&>, size_t> cases;
    cases.reserve(before_.cases.size());
    for (size_t i = 0; i < before_.cases.size(); ++i) cases.emplace(key_of(before_.cases[i]), i);
    case_before_.reserve(after_.cases.size());
    for (const SnapshotCase& c : after_.cases) {
      const auto found = cases.find(key_of(c));
      case_before_.push_back(found == cases.end() ? std::nullopt : std::optional(found->second));
    }
  }

  void JoinRows() {
    // The rows of the earlier run that are not matched yet, by case: a case is in few models.
    std::vector<std::vector<const SnapshotRow*>> left(before_.cases.size());
    for (const SnapshotRow& row : before_.rows) left[row.case_index].push_back(&row);
    pairs_.resize(after_.cases.size());
    for (const SnapshotRow& row : after_.rows) {
      const SnapshotRow* before = nullptr;
      if (const std::optional<size_t> c = case_before_[row.case_index]) {
        const auto found = std::ranges::find(left[*c], row.model, &SnapshotRow::model);
        if (found != left[*c].end()) {
          before = *found;
          left[*c].erase(found);
        }
      }
      if (!before) {
        if (!before_.partial) Add({ChangeKind::kNew, nullptr, &row});
        continue;
      }
      if (before->up_to_machine && row.up_to_machine) {
        difference_.up_to_machine += before->status == row.status ? 0 : 1;
      } else if (const auto kind = StatusChange(*before, row)) {
        Add({*kind, before, &row});
      }
      pairs_[row.case_index].emplace_back(before, &row);
    }
    if (after_.partial) return;
    for (const SnapshotRow& row : before_.rows) {
      if (std::ranges::find(left[row.case_index], &row) != left[row.case_index].end()) {
        Add({ChangeKind::kGone, &row, nullptr});
      }
    }
  }

  void Add(const Change& change) { changes_[static_cast<size_t>(change.kind)].push_back(change); }

  // A change of a case counts for all its rows.
  void AddToRows(size_t case_index, const Change& change) {
    for (const auto& [before, after] : pairs_[case_index]) {
      Change copy = change;
      copy.before = before;
      copy.after = after;
      Add(copy);
    }
  }

  // The case of the earlier run, or nullptr if that run lacks it.
  const SnapshotCase* Before(size_t case_index) const {
    const std::optional<size_t> before = case_before_[case_index];
    return !before || pairs_[case_index].empty() ? nullptr : &before_.cases[*before];
  }

  void CompareNumbers() {
    for (size_t i = 0; i < after_.cases.size(); ++i) {
      const SnapshotCase* before = Before(i);
      const double now = after_.cases[i].bound_ratio;
      if (!before || before->bound_ratio < 0 || now < 0) continue;
      const double was = before->bound_ratio;
      // If the status of a row changed, only that is reported.
      const auto& [row_before, row_after] = pairs_[i].front();
      if (row_before->status != row_after->status) continue;
      Change change;
      change.before_value = was;
      change.after_value = now;
      if (now >= options_.least_ratio && now > was * options_.worse) {
        change.kind = ChangeKind::kWorse;
      } else if (was >= options_.least_ratio && was > now * options_.worse) {
        change.kind = ChangeKind::kBetter;
      } else {
        continue;
      }
      AddToRows(i, change);
    }
  }

  Expected<void> CompareTimes(const EarlierTimes& earlier) {
    if (before_.machine != after_.machine) {
      difference_.untimed = "the runs are of different machines: " + before_.machine + " and " + after_.machine;
      return {};
    }
    std::vector<TimedCase> timed;
    std::vector<size_t> indices;
    for (size_t i = 0; i < after_.cases.size(); ++i) {
      const SnapshotCase* before = Before(i);
      const SnapshotCase& after = after_.cases[i];
      if (!before || before->n == 0 || after.n == 0) continue;
      timed.push_back({before->median_us, after.median_us, before->min_us, after.min_us, before->n, after.n, {}});
      indices.push_back(i);
    }
    if (timed.empty()) {
      difference_.untimed = "no case was timed in both runs";
      return {};
    }
    difference_.drift = MeasureDrift(timed);
    std::vector<size_t> candidates, asked;
    for (size_t k = 0; k < timed.size(); ++k) {
      if (!IsCandidate(timed[k], difference_.drift, options_.time)) continue;
      candidates.push_back(k);
      asked.push_back(*case_before_[indices[k]]);
    }
    if (earlier && !asked.empty()) {
      Expected<std::vector<std::vector<double>>> times = earlier(asked);
      if (!times) return Unexpected(times.error());
      for (size_t j = 0; j < candidates.size(); ++j) timed[candidates[j]].earlier = std::move((*times)[j]);
    }
    for (const size_t k : candidates) {
      const TimeVerdict verdict = Judge(timed[k], difference_.drift, options_.time);
      if (verdict.direction == 0) continue;
      Change change;
      change.kind = verdict.direction > 0 ? ChangeKind::kSlower : ChangeKind::kFaster;
      change.before_value = timed[k].before_us;
      change.after_value = timed[k].after_us;
      change.confidence = verdict.confidence;
      AddToRows(indices[k], change);
    }
    return {};
  }

  const Snapshot& before_;
  const Snapshot& after_;
  const DifferenceOptions& options_;
  std::vector<std::optional<size_t>> case_before_;  // by case of `after_`: its index in `before_`
  std::vector<std::vector<std::pair<const SnapshotRow*, const SnapshotRow*>>> pairs_;  // by case of `after_`
  std::array<std::vector<Change>, kAllChanges.size()> changes_;                        // by kind
  Difference difference_;
};

}  // namespace

std::string_view ToString(ChangeKind kind) { return kWords[static_cast<size_t>(kind)].name; }

std::string_view TitleOf(ChangeKind kind) { return kWords[static_cast<size_t>(kind)].title; }

bool IsRegression(const Change& change) {
  switch (change.kind) {
    case ChangeKind::kBroke:
    case ChangeKind::kSlower:
    case ChangeKind::kWorse:
      return true;
    case ChangeKind::kUnsupported:
    case ChangeKind::kLost:
      return change.before->status == Status::kPass;
    default:
      return false;
  }
}

bool Difference::regressed() const { return std::ranges::any_of(changes, IsRegression); }

Expected<Difference> Compare(const Snapshot& before, const Snapshot& after, const DifferenceOptions& options,
                             const EarlierTimes& earlier) {
  return Comparer(before, after, options).Run(earlier);
}

}  // namespace opbyop::history
