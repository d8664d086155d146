// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/suite_versions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "support/text/count_text.h"

namespace opbyop::reports {
namespace {

// A manifest from before there were digests may have any list of cases of its version.
bool IsSame(const SuiteInfo& a, const SuiteInfo& b) {
  return a.name == b.name && a.version == b.version && a.level == b.level &&
         (a.digest == b.digest || a.digest.empty() || b.digest.empty());
}

std::string NameOf(const std::optional<SuiteInfo>& suite) {
  if (!suite) return "models";
  const std::string digest = suite->digest.empty() ? "" : fmt::format(" ({})", suite->digest.substr(0, 8));
  return fmt::format("{} {} {}{}", suite->name, suite->version, suite->level, digest);
}

}  // namespace

std::string KeepComparable(const std::vector<ComparedRun>& runs, std::vector<ComparedCase>& cases) {
  if (runs.empty()) return "";
  const auto suite_of = [](const ComparedRun& run) -> const std::optional<SuiteInfo>& {
    return run.view->manifest->suite;
  };
  const std::optional<SuiteInfo>& first = suite_of(runs.front());
  const bool all_same = std::ranges::all_of(runs, [&](const ComparedRun& run) {
    const std::optional<SuiteInfo>& suite = suite_of(run);
    return suite.has_value() == first.has_value() && (!suite || IsSame(*suite, *first));
  });
  if (all_same) return "";
  const size_t all = cases.size();
  std::erase_if(cases, [](const ComparedCase& compared) {
    return std::ranges::any_of(compared.outcomes, [](const auto& outcome) { return !outcome; });
  });
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) names.push_back(NameOf(suite_of(run)));
  return fmt::format(
      "The runs are not of one suite and version: {}. Compared are the {} that all of them have; {} left out.",
      fmt::join(names, ", "), CountText(cases.size(), "case"),
      all - cases.size() == 1 ? "1 other is" : fmt::format("{} others are", all - cases.size()));
}

}  // namespace opbyop::reports
