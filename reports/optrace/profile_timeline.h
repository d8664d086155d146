// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The timeline in profile.html's data: rows of slices as arrays of numbers, labels by number, and bounds for ops whose
// times are not exact.
#ifndef OPBYOP_REPORTS_OPTRACE_PROFILE_TIMELINE_H_
#define OPBYOP_REPORTS_OPTRACE_PROFILE_TIMELINE_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// A page with more slices than this opens slowly; neighbours are then drawn as one, and the page says so.
inline constexpr int64_t kMostSlices = 600'000;

// {"labels": ["dot_general.1", ...], "merged": slices drawn as parts of others, "rows": [{
//    "section", "title", "device", "core",
//    "s": starts, each as the distance to the one before it, "d": durations in ps,
//    "n": labels; -1-k stands for "f"[k]
//    "f": [kind, members...]: kind 0 fused, 1 a window of the clock, 2 [count] neighbours drawn as one
//    "b": [label, first slice, last slice, then for the drawn slices and for the clock each:
//          start exact, duration exact, start min, start max, duration min, duration max]}]}
nlohmann::json TimelineData(const Trace& trace, int64_t most_slices = kMostSlices);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_PROFILE_TIMELINE_H_
