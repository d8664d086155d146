// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/target_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/worker/outputs.h"
#include "harness/worker/recover.h"
#include "harness/worker/verdict.h"

namespace opbyop::harness {
namespace {

// Returns the compile stages that a `compile` with these fields asks for.
std::vector<std::string> StagesOf(const Target& target, const std::string& after, const std::string& until) {
  std::vector<std::string> stages = StagesAfter(after, CompileStages(target));
  const auto last = std::ranges::find(stages, until);
  if (last != stages.end()) stages.erase(last + 1, stages.end());
  return stages;
}

}  // namespace

TargetClient::TargetClient(const Target& target, WorkerSpec spec) : target_(target), worker_(std::move(spec)) {}

Expected<void> TargetClient::Start() {
  if (worker_.Ready() && worker_.RssKb() >= rss_limit_kb_) worker_.Stop();
  if (worker_.Ready()) return {};
  kept_.clear();
  return worker_.Start();
}

Answer TargetClient::Compile(protocol::Request request, CaseRecord& record) {
  const std::string case_id = request.case_id;
  const auto* compile = std::get_if<protocol::CompileVerb>(&request.verb);
  const std::vector<std::string> stages =
      StagesOf(target_, request.after, compile == nullptr ? std::string() : compile->until);
  Answer answer = worker_.Call(std::move(request), FirstStage(stages));
  ApplyCompile(answer, stages, record);
  if (record.status == Status::kPass && answer.fields.kept) kept_.insert(case_id);
  return answer;
}

Answer TargetClient::Execute(const Case& c, protocol::Request request, CaseRecord& record,
                             const std::function<void()>& meanwhile) {
  BeginExecute(c, std::move(request));
  meanwhile();
  return EndExecute(c, record);
}

void TargetClient::BeginExecute(const Case& c, protocol::Request request) {
  dir_ = request.dir;
  // No output of an earlier run may be taken for one of this run.
  ClearOutputs(c, dir_);
  worker_.Allow(ExtraFor(c));
  worker_.Send(std::move(request), kLoadStage);
}

Answer TargetClient::EndExecute(const Case& c, CaseRecord& record) {
  worker_.Wait();
  Answer answer = worker_.TakeAnswer();
  ApplyExecute(answer, target_, c, dir_, record);
  if (LosesDeviceWorker(record, target_)) worker_.Stop();
  if (DiedOnDevice(record)) {
    if (const Expected<void> back = RecoverDevice(target_.device); !back) {
      record.diagnostic += "; the device did not come back: " + back.error().message;
    }
  }
  return answer;
}

}  // namespace opbyop::harness
