// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/conformance_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "manifests/results/comparison_verdict.h"
#include "support/text/safe_text.h"

namespace opbyop::harness {
namespace {

constexpr size_t kShownLogLines = 8;

std::string Signature(const std::vector<TensorType>& types) {
  std::vector<std::string> texts;
  texts.reserve(types.size());
  for (const TensorType& type : types) texts.push_back(fmt::format("{}[{}]", type.dtype, fmt::join(type.shape, ",")));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

ConformanceRun* Conformance::run_ = nullptr;

void PrintTo(const RowParam& param, std::ostream* out) {
  const Case& c = *param.row->c;
  const std::string target = c.target.empty() ? "" : " @" + c.target;
  *out << SafeText(
      fmt::format("{}{} ({}) -> {}", c.op, target, Signature(c.inputs.items()), Signature(c.outputs.items())));
}

std::vector<RowParam> Conformance::Rows() {
  std::vector<RowParam> params;
  if (run_ == nullptr) return params;
  params.reserve(run_->rows().size());
  for (const Row& row : run_->rows()) params.push_back({&row});
  return params;
}

std::vector<std::pair<std::string, std::string>> RowProperties(const Row& row, const RowOutcome& outcome) {
  const CaseRecord& record = *outcome.record;
  std::vector<std::pair<std::string, std::string>> properties = {
      {"op", row.c->op},       {"model", row.model},
      {"case", row.c->id},     {"outcome", std::string(ToString(outcome.status))},
      {"stage", record.stage}, {"reason", outcome.diagnostic},
      {"repro", record.repro}};
  if (std::string unjudged = UnjudgedPolicies(record); !unjudged.empty()) {
    properties.emplace_back("unjudged", std::move(unjudged));
  }
  return properties;
}

std::string Conformance::Name(const testing::TestParamInfo<RowParam>& info) { return RowName(*info.param.row); }

const RowOutcome& Conformance::Await() {
  outcome_ = run_->Await(*GetParam().row);
  // GoogleTest keeps properties until it ends. This run's own XML is written without them (suites/xml_listener.h).
  if (const std::string output = testing::GTEST_FLAG(output); output.starts_with("json")) {
    for (const auto& [name, value] : RowProperties(*GetParam().row, outcome_)) RecordProperty(name, value);
  }
  return outcome_;
}

testing::AssertionResult Conformance::Failure(const std::string& stage, Status status,
                                              const std::string& diagnostic) const {
  const CaseRecord& record = *outcome_.record;
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << (stage.empty() ? "" : stage + ": ") << ToString(status) << ": " << diagnostic;
  if (!record.repro.empty() && status != Status::kMissing) failure << "\nrepro: " << record.repro;
  if (const Differential& second = record.differential; !second.target.empty()) {
    failure << "\ndifferential run: " << Describe(second);
  }
  // Leave out lines that repeat the diagnostic above.
  std::vector<std::string> log = record.stderr_tail;
  std::erase_if(log,
                [&](const std::string& line) { return !line.empty() && diagnostic.find(line) != std::string::npos; });
  if (log.size() > kShownLogLines) log.erase(log.begin(), log.end() - static_cast<ptrdiff_t>(kShownLogLines));
  if (!log.empty()) failure << "\nlast lines of the worker:";
  for (const std::string& line : log) failure << "\n  | " << line;
  return failure;
}

testing::AssertionResult Conformance::Passed(const char*, const std::string& stage) const {
  const CaseRecord& record = *outcome_.record;
  const auto found = std::ranges::find(record.stages, stage, &StageRecord::name);
  if (found != record.stages.end() && found->status == Status::kPass) return testing::AssertionSuccess();
  // Use the record's diagnostic if this stage is blamed, or if it was never reached.
  if (found == record.stages.end() || stage == record.stage) {
    return Failure(record.stage, outcome_.status, outcome_.diagnostic);
  }
  return Failure(stage, found->status, found->diagnostic);
}

testing::AssertionResult Conformance::Accepted(const char*, const std::vector<Comparison>& comparisons) const {
  for (const Comparison& comparison : comparisons) {
    if (comparison.accepted) continue;
    return Failure(std::string(kCompareStage), Status::kFail,
                   fmt::format("{}: {} of {} elements are wrong ({})", NameOfOutput(comparison), comparison.mismatches,
                               comparison.elements, comparison.rule));
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult Conformance::Green(const char*, const Status& status) const {
  if (!IsProblem(status) && !run_->options().demands.Fails(status)) return testing::AssertionSuccess();
  const CaseRecord& record = *outcome_.record;
  if (status == Status::kUnexpectedPass) {
    const BaselineEntry& entry = *outcome_.baseline;
    return Failure("", status,
                   fmt::format("the baseline says that it fails in stage {} ({}); remove its entry at line {}",
                               entry.stage, entry.reason, entry.line));
  }
  return Failure(record.stage, status, outcome_.diagnostic);
}

bool Conformance::IsUnjudged() const {
  return opbyop::IsUnjudged(outcome_.status) && !run_->options().demands.Fails(outcome_.status);
}

std::string Conformance::reason() const {
  const CaseRecord& record = *outcome_.record;
  return fmt::format("{}{}: {}", ToString(outcome_.status), record.stage.empty() ? "" : " in " + record.stage,
                     outcome_.diagnostic);
}

}  // namespace opbyop::harness
