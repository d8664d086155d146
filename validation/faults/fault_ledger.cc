// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/fault_ledger.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "manifests/formats/json.h"

namespace opbyop {
namespace {

nlohmann::ordered_json ToJson(const CaseFindings& findings, const std::string& policies) {
  nlohmann::ordered_json json = {
      {"case", findings.id}, {"op", findings.op}, {"policies", policies}, {"tried", findings.tried}};
  if (!findings.skipped.empty()) json["skipped"] = findings.skipped;
  if (!findings.flagged.empty()) json["flagged"] = findings.flagged;
  for (const auto& [name, finding] : findings.faults) {
    json["faults"][name] = {finding.policy, ToString(finding.status), EncodeDouble(finding.ratio)};
  }
  return json;
}

// Returns nullopt if the line is none of a ledger for these policies.
std::optional<CaseFindings> Read(std::string_view line, const std::string& policies) try {
  const Expected<nlohmann::json> parsed = ParseJson(line);
  if (!parsed || parsed->at("policies") != policies) return std::nullopt;
  const nlohmann::json& json = *parsed;
  CaseFindings findings{.id = json.at("case"),
                        .op = json.at("op"),
                        .tried = json.at("tried"),
                        .skipped = json.value("skipped", ""),
                        .flagged = json.value("flagged", "")};
  const nlohmann::json faults = json.value("faults", nlohmann::json::object());
  for (const auto& [name, finding] : faults.items()) {
    const Status status = ParseStatus(finding.at(1).get<std::string>()).value_or(Status::kMissing);
    findings.faults[name] = {finding.at(0), status, DecodeDouble(finding.at(2))};
  }
  return findings;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace

Expected<std::unique_ptr<FaultLedger>> FaultLedger::Open(const std::filesystem::path& file, std::string policies) {
  std::unique_ptr<FaultLedger> ledger(new FaultLedger(std::move(policies)));
  Expected<std::unique_ptr<LineLog>> log = LineLog::Open(file, [&](std::string_view line) {
    // A line that was cut off by a kill does not count: the case is run again.
    if (const std::optional<CaseFindings> findings = Read(line, ledger->policies_)) ledger->Merge(*findings);
  });
  if (!log) return Unexpected(log.error());
  ledger->log_ = std::move(*log);
  return ledger;
}

void FaultLedger::Merge(const CaseFindings& findings) {
  CaseFindings& all = cases_[findings.id];
  all.id = findings.id;
  all.op = findings.op;
  all.skipped = findings.skipped;
  all.flagged = findings.flagged;
  all.tried.insert(findings.tried.begin(), findings.tried.end());
  for (const auto& [name, finding] : findings.faults) all.faults[name] = finding;
}

std::vector<const fault_injection::Fault*> FaultLedger::Left(const std::string& id,
                                                             const std::vector<const fault_injection::Fault*>& faults) {
  const std::scoped_lock lock(mutex_);
  const auto found = cases_.find(id);
  if (found == cases_.end()) return faults;
  std::vector<const fault_injection::Fault*> left;
  std::ranges::copy_if(faults, std::back_inserter(left),
                       [&](const fault_injection::Fault* fault) { return !found->second.tried.contains(fault->name); });
  return left;
}

Expected<void> FaultLedger::Append(const CaseFindings& findings) {
  const std::scoped_lock lock(mutex_);
  Merge(findings);
  return log_->Append(DumpLine(ToJson(findings, policies_)));
}

}  // namespace opbyop
