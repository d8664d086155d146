// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/case_client.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "harness/worker/case_request.h"
#include "harness/worker/recover.h"
#include "harness/worker/verdict.h"
#include "harness/worker/worker_isolation.h"
#include "support/files/file.h"

namespace opbyop::harness {

namespace fs = std::filesystem;

void EndWithError(std::string_view stage, const Error& error, CaseRecord& record) {
  record.status = error.code == ExitCode::kUnsupported ? Status::kUnsupported : Status::kFail;
  record.stage = stage;
  record.diagnostic = error.message;
}

Expected<std::unique_ptr<CaseClient>> CaseClient::Start(const Target& target, std::string_view slot, fs::path cases,
                                                        std::unique_ptr<Scratch> scratch) {
  if (scratch == nullptr) {
    Expected<std::unique_ptr<Scratch>> opened = Scratch::Open();
    if (!opened) return Unexpected(opened.error());
    scratch = std::move(*opened);
  }
  WorkerSpec spec = RestrictedTargetWorker(target, *scratch, slot);
  std::unique_ptr<CaseClient> client(
      new CaseClient(target, std::move(spec), slot, std::move(cases), std::move(scratch)));
  if (const Expected<void> ready = client->client_.Start(); !ready) return Unexpected(ready.error());
  return client;
}

Expected<std::unique_ptr<CaseClient>> CaseClient::StartOnDevice(const Target& target, std::string_view slot,
                                                                fs::path cases) {
  if (!HasDevice(target)) {
    return MakeError(
        ExitCode::kUnsupported,
        fmt::format("unsupported: target {} only compiles, it has no device to run a model on", target.name));
  }
  Expected<std::unique_ptr<CaseClient>> client = Start(target, slot, std::move(cases));
  if (!client) return client;
  std::string why = (*client)->client_.hello().compile_only;
  if (why.empty()) why = WhyAbsent(target);
  if (why.empty()) return client;
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("unsupported: target {} only compiles here, it has no device to run a model on: {}",
                               target.name, why));
}

CaseClient::CaseClient(const Target& target, WorkerSpec spec, std::string_view slot, fs::path cases,
                       std::unique_ptr<Scratch> scratch)
    : slot_(slot), cases_(std::move(cases)), scratch_(std::move(scratch)), client_(target, std::move(spec)) {}

Expected<fs::path> CaseClient::FileOf(const Case& c, const std::function<std::string()>& text) const {
  fs::path file = fs::absolute(cases_ / (c.id + ".mlir"));
  std::error_code ignored;
  // The id of a case determines the content of its file. A whole model has no such file.
  if (!c.is_whole_model() && fs::is_regular_file(file, ignored)) return file;
  fs::create_directories(file.parent_path(), ignored);
  if (const Expected<void> written = WriteFile(file, text()); !written) return Unexpected(written.error());
  return file;
}

std::optional<Answer> CaseClient::Compile(protocol::CompileVerb compile, const Case& c,
                                          const std::function<std::string()>& text, const fs::path& dir,
                                          const std::vector<TensorType>& inputs, CaseRecord& record) {
  Expected<fs::path> file = FileOf(c, text);
  if (!file) {
    EndWithError(FirstStage(CompileStages(client_.target())), file.error(), record);
    return std::nullopt;
  }
  protocol::Request request = MakeCaseRequest(std::move(compile), c, "", client_.target());
  request.file = std::move(*file);
  request.dir = dir;
  request.inputs = inputs;
  SetGrid(c, request);
  return client_.Compile(std::move(request), record);
}

std::optional<Answer> CaseClient::Keep(const Case& c, const std::function<std::string()>& text, const fs::path& dir,
                                       const std::vector<TensorType>& inputs, CaseRecord& record) {
  if (client_.Keeps(c.id)) {
    record.status = Status::kPass;
    return std::nullopt;
  }
  std::optional<Answer> answer = Compile({.keep = true}, c, text, dir, inputs, record);
  if (answer && record.status != Status::kPass) refused_[c.id] = record;
  return answer;
}

const CaseRecord* CaseClient::Refused(const std::string& case_id) const {
  const auto refused = refused_.find(case_id);
  return refused == refused_.end() ? nullptr : &refused->second;
}

}  // namespace opbyop::harness
