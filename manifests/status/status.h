// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The status of a row, the same for workers, results, baselines and reports.
//
//   Status s = ParseStatus("timeout").value();
//   IsProblem(s);   // true
#ifndef OPBYOP_MANIFESTS_STATUS_STATUS_H_
#define OPBYOP_MANIFESTS_STATUS_STATUS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace opbyop {

enum class Status {
  kPass,
  kFail,            // a stage gave a diagnostic, or the numbers are wrong
  kImprecise,       // within the worst-case bounds, but with errors beyond rounding in the promised precision
  kCrash,           // the worker died of a signal or exited without an answer
  kTimeout,         // a stage exceeded its limit
  kOutOfMemory,     // the worker exceeded its memory limit
  kUnsupported,     // the target itself reports that, with a reason
  kInconclusive,    // a pass that proves nothing: constant output, op folded away, no run-time input
  kSkipped,         // not run, with a reason
  kFlaky,           // failed, then passed alone in a fresh worker
  kMissing,         // in the manifest, not in the results
  kExpectedFail,    // failed as the baseline says
  kUnexpectedPass,  // passed although the baseline says that it fails
};

// Traits of a status, which has any number of them.
enum StatusTrait : unsigned {
  kOfWorker = 1,   // a worker may report it for a stage
  kDeath = 2,      // the worker died before it answered
  kFailure = 4,    // a baseline entry may expect it
  kProblem = 8,    // makes a run red
  kUnjudged = 16,  // shows neither that the target is right nor that it is wrong
  kBlocking = 32,  // a model with such a row is not ready
};

struct StatusFacts {
  Status status;
  std::string_view name;
  unsigned traits;  // of StatusTrait
};

// The table of statuses, in their order. validation/repository/tables_test.py compares what other languages say of them
// with it.
inline constexpr auto kStatusTable = std::to_array<StatusFacts>({
    {Status::kPass, "pass", kOfWorker},
    {Status::kFail, "fail", kOfWorker | kFailure | kProblem | kBlocking},
    {Status::kImprecise, "imprecise", kOfWorker | kFailure | kProblem | kBlocking},
    {Status::kCrash, "crash", kOfWorker | kDeath | kFailure | kProblem | kBlocking},
    {Status::kTimeout, "timeout", kOfWorker | kDeath | kFailure | kProblem | kBlocking},
    {Status::kOutOfMemory, "out_of_memory", kOfWorker | kDeath | kFailure | kProblem | kBlocking},
    {Status::kUnsupported, "unsupported", kOfWorker | kUnjudged | kBlocking},
    {Status::kInconclusive, "inconclusive", kOfWorker | kUnjudged},
    {Status::kSkipped, "skipped", kOfWorker | kUnjudged},
    {Status::kFlaky, "flaky", kProblem | kBlocking},
    {Status::kMissing, "missing", kProblem | kBlocking},
    {Status::kExpectedFail, "expected_fail", kBlocking},
    {Status::kUnexpectedPass, "unexpected_pass", kProblem | kBlocking},
});

inline constexpr auto kAllStatuses = [] {
  std::array<Status, kStatusTable.size()> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = kStatusTable[i].status;
  return all;
}();

// Returns "pass", "out_of_memory", "expected_fail", ...
std::string_view ToString(Status status);
// Also reads `mistrusted`, the old name of `inconclusive`.
std::optional<Status> ParseStatus(std::string_view text);

constexpr bool HasTrait(Status status, StatusTrait trait) {
  return (kStatusTable.at(static_cast<size_t>(status)).traits & trait) != 0;
}

// True for the statuses that make a run red. unsupported, inconclusive and skipped are shown and counted; they are
// neither red nor passes.
constexpr bool IsProblem(Status status) { return HasTrait(status, kProblem); }

// True for the statuses that a worker may report for a stage. flaky, missing, expected_fail and unexpected_pass are
// excluded: they are judgements over several runs. crash, timeout and out_of_memory are those of a tool that the worker
// ran.
constexpr bool IsWorkerStatus(Status status) { return HasTrait(status, kOfWorker); }

// True for the statuses that a baseline entry may expect.
constexpr bool IsFailure(Status status) { return HasTrait(status, kFailure); }

// True if the worker died before it answered.
constexpr bool IsDeath(Status status) { return HasTrait(status, kDeath); }

// True for unsupported, inconclusive and skipped: the row shows neither that the target is right nor that it is wrong.
constexpr bool IsUnjudged(Status status) { return HasTrait(status, kUnjudged); }

// True if a model with such a row is not ready: the row is red, expected to fail, or unsupported.
constexpr bool IsBlocking(Status status) { return HasTrait(status, kBlocking); }

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_STATUS_STATUS_H_
