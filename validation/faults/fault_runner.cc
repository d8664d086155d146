// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/fault_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "device/partition/partition.h"
#include "ir/read_module.h"
#include "support/files/file.h"
#include "validation/fault_injection/faulty_device.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// MLIR never frees types and attributes, so a context is replaced after this many programs.
constexpr int kProgramsPerContext = 500;
constexpr std::string_view kNone = "none";
// Executions of one compilation, for a fault that shows rarely. It shows in none of them in 4.8 of 100 tries.
constexpr int kExecutionsOfRare = 150;

double GreatestRatio(const CaseRecord& record) {
  double ratio = 0;
  for (const Comparison& comparison : record.comparisons) {
    ratio = std::max({ratio, comparison.bound_ratio, comparison.precision_ratio});
  }
  return ratio;
}

}  // namespace

FaultRunner::FaultRunner(const FaultSettings& settings, harness::Scratch& scratch)
    : settings_(settings), scratch_(scratch), bench_(settings.folder, settings.device) {}

Expected<std::vector<const fault_injection::Fault*>> FaultRunner::Concerning(
    const Case& c, const std::vector<const fault_injection::Fault*>& faults) {
  if (!context_ || ++programs_ % kProgramsPerContext == 0) {
    context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  }
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(settings_.folder / c.file, *context_);
  if (!module) return Unexpected(module.error());
  if (c.sharding) {
    const Expected<device::Partitioning> divided = device::PartitionProgram(**module, *c.sharding);
    if (!divided) return Unexpected(divided.error());
  }
  std::vector<const fault_injection::Fault*> concerning;
  std::ranges::copy_if(faults, std::back_inserter(concerning),
                       [&](const fault_injection::Fault* fault) { return Concerns(*fault, module->get()); });
  return concerning;
}

CaseRecord FaultRunner::Judge(const Trial& trial, const std::string& fault, const Outputs& right, Outputs& outputs) {
  outputs.clear();
  if (const Expected<void> named = WriteFile(trial.dir / fault_injection::kFaultFile, fault); !named) {
    CaseRecord record;
    record.status = Status::kCrash;
    record.diagnostic = named.error().message;
    return record;
  }
  CaseRecord executed = bench_.Execute(trial);
  if (executed.status != Status::kPass) return executed;
  for (size_t i = 0; i < trial.c.total_outputs(); ++i) {
    outputs.push_back(ReadFile(trial.OutputFile(i)).value_or(""));
  }
  return outputs == right ? executed : bench_.Compare(trial);
}

std::optional<CaseRecord> FaultRunner::JudgeFault(const Trial& trial, const fault_injection::Fault& fault,
                                                  const Outputs& right) {
  Outputs outputs;
  CaseRecord always = Judge(trial, fault.is_rare() ? fault.always : fault.name, right, outputs);
  const bool red = IsFailure(always.status);
  // Devices that have the same part and do not agree are found in `execute`. If the faulty evaluation itself fails, that
  // is no fault of a device.
  if (!red && always.stage != kCompareStage) return std::nullopt;
  if (!fault.is_rare()) return always;
  if (!red) return std::nullopt;
  CaseRecord record;
  for (int i = 0; i < kExecutionsOfRare && bench_.Ready() && !IsFailure(record.status); ++i) {
    record = Judge(trial, fault.name, right, outputs);
  }
  return record;
}

Expected<CaseFindings> FaultRunner::Run(const Case& c, const std::vector<const fault_injection::Fault*>& faults) {
  CaseFindings findings{.id = c.id, .op = c.op};
  for (const fault_injection::Fault* fault : faults) findings.tried.insert(fault->name);
  Expected<std::vector<const fault_injection::Fault*>> left = Concerning(c, faults);
  if (!left && left.error().code == ExitCode::kUnsupported) {
    findings.skipped = left.error().message;
    return findings;
  }
  if (!left) return Unexpected(left.error());
  if (left->empty()) return findings;
  const Expected<harness::ScratchDir> scratch =
      scratch_.Make(c.id, harness::ScratchBytes(c) * static_cast<int64_t>(settings_.policies.size()));
  if (!scratch) return Unexpected(scratch.error());
  if (const Expected<void> started = bench_.Start(); !started) return Unexpected(started.error());
  std::set<std::vector<std::string>> drawn;
  for (const harness::RunPolicy& policy : settings_.policies) {
    Trial trial{c, policy, scratch->path() / policy.name};
    const harness::Answer inputs = bench_.Inputs(trial);
    if (inputs.status != Status::kPass) {
      findings.skipped = fmt::format("{}: {}", ToString(inputs.status), inputs.diagnostic);
      break;
    }
    if (!drawn.insert(trial.input_digests).second) continue;
    if (drawn.size() == 1) {
      const CaseRecord compiled = bench_.Compile(trial);
      if (compiled.status != Status::kPass) return MakeError(ExitCode::kInternal, c.id + ": " + compiled.diagnostic);
    }
    Outputs right;
    const CaseRecord judged = Judge(trial, std::string(kNone), {}, right);
    if (!IsFailure(judged.status) && judged.stage != kCompareStage) {
      findings.skipped = fmt::format("{}: {}", ToString(judged.status), judged.diagnostic);
      break;
    }
    if (IsFailure(judged.status)) {
      findings.flagged =
          fmt::format("{}: {} in {}: {}", policy.name, ToString(judged.status), judged.stage, judged.diagnostic);
      break;
    }
    // Where the reference cannot judge the right device, a fault that stays unnoticed says nothing about the bounds.
    const bool judgeable = judged.status == Status::kPass;
    std::erase_if(*left, [&](const fault_injection::Fault* fault) {
      if (!bench_.Ready()) return false;
      const std::optional<CaseRecord> record = JudgeFault(trial, *fault, right);
      if (!record || (!judgeable && !IsFailure(record->status))) return false;
      FaultFinding& finding = findings.faults[fault->name];
      finding = {policy.name, record->status, std::max(finding.ratio, GreatestRatio(*record))};
      return IsFailure(record->status) || fault->is_rare();
    });
    if (!bench_.Ready()) return MakeError(ExitCode::kInternal, c.id + ": a worker died");
    if (left->empty()) break;
  }
  return findings;
}

}  // namespace opbyop
