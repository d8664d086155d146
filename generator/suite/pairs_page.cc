// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fmt/format.h>

#include "generator/suite/pairs.h"
#include "ir/op_info.h"

namespace opbyop::generator {
namespace {

// "12 with `add`, `slice` and 3 more", or why there is none.
std::string SideText(const std::string& op, const std::map<std::string, PairSide>& sides,
                     const std::map<std::string, std::string>& reasons) {
  const auto side = sides.find(op);
  if (side == sides.end()) {
    const auto reason = reasons.find(op);
    return "none: " + (reason == reasons.end() ? std::string("**no reason is stated**") : reason->second);
  }
  constexpr size_t kMostNamed = 4;
  std::string names;
  size_t named = 0;
  for (const std::string& partner : side->second.partners) {
    if (named++ == kMostNamed) break;
    names += fmt::format("{}`{}`", named == 1 ? "" : ", ", ShortName(partner));
  }
  if (named > kMostNamed) names += fmt::format(" and {} more", side->second.partners.size() - kMostNamed);
  return fmt::format("{} with {}", side->second.programs, names);
}

}  // namespace

std::string PairsPage(const Suite& suite, const Pairs& pairs) {
  std::string page = fmt::format(
      "# Pairs of the suite\n\n"
      "Written by `opbyop suite {} --pairs --coverage docs/pairs.md`; a test fails if it is out of date. "
      "[The suite](design/suite.md#pairs) says how pairs are chosen.\n\n"
      "Level smoke of {} {} has {} pairs, beside the {} single ops that they consist of.\n\n"
      "| rule | programs |\n|---|---:|\n",
      suite.name, suite.name, suite.version, pairs.Count(), pairs.result.manifest.cases.size() - pairs.Count());
  for (const PairRule& rule : pairs.rules.rules) {
    const auto programs = pairs.by_rule.find(rule.name);
    page += fmt::format("| {} | {} |\n", rule.name, programs == pairs.by_rule.end() ? 0 : programs->second);
  }
  page +=
      "\nA program that several rules choose counts for each of them.\n\n"
      "| op | programs in which it is first | programs in which it is second |\n|---|---|---|\n";
  for (const OpInfo& info : AllOps()) {
    const std::string op = info.name.str();
    if (!op.starts_with("stablehlo.") && !op.starts_with("chlo.")) continue;
    page += fmt::format("| `{}` | {} | {} |\n", ShortName(op), SideText(op, pairs.as_first, pairs.rules.never_first),
                        SideText(op, pairs.as_second, pairs.rules.never_second));
  }
  return page;
}

}  // namespace opbyop::generator
