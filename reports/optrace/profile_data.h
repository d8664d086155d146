// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What profile.html embeds: header, ops with their times, operator tables for each grouping and scope, timeline,
// output comparisons, insights and, beside a base trace, the differences. The frontend's src/profile/data.ts has its
// types.
//
//   page += ProfileData(trace).dump();
#ifndef OPBYOP_REPORTS_OPTRACE_PROFILE_DATA_H_
#define OPBYOP_REPORTS_OPTRACE_PROFILE_DATA_H_

#include <nlohmann/json_fwd.hpp>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// `base`: nullptr where there is nothing to compare with.
nlohmann::json ProfileData(const Trace& trace, const Trace* base = nullptr);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_PROFILE_DATA_H_
