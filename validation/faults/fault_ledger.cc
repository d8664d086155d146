#include "validation/faults/fault_ledger.h"

#include <string_view>
#include <utility>

#include "manifests/json.h"

namespace opbyop {
namespace {

nlohmann::ordered_json ToJson(const CaseFindings& findings) {
  nlohmann::ordered_json json = {{"case", findings.id}, {"op", findings.op}, {"tried", findings.tried}};
  if (!findings.skipped.empty()) json["skipped"] = findings.skipped;
  if (!findings.accused.empty()) json["accused"] = findings.accused;
  for (const auto& [name, finding] : findings.faults) {
    json["faults"][name] = {finding.policy, ToString(finding.status), EncodeDouble(finding.ratio)};
  }
  return json;
}

// Throws json::exception for what is no line of a ledger.
CaseFindings FromJson(const nlohmann::json& json) {
  CaseFindings findings{.id = json.at("case"),
                        .op = json.at("op"),
                        .tried = json.at("tried"),
                        .skipped = json.value("skipped", ""),
                        .accused = json.value("accused", "")};
  const nlohmann::json faults = json.value("faults", nlohmann::json::object());
  for (const auto& [name, finding] : faults.items()) {
    const Status status = ParseStatus(finding.at(1).get<std::string>()).value_or(Status::kMissing);
    findings.faults[name] = {finding.at(0), status, DecodeDouble(finding.at(2))};
  }
  return findings;
}

}  // namespace

Expected<std::unique_ptr<FaultLedger>> FaultLedger::Open(const std::filesystem::path& file) {
  auto ledger = std::make_unique<FaultLedger>();
  Expected<std::unique_ptr<LineLog>> log = LineLog::Open(file, [&](std::string_view line) {
    const Expected<nlohmann::json> json = ParseJson(line);
    if (!json) return;  // cut short by a kill: the case is run again
    try {
      CaseFindings findings = FromJson(*json);
      ledger->cases_[findings.id] = std::move(findings);
    } catch (const nlohmann::json::exception&) {  // as above
    }
  });
  if (!log) return Unexpected(log.error());
  ledger->log_ = std::move(*log);
  return ledger;
}

bool FaultLedger::Has(const std::string& id, const std::string& tried) {
  const std::scoped_lock lock(mutex_);
  const auto found = cases_.find(id);
  return found != cases_.end() && found->second.tried == tried;
}

Expected<void> FaultLedger::Append(CaseFindings findings) {
  const std::scoped_lock lock(mutex_);
  Expected<void> done = log_->Append(DumpLine(ToJson(findings)));
  cases_[findings.id] = std::move(findings);
  return done;
}

}  // namespace opbyop
