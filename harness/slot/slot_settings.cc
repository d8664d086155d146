// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/slot_settings.h"

namespace opbyop::harness {

std::string StageThatMade(const MadeBy& made_by, const Case& c) {
  if (made_by.empty() || c.origins.empty()) return "";
  const auto found = made_by.find(c.origins.front().model);
  return found == made_by.end() ? "" : found->second;
}

}  // namespace opbyop::harness
