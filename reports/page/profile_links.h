// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the profiles near a report (docs/profile.md), so that its page can link to them.
//
//   ProfileLinks links = FindProfiles(view, "out/nightly");
//   links["resnet50"].href      // "../profile/resnet50/profile.html", relative to the folder
#ifndef OPBYOP_REPORTS_PAGE_PROFILE_LINKS_H_
#define OPBYOP_REPORTS_PAGE_PROFILE_LINKS_H_

#include <filesystem>
#include <map>
#include <string>

#include "reports/view/rows.h"

namespace opbyop::reports {

struct ProfileLink {
  std::string href;
  std::string target;  // the target that was profiled; empty if its record does not say
};

using ProfileLinks = std::map<std::string, ProfileLink>;  // by model; models without a profile are left out

// Looks in the folders that `opbyop run --mode=chained` and `opbyop profile` write. Prefers a profile of the report's
// own target.
ProfileLinks FindProfiles(const View& view, const std::filesystem::path& folder);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PROFILE_LINKS_H_
