// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/worker_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "chained/chain_recorder.h"
#include "harness/worker/case_request.h"
#include "reference/eval/evaluator.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace opbyop::chained {
namespace {

using harness::Answer;
using harness::CaseClient;
using protocol::Request;
using reference::InputData;

namespace fs = std::filesystem;

// The worker's folder, the only one that it may write to.
constexpr std::string_view kChainSlot = "chain";

std::string InputName(size_t i) { return fmt::format("input_{}.npy", i); }

TensorType TypeOf(const InputData& data) { return {data.shape, std::string(reference::NameOf(data.type))}; }

Expected<InputData> ReadTensor(const fs::path& path, const TensorType& declared) {
  const Expected<NpyFile> file = ReadNpy(path);
  if (!file) return Unexpected(file.error());
  const std::optional<reference::ElementType> type = reference::ParseElementType(declared.dtype);
  if (!type) return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: outputs of {}", declared.dtype));
  return InputData{*type, file->shape(), {file->bytes().begin(), file->bytes().end()}};
}

// Adds the verdict on the answer to one more request of a run.
void AddVerdict(const CaseRecord& record, const Answer& answer, DeviceRun& run) {
  for (size_t i = 0; i < answer.stages.size(); ++i) run.stages.push_back({answer.stages[i], answer.stage_begins_ns[i]});
  run.status = record.status;
  run.stage = record.stage;
  run.diagnostic = record.diagnostic;
}

// Reads what a worker left of its device's profiler in the folder of an execution.
void ReadProfile(const fs::path& dir, DeviceRun& run) {
  constexpr uintmax_t kMostBytes = 256 << 20;
  Expected<std::string> trace = ReadFile(dir / protocol::kProfileFile, kMostBytes);
  if (!trace) {
    run.why_no_profile = trace.error().message;
    return;
  }
  run.profile.xspace = std::move(*trace);
  if (Expected<std::string> program = ReadFile(dir / protocol::kProgramFile, kMostBytes))
    run.profile.program = std::move(*program);
}

void Fail(DeviceRun& run, std::string_view stage, const Error& error) {
  CaseRecord record;
  harness::EndWithError(stage, error, record);
  AddVerdict(record, {}, run);
}

}  // namespace

Expected<std::unique_ptr<WorkerDevice>> WorkerDevice::Start(const Target& target, WorkerDeviceOptions options) {
  Expected<std::unique_ptr<CaseClient>> client = CaseClient::StartOnDevice(target, kChainSlot, options.cases);
  if (!client) return Unexpected(client.error());
  return std::unique_ptr<WorkerDevice>(new WorkerDevice(std::move(*client), std::move(options)));
}

bool WorkerDevice::Compile(const Case& c, const std::function<std::string()>& text, const fs::path& dir,
                           const std::vector<TensorType>& inputs, DeviceRun& run) {
  CaseRecord record{.id = c.id};
  const std::optional<Answer> answer = client_->Keep(c, text, dir, inputs, record);
  AddVerdict(record, answer.value_or(Answer()), run);
  if (run.passed() && answer) keeps_ = worker().Keeps(c.id);
  return run.passed();
}

std::optional<DeviceRun> WorkerDevice::Prepare(const Case& c, const std::function<std::string()>& text) {
  if (!keeps_ || client_->Refused(c.id) != nullptr || !worker().Start()) return std::nullopt;
  const Expected<harness::ScratchDir> dir = client_->MakeFolder(c.id, 0);
  if (!dir) return std::nullopt;
  DeviceRun run;
  Compile(c, text, dir->path(), c.inputs, run);
  return run;
}

// Announces only a case that the worker has compiled: it must not compile while it executes.
void WorkerDevice::Announce(const Case& next, std::vector<std::optional<InputData>> inputs) {
  announced_.reset();
  if (!worker().Ready() || !worker().Keeps(next.id)) return;
  int64_t bytes = 0;
  for (const std::optional<InputData>& input : inputs) bytes += input ? static_cast<int64_t>(input->bytes.size()) : 0;
  Expected<harness::ScratchDir> dir = client_->MakeFolder(next.id, 2 * bytes);
  if (!dir) return;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && !WriteNpy(dir->path() / InputName(i), TypeOf(*inputs[i]), inputs[i]->bytes)) return;
  }
  announced_ = std::make_unique<Folder>(Folder{next.id, std::move(*dir), std::move(inputs)});
}

protocol::NextExecution WorkerDevice::NextExecutionOf(const Folder& next) {
  protocol::NextExecution announced = {next.case_id, next.dir.path(), {}};
  for (size_t i = 0; i < next.inputs.size(); ++i) {
    if (next.inputs[i]) announced.inputs.push_back(static_cast<int64_t>(i));
  }
  return announced;
}

