// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Profiles a model without a device: compiles every op once on a target and takes the compiler's estimate as its time.
//
//   Expected<ProfileResult> result = EstimateModel({.model = source, .target = target, .output = "out/profile/ffnn"});
//   // out/profile/ffnn/optrace.ndjson: mode and clock `estimate`, an execution per op and call site, end to end
//
// The estimate is `optimal_seconds` of the worker's `cost` (docs/worker-protocol.md). Nothing is executed: there are no
// transfers and no comparisons, and ops in loops have one trip.
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

// The compiler's estimate of a case's time; nullopt if it has none. XLA reports -3 if it cannot count, and 0 if it does
// not know the speed of its device.
std::optional<int64_t> EstimatedPs(const CaseRecord& record);

// Uses these of ProfileOptions: model, target, output, cases, manifest, command, whole_model, the peaks, `say`,
// `progress` and `stop`. Returns kUnsupported, and leaves no trace, if no case has an estimate.
Expected<ProfileResult> EstimateModel(const ProfileOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_ESTIMATE_RUN_H_
