// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A profile without a device: every op of a model compiled once on a target, its time what the compiler estimates.
//
//   Expected<ProfileResult> result = EstimateModel({.model = source, .target = target, .output = "out/profile/ffnn"});
//   // out/profile/ffnn/optrace.ndjson: mode and clock `estimate`, an execution per op and call site, end to end
//
// The estimate is `optimal_seconds` of the worker's `cost` (docs/worker-protocol.md). Nothing is executed, so there are
// no transfers, no comparisons, and of ops in loops one trip.
#ifndef OPBYOP_CHAINED_ESTIMATE_RUN_H_
#define OPBYOP_CHAINED_ESTIMATE_RUN_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "chained/profile_run.h"
#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop::chained {

// The key of ProfileResult::totals for ops that compile and have no estimate.
inline constexpr std::string_view kUnknown = "unknown";

// The compiler's estimate of a case's time; nullopt where it has none. XLA says -3 where it cannot count, and 0 where
// it knows no rate of its device.
std::optional<int64_t> EstimatedPs(const CaseRecord& record);

// Takes these of ProfileOptions: model, target, output, cases, manifest, command, whole_model, the peaks, `say`,
// `progress` and `stop`. kUnsupported if no case has an estimate, and then no trace is left.
Expected<ProfileResult> EstimateModel(const ProfileOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_ESTIMATE_RUN_H_
