// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The status of a row, the same for workers, results, baselines and reports.
//
//   Status s = ParseStatus("timeout").value();
//   IsProblem(s);   // true
#ifndef OPBYOP_MANIFESTS_STATUS_STATUS_H_
#define OPBYOP_MANIFESTS_STATUS_STATUS_H_

#include <array>
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

inline constexpr std::array kAllStatuses = {
    Status::kPass,        Status::kFail,         Status::kImprecise,      Status::kCrash,   Status::kTimeout,
    Status::kOutOfMemory, Status::kUnsupported,  Status::kInconclusive,   Status::kSkipped, Status::kFlaky,
    Status::kMissing,     Status::kExpectedFail, Status::kUnexpectedPass,
};

// Returns "pass", "out_of_memory", "expected_fail", ...
std::string_view ToString(Status status);
// Also reads `mistrusted`, the old name of `inconclusive`.
std::optional<Status> ParseStatus(std::string_view text);

// True for the statuses that make a run red: fail, imprecise, crash, timeout, out_of_memory, flaky, missing,
// unexpected_pass. unsupported, inconclusive and skipped are shown and counted; they are neither red nor passes.
bool IsProblem(Status status);

// True for the statuses that a worker may report for a stage. flaky, missing, expected_fail and unexpected_pass are
// excluded: they are judgements over several runs. crash, timeout and out_of_memory are those of a tool that the worker
// ran.
bool IsWorkerStatus(Status status);

// True for the statuses that a baseline entry may expect: fail, imprecise, crash, timeout and out_of_memory.
bool IsFailure(Status status);

// True if the worker died before it answered: crash, timeout and out_of_memory.
bool IsDeath(Status status);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_STATUS_STATUS_H_
