// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data that profile.html embeds: header, ops with their times, operator tables for each grouping and scope,
// timeline, output comparisons, insights and, if there is a base trace, the differences to it. The frontend's
// src/profile/data.ts has its types.
//
//   page += ProfileData(trace).dump();
#ifndef OPBYOP_REPORTS_OPTRACE_PROFILE_DATA_H_
#define OPBYOP_REPORTS_OPTRACE_PROFILE_DATA_H_

#include <nlohmann/json_fwd.hpp>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// `base` is nullptr if there is nothing to compare with.
nlohmann::json ProfileData(const Trace& trace, const Trace* base = nullptr);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_PROFILE_DATA_H_
