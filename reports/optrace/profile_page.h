// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes profile.html: one self-contained page with all views of a trace. It works from file:// and without a network.
//
//   WriteFile("profile.html", ProfilePage(trace));
//   WriteFile("compare.html", ProfilePage(candidate, &base));
//
// The page's script and style are built from reports/web/src/profile and compiled in.
#ifndef OPBYOP_REPORTS_OPTRACE_PROFILE_PAGE_H_
#define OPBYOP_REPORTS_OPTRACE_PROFILE_PAGE_H_

#include <string>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

std::string ProfilePage(const Trace& trace, const Trace* base = nullptr);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_PROFILE_PAGE_H_
