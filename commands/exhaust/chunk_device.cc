// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_device.h"

#include <string_view>

#include "harness/worker/case_request.h"
#include "support/files/npy.h"

namespace opbyop::exhaustive {
namespace {

// The worker's folder, the only one that it may write to.
constexpr std::string_view kSlot = "chunks";

}  // namespace

Expected<std::unique_ptr<WorkerChunkDevice>> WorkerChunkDevice::Start(const Target& target,
                                                                      const std::filesystem::path& cases) {
  Expected<std::unique_ptr<harness::CaseClient>> client = harness::CaseClient::StartOnDevice(target, kSlot, cases);
  if (!client) return Unexpected(client.error());
  return std::unique_ptr<WorkerChunkDevice>(new WorkerChunkDevice(std::move(*client)));
}

ChunkRun WorkerChunkDevice::Run(const Case& c, const std::function<std::string()>& text,
                                const reference::InputData& input) {
  harness::TargetClient& worker = client_->worker();
  ChunkRun run{.record = {.id = c.id}};
  CaseRecord& record = run.record;
  const auto fail = [&](std::string_view stage, const Error& error) {
    harness::EndWithError(stage, error, record);
    return run;
  };
  if (const CaseRecord* refused = client_->Refused(c.id)) {
    record = *refused;
    record.stages.clear();  // they ran before, and were reported then
    return run;
  }
  if (const Expected<void> ready = worker.Start(); !ready) return fail("start", ready.error());
  const Expected<harness::ScratchDir> dir = client_->MakeFolder(c.id, 2 * static_cast<int64_t>(input.bytes.size()));
  if (!dir) return fail(kInputsStage, dir.error());
  const TensorType type{input.shape, std::string(reference::NameOf(input.type))};
  client_->Keep(c, text, dir->path(), {type}, record);
  if (record.status != Status::kPass) return run;
  if (const Expected<void> written = WriteNpy(dir->path() / "input_0.npy", type, input.bytes); !written) {
    return fail(kInputsStage, written.error());
  }
  const protocol::ExecuteVerb once{.repeat = {.min = 1, .max = 1}};
  protocol::Request request = harness::MakeCaseRequest(once, c, "", worker.target());
  request.dir = dir->path();
  request.inputs = {type};
  worker.Execute(c, std::move(request), record);
  if (record.status != Status::kPass) return run;
  const Expected<NpyFile> output = ReadNpy(dir->path() / "output_0.npy");
  if (!output) return fail(kExecuteStage, output.error());
  run.output.assign(output->bytes().begin(), output->bytes().end());
  return run;
}

}  // namespace opbyop::exhaustive