// The folder that was announced to the worker, if it is of this execution.
Expected<WorkerDevice::Folder> WorkerDevice::FolderOf(const Case& c, const std::vector<InputData>& inputs) {
  const std::unique_ptr<Folder> prepared = std::move(prepared_);
  const auto same = [](const std::optional<InputData>& there, const InputData& input) {
    return !there || (there->type == input.type && there->shape == input.shape && there->bytes == input.bytes);
  };
  if (prepared && prepared->case_id == c.id && std::ranges::equal(prepared->inputs, inputs, same))
    return std::move(*prepared);
  int64_t bytes = 0;
  for (const InputData& input : inputs) bytes += static_cast<int64_t>(input.bytes.size());
  Expected<harness::ScratchDir> dir = client_->MakeFolder(c.id, 2 * bytes);
  if (!dir) return Unexpected(dir.error());
  return Folder{c.id, std::move(*dir), std::vector<std::optional<InputData>>(inputs.size())};
}

DeviceRun WorkerDevice::Run(const Case& c, const std::function<std::string()>& text,
                            const std::vector<InputData>& inputs, const std::function<void()>& meanwhile) {
  std::unique_ptr<Folder> next = std::move(announced_);
  DeviceRun run = RunOnce(c, text, inputs, next.get(), meanwhile);
  // The worker may have died of the next execution; running the current one alone shows which.
  if (next && IsDeath(run.status)) return RunOnce(c, text, inputs, nullptr, [] {});
  prepared_ = std::move(next);
  return run;
}

DeviceRun WorkerDevice::RunOnce(const Case& c, const std::function<std::string()>& text,
                                const std::vector<InputData>& inputs, const Folder* next,
                                const std::function<void()>& meanwhile) {
  DeviceRun run;
  if (const CaseRecord* refused = client_->Refused(c.id)) {
    // Its stages ran before, and were reported then.
    AddVerdict(*refused, {}, run);
    return run;
  }
  if (const Expected<void> ready = worker().Start(); !ready) {
    Fail(run, "start", ready.error());
    return run;
  }
  const Expected<Folder> folder = FolderOf(c, inputs);
  if (!folder) {
    Fail(run, "inputs", folder.error());
    return run;
  }
  const fs::path& dir = folder->dir.path();
  std::vector<TensorType> types;
  for (const InputData& input : inputs) types.push_back(TypeOf(input));

  if (!Compile(c, text, dir, types, run)) return run;

  run.handover_start_ns = NowNs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (folder->inputs[i]) continue;
    const fs::path path = dir / InputName(i);
    if (const Expected<void> written = WriteNpy(path, types[i], inputs[i].bytes); !written) {
      Fail(run, "inputs", written.error());
      return run;
    }
  }
  run.handover_end_ns = NowNs();
  protocol::ExecuteVerb execute{.repeat = options_.repeat,
                                .spans = options_.spans,
                                .host_clock = !why_host_clock_.empty(),
                                .profile = options_.profile && hello().profiles};
  if (next != nullptr) execute.next = NextExecutionOf(*next);
  const bool asks_profile = execute.profile;
  Request request = harness::MakeCaseRequest(std::move(execute), c, "", worker().target());
  request.dir = dir;
  request.inputs = types;
  harness::SetGrid(c, request);
  CaseRecord record{.id = c.id};
  const Answer answer = worker().Execute(c, std::move(request), record, meanwhile);
  AddVerdict(record, answer, run);
  // The diagnostic may instead have the plugin's own last lines.
  const auto reads_clock = [](const std::string& line) {
    return line.find(protocol::kWhileClockWasRead) != std::string::npos;
  };
  if (answer.died && std::ranges::any_of(answer.log, reads_clock)) {
    why_host_clock_ = fmt::format("the worker died in {} {}", c.id, protocol::kWhileClockWasRead);
  }
  run.why_host_clock = why_host_clock_.empty() ? answer.fields.why_host_clock : why_host_clock_;
  if (!run.passed()) return run;
  run.why_no_profile = answer.fields.why_no_profile;
  if (asks_profile && run.why_no_profile.empty()) ReadProfile(dir, run);
  run.pieces = protocol::ParseSpans(answer.fields.spans);
  run.longest_ns = answer.fields.longest_ns;
  run.timing = record.timing;
  // A tool that draws its own inputs leaves them in place of those it was given. Any other target had to run on the
  // given ones, even if it overwrote their files.
  bool own = false;
  for (size_t i = 0; worker().target().device.own_inputs && i < inputs.size(); ++i) {
    Expected<InputData> used = ReadTensor(dir / InputName(i), types[i]);
    if (!used) {
      Fail(run, kExecuteStage, used.error());
      return run;
    }
    own |= used->shape != inputs[i].shape || used->bytes != inputs[i].bytes;
    run.inputs.push_back(std::move(*used));
  }
  if (!own) run.inputs.clear();
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    Expected<InputData> output = ReadTensor(dir / fmt::format("output_{}.npy", i), c.outputs[i]);
    if (!output) {
      Fail(run, kExecuteStage, output.error());
      return run;
    }
    run.outputs.push_back(std::move(*output));
  }
  return run;
}

}  // namespace opbyop::chained
