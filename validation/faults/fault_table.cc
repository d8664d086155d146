// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/fault_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace opbyop {
namespace {

// A fault that shows in one of 50 executions shows in 95.2 % of tries with 150.
constexpr double kRareShare = 0.95;

}  // namespace

FaultTable::FaultTable(const std::map<std::string, CaseFindings>& cases,
                       const std::vector<const fault_injection::Fault*>& faults, std::vector<std::string> policies,
                       const Promise& promise, std::vector<std::string> left_out)
    : policies_(std::move(policies)), left_out_(std::move(left_out)), promise_(promise) {
  for (const fault_injection::Fault* fault : faults) rows_.push_back({.fault = fault});
  for (const auto& [id, findings] : cases) {
    ++cases_;
    skipped_ += !findings.skipped.empty();
    if (!findings.flagged.empty())
      complaints_.push_back(fmt::format("a right device is refused: {}: {}", id, findings.flagged));
    for (Row& row : rows_) {
      const auto found = findings.faults.find(row.fault->name);
      if (found != findings.faults.end()) Count(findings, row, found->second);
    }
  }
  for (const Row& row : rows_) {
    const double asked = kRareShare * static_cast<double>(row.affected);
    if (!row.fault->is_rare() || static_cast<double>(row.red) >= asked) continue;
    complaints_.push_back(
        fmt::format("{} is red in {} of {} tries, less than 95 %", row.fault->name, row.red, row.affected));
  }
}

void FaultTable::Count(const CaseFindings& findings, Row& row, const FaultFinding& finding) {
  ++row.affected;
  const bool red = IsFailure(finding.status);
  row.red += red;
  if (red) ++row.caught[finding.policy];
  if (row.fault->legal) {
    if (red) {
      complaints_.push_back(fmt::format("a control is refused: {} on {} ({}, {:g} of its bound)", row.fault->name,
                                        findings.id, finding.policy, finding.ratio));
    }
    return;
  }
  if (red || row.fault->is_rare()) return;
  if (promise_.Find(row.fault->name, findings.id) != nullptr) {
    ++row.promised;
    return;
  }
  // A difference within a finite bound has a ratio above 0.
  if (row.fault->place && finding.ratio == 0) {
    ++unbounded_;
    return;
  }
  complaints_.push_back(fmt::format("{} escapes on {} ({}, {:.3g} of its bound)", row.fault->name, findings.id,
                                    finding.policy, finding.ratio));
}

std::string FaultTable::Markdown() const {
  std::string head = "| fault | what the device does | cases | red |";
  std::string rule = "|---|---|---|---|";
  for (const std::string& policy : policies_) {
    head += fmt::format(" {} |", policy);
    rule += "---|";
  }
  int64_t faults = 0, pairs = 0, red = 0, promised = 0, whole = 0;
  std::string lines, controls, absent;
  for (const Row& row : rows_) {
    if (row.affected == 0) {
      absent += fmt::format("{}`{}`", absent.empty() ? "" : ", ", row.fault->name);
      continue;
    }
    if (row.fault->legal) {
      controls += fmt::format("| {} | {} | {} | {} |\n", row.fault->name, row.fault->what, row.affected, row.red);
      continue;
    }
    ++faults;
    pairs += row.affected;
    red += row.red;
    promised += row.promised;
    whole += row.red == row.affected;
    lines += fmt::format("| {} | {} | {} | {} |", row.fault->name, row.fault->what, row.affected, row.red);
    for (const std::string& policy : policies_) {
      const auto caught = row.caught.find(policy);
      lines += caught == row.caught.end() ? " |" : fmt::format(" {} |", caught->second);
    }
    lines += "\n";
  }
  std::string text = fmt::format(
      "{} faults on {} cases ({} not judged): {} pairs where the fault changes an output, {} of them "
      "red ({:.2f} %), {} within the promise. {} of the faults are red on every case that they change.\n\n",
      faults, cases_, skipped_, pairs, red,
      pairs == 0 ? 0 : 100.0 * static_cast<double>(red) / static_cast<double>(pairs), promised, whole);
  if (unbounded_ > 0) {
    text += fmt::format("{} more change only elements for which the pair has no finite bound.\n\n", unbounded_);
  }
  if (!left_out_.empty()) text += fmt::format("Not run: `{}`.\n\n", fmt::join(left_out_, "`, `"));
  text += head + "\n" + rule + "\n" + lines;
  text +=
      "\nControls, which a right device may do:\n\n| control | what the device does | cases | red "
      "|\n|---|---|---|---|\n" +
      controls;
  text += "\nWithin the promise:\n\n| fault | cases | how many | proof |\n|---|---|---|---|\n";
  for (const Promise::Entry& entry : promise_.entries()) {
    text += fmt::format("| {} | `{}` | {} | {} |\n", fmt::join(entry.faults, ", "), fmt::join(entry.cases, "`, `"),
                        entry.used, entry.proof);
  }
  if (!absent.empty())
    text += "\nNone of these cases has what these spoil (the table of small cases has them): " + absent + ".\n";
  return text;
}

}  // namespace opbyop
