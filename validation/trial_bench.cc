// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/trial_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "harness/slot/slot.h"
#include "harness/worker/case_request.h"
#include "harness/worker/verdict.h"
#include "support/files/project_folder.h"

namespace opbyop {
namespace {

using harness::Answer;
using harness::WorkerSpec;

namespace fs = std::filesystem;

constexpr double kTimeoutFactor = 20;

void RaiseTimeouts(WorkerSpec& spec) {
  for (auto& [stage, limits] : spec.limits) limits.timeout_s *= kTimeoutFactor;
  spec.fallback.timeout_s *= kTimeoutFactor;
}

WorkerSpec ReferenceSpec() {
  WorkerSpec spec = harness::ReferenceWorkerSpec(ProgramFolder().string());
  RaiseTimeouts(spec);
  return spec;
}

}  // namespace

WorkerSpec PatientTargetWorker(const Target& target) {
  WorkerSpec spec = harness::TargetWorkerSpec(target, ProgramFolder().string(), ProjectFolder().string());
  RaiseTimeouts(spec);
  return spec;
}

fs::path Trial::OutputFile(size_t i) const { return dir / fmt::format("output_{}.npy", i); }

TrialBench::TrialBench(fs::path manifest_folder, const Target& device)
    : folder_(fs::absolute(manifest_folder)),
      device_(device, PatientTargetWorker(device)),
      reference_(ReferenceSpec()) {}

Expected<void> TrialBench::Start() {
  if (const Expected<void> started = device_.Start(); !started) return started;
  return reference_.Start();
}

protocol::Request TrialBench::RequestOf(const Trial& trial, protocol::Verb verb) const {
  protocol::Request request = harness::MakeCaseRequest(std::move(verb), trial.c, folder_, device_.target());
  request.dir = trial.dir;
  request.policy = trial.policy.named();
  request.seed = harness::InputSeed(trial.c.id, 0);
  if (harness::HasDevices(trial.c, device_.hello())) harness::SetGrid(trial.c, request);
  return request;
}

Answer TrialBench::Inputs(Trial& trial) {
  std::error_code told_by_the_worker;
  fs::create_directories(trial.dir, told_by_the_worker);
  Answer answer = reference_.Call(RequestOf(trial, protocol::InputsVerb{}), kInputsStage);
  trial.input_digests = answer.fields.input_digests;
  return answer;
}

CaseRecord TrialBench::Compile(const Trial& trial) {
  CaseRecord record{.id = trial.c.id};
  device_.Compile(RequestOf(trial, protocol::CompileVerb{}), record);
  return record;
}

CaseRecord TrialBench::Execute(const Trial& trial) {
  CaseRecord record{.id = trial.c.id};
  device_.Execute(trial.c, RequestOf(trial, protocol::ExecuteVerb{}), record);
  return record;
}

CaseRecord TrialBench::Compare(const Trial& trial) {
  CaseRecord record{.id = trial.c.id};
  protocol::Request request = RequestOf(trial, protocol::CompareVerb{.input_digests = trial.input_digests});
  ApplyCompare(reference_.Call(std::move(request), kCompareStage), trial.c, record);
  return record;
}

}  // namespace opbyop
