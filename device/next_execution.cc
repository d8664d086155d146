// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/next_execution.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "manifests/status/status.h"

namespace opbyop::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputs = "started";

Expected<void> MoveFiles(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    fs::rename(entry.path(), to / entry.path().filename(), error);
    if (error) break;
  }
  if (!error) return {};
  return MakeError(ExitCode::kInternal, fmt::format("outputs cannot be moved from {} to {}: {}", from.string(),
                                                    to.string(), error.message()));
}

}  // namespace

void NextExecutionQueue::Begin(NextExecutionJob job) {
  Drop();
  if (!is_possible()) return;
  job_ = std::move(job);
  started_ = {.artifact_bytes = job_->artifact.size()};
  std::promise<StageResult> loaded;
  loading_ = loaded.get_future();
  thread_ = std::thread([this, promise = std::move(loaded)]() mutable { Work(std::move(promise)); });
}

void NextExecutionQueue::Work(std::promise<StageResult> loaded) {
  DeviceLog* const log = job_->log ? &started_.log : nullptr;
  ExecuteRequest request = job_->request;
  request.log = log;
  StageResult result;
  {
    SpanTimer timer(log, "load", 0, static_cast<int64_t>(job_->artifact.size()));
    result = device_->Load(job_->artifact);
  }
  const bool is_loaded = result.passed();
  loaded.set_value(std::move(result));
  if (!is_loaded) return;
  // An input that cannot be transferred now is transferred, or fails, when the execution is requested.
  if (!device_->Upload(request, job_->inputs)) return;
  request.output_dir = request.dir / kOutputs;
  std::error_code error;
  fs::create_directory(request.output_dir, error);
  if (!error) started_.ran = device_->Execute(request, started_.timing);
}

const StageResult* NextExecutionQueue::Loaded(const std::string& case_id, const fs::path& dir) {
  if (!job_ || job_->case_id != case_id || job_->request.dir != dir) {
    Drop();
    return nullptr;
  }
  if (loading_.valid()) loaded_ = loading_.get();
  return &loaded_;
}

Expected<StartedExecution> NextExecutionQueue::Take(std::unique_ptr<TargetDevice>& device) {
  const fs::path dir = job_->request.dir;
  Drop();
  std::swap(device, device_);
  if (started_.ran && started_.ran->passed()) {
    if (const Expected<void> moved = MoveFiles(dir / kOutputs, dir); !moved) return Unexpected(moved.error());
  }
  return std::move(started_);
}

void NextExecutionQueue::Drop() {
  if (thread_.joinable()) thread_.join();
  job_.reset();
}

}  // namespace opbyop::device
