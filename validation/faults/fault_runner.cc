#include "validation/faults/fault_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "fixtures/lying/lying_device.h"
#include "harness/options.h"
#include "harness/slot.h"
#include "harness/verdict.h"
#include "ir/read_module.h"
#include "support/dtype.h"
#include "support/file.h"
#include "support/sha256.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// MLIR never frees what it has uniqued.
constexpr int kProgramsPerContext = 500;
constexpr std::string_view kNone = "none";
// The machine may be busy for as long as it likes: only a worker that hangs is to be given up.
constexpr double kTimeout = 3600;

WorkerSpec ReferenceSpec() {
  WorkerSpec spec;
  spec.role = "reference";
  spec.argv = {ProgramFolder().string() + "/opbyop-worker", "--reference"};
  spec.fallback.timeout_s = kTimeout;
  for (const std::string_view stage : {kInputsStage, kCompareStage}) spec.limits[std::string(stage)] = spec.fallback;
  return spec;
}

int64_t BytesOf(const std::vector<TensorType>& types) {
  int64_t bytes = 0;
  for (const TensorType& type : types) bytes += NumElements(type).value_or(0) * DtypeBytes(type.dtype).value_or(0);
  return bytes;
}

double GreatestRatio(const CaseRecord& record) {
  double ratio = 0;
  for (const Comparison& comparison : record.comparisons) {
    ratio = std::max({ratio, comparison.bound_ratio, comparison.precision_ratio});
  }
  return ratio;
}

}  // namespace

std::string FaultSettings::Tried() const {
  std::string names;
  for (const auto& [name, file] : policies) names += name + " ";
  for (const lying::Fault* fault : faults) names += fault->name + " ";
  return Sha256Hex(names).substr(0, 16);
}

FaultRunner::FaultRunner(const FaultSettings& settings, Scratch& scratch)
    : settings_(settings),
      scratch_(scratch),
      device_(TargetWorkerSpec(settings.device, ProgramFolder().string(), ProjectFolder().string())),
      reference_(ReferenceSpec()) {}

Expected<std::vector<const lying::Fault*>> FaultRunner::FaultsOf(const Case& c) {
  if (!context_ || ++programs_ % kProgramsPerContext == 0) {
    context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  }
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(settings_.folder / c.file, *context_);
  if (!module) return Unexpected(module.error());
  std::vector<const lying::Fault*> faults;
  for (const lying::Fault* fault : settings_.faults) {
    if (Concerns(*fault, module->get())) faults.push_back(fault);
  }
  return faults;
}

Request FaultRunner::RequestOf(const Trial& trial, std::string verb) const {
  Request request;
  request.verb = std::move(verb);
  request.case_id = trial.c.id;
  request.file = fs::absolute(settings_.folder / trial.c.file);
  request.dir = trial.dir;
  request.policy = trial.policy.first;
  request.seed = InputSeed(trial.c.id, 0);
  request.json = {{"op", trial.c.op},
                  {"target", settings_.device.name},
                  {"policy_file", trial.policy.second.string()},
                  {"inputs", TypesToJson(trial.c.inputs)},
                  {"outputs", TypesToJson(trial.c.outputs)}};
  if (!trial.input_digests.empty()) request.json["input_digests"] = trial.input_digests;
  return request;
}

// `skipped` says why there are none.
Expected<void> FaultRunner::Inputs(Trial& trial, CaseFindings& findings) {
  std::error_code failed;
  fs::create_directories(trial.dir, failed);
  if (const Expected<void> started = reference_.Start(); !started) return started;
  Answer answer = reference_.Ask(RequestOf(trial, "inputs"), kInputsStage);
  trial.input_digests = std::move(answer.fields.input_digests);
  if (answer.status != Status::kPass) {
    findings.skipped = fmt::format("{}: {}", ToString(answer.status), answer.diagnostic);
  }
  return {};
}

CaseRecord FaultRunner::Judge(const Trial& trial, const std::string& fault, std::vector<std::string>& outputs) {
  CaseRecord record;
  record.id = trial.c.id;
  std::error_code ignored;
  for (size_t i = 0; i < trial.c.outputs.size(); ++i) fs::remove(trial.dir / fmt::format("output_{}.npy", i), ignored);
  if (const Expected<void> named = WriteFile(trial.dir / lying::kFaultFile, fault); !named) {
    record.status = Status::kCrash;
    record.diagnostic = named.error().message;
    return record;
  }
  Apply(device_.Ask(RequestOf(trial, "execute"), kLoadStage), record);
  RequireOutputs(trial.c, trial.dir, record);
  if (record.status != Status::kPass) return record;
  outputs.clear();
  for (size_t i = 0; i < trial.c.outputs.size(); ++i) {
    outputs.push_back(ReadFile(trial.dir / fmt::format("output_{}.npy", i)).value_or(""));
  }
  if (outputs == trial.right) return record;
  const Answer compared = reference_.Ask(RequestOf(trial, "compare"), kCompareStage);
  Apply(compared, record);
  ApplyComparisons(compared, trial.c, record);
  return record;
}

Expected<CaseFindings> FaultRunner::Run(const Case& c) {
  CaseFindings findings{.id = c.id, .op = c.op, .tried = settings_.Tried()};
  Expected<std::vector<const lying::Fault*>> left = FaultsOf(c);
  if (!left) return Unexpected(left.error());
  const Expected<ScratchDir> scratch =
      scratch_.Make(c.id, (BytesOf(c.inputs) + BytesOf(c.outputs)) * static_cast<int64_t>(settings_.policies.size()));
  if (!scratch) return Unexpected(scratch.error());
  if (const Expected<void> started = device_.Start(); !started) return Unexpected(started.error());
  std::set<std::vector<std::string>> drawn;
  bool compiled = false;
  for (const auto& policy : settings_.policies) {
    Trial trial{c, policy, scratch->path() / policy.first, {}, {}};
    if (const Expected<void> generated = Inputs(trial, findings); !generated) return Unexpected(generated.error());
    if (!findings.skipped.empty()) break;
    if (!drawn.insert(trial.input_digests).second) continue;
    if (!compiled) {
      const Answer answer = device_.Ask(RequestOf(trial, "compile"), "parse");
      if (answer.status != Status::kPass) {
        findings.skipped = answer.diagnostic;
        break;
      }
      compiled = true;
    }
    std::vector<std::string> outputs;
    const CaseRecord right = Judge(trial, std::string(kNone), outputs);
    trial.right = std::move(outputs);
    if (right.status != Status::kPass) {
      findings.accused =
          fmt::format("{}: {} in {}: {}", policy.first, ToString(right.status), right.stage, right.diagnostic);
      break;
    }
    std::erase_if(*left, [&](const lying::Fault* fault) {
      if (!device_.Ready() || !reference_.Ready()) return false;
      const CaseRecord record = Judge(trial, fault->name, outputs);
      // What the fault's own evaluation cannot do is no fault of a device.
      if (record.stage != kCompareStage) return false;
      FaultFinding& finding = findings.faults[fault->name];
      finding = {policy.first, record.status, std::max(finding.ratio, GreatestRatio(record))};
      return IsFailure(record.status);
    });
    if (!device_.Ready() || !reference_.Ready()) return MakeError(ExitCode::kInternal, c.id + ": a worker died");
    if (left->empty()) break;
  }
  return findings;
}

}  // namespace opbyop
