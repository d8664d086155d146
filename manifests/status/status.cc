// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/status.h"

namespace opbyop {

std::string_view ToString(Status status) {
  switch (status) {
    case Status::kPass:
      return "pass";
    case Status::kFail:
      return "fail";
    case Status::kImprecise:
      return "imprecise";
    case Status::kCrash:
      return "crash";
    case Status::kTimeout:
      return "timeout";
    case Status::kOutOfMemory:
      return "out_of_memory";
    case Status::kUnsupported:
      return "unsupported";
    case Status::kInconclusive:
      return "inconclusive";
    case Status::kSkipped:
      return "skipped";
    case Status::kFlaky:
      return "flaky";
    case Status::kMissing:
      return "missing";
    case Status::kExpectedFail:
      return "expected_fail";
    case Status::kUnexpectedPass:
      return "unexpected_pass";
  }
  return "missing";
}

std::optional<Status> ParseStatus(std::string_view text) {
  for (const Status status : kAllStatuses) {
    if (ToString(status) == text) return status;
  }
  if (text == "mistrusted") return Status::kInconclusive;  // old name, in older files
  return std::nullopt;
}

bool IsDeath(Status status) {
  return status == Status::kCrash || status == Status::kTimeout || status == Status::kOutOfMemory;
}

bool IsFailure(Status status) { return status == Status::kFail || status == Status::kImprecise || IsDeath(status); }

bool IsWorkerStatus(Status status) {
  return status != Status::kFlaky && status != Status::kMissing && status != Status::kExpectedFail &&
         status != Status::kUnexpectedPass;
}

bool IsProblem(Status status) {
  return IsFailure(status) || status == Status::kFlaky || status == Status::kMissing ||
         status == Status::kUnexpectedPass;
}

}  // namespace opbyop
