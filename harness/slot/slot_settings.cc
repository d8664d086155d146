// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/slot_settings.h"

#include "harness/inputs/made_twin.h"

namespace opbyop::harness {

std::string StageThatMade(const MadeBy& made_by, const Case& c) {
  if (made_by.empty() || c.origins.empty()) return "";
  const auto found = made_by.find(c.origins.front().model);
  return found == made_by.end() ? "" : found->second;
}

bool MakesTwin(const Case& c, const SlotSettings& settings) {
  if (!settings.makes_twins || settings.saves != nullptr || settings.compiled != nullptr) return false;
  return MayHaveMadeTwin(c) && !settings.twins.contains(&c) && StageThatMade(settings.made_by, c).empty();
}

}  // namespace opbyop::harness
