// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "device/repetition.h"
#include "device/run_outputs.h"
#include "support/dtype.h"

namespace opbyop::pjrt {

using device::SpanTimer;

namespace {

double Microseconds(const HostCall& call) { return static_cast<double>(call.end_ns - call.start_ns) / 1e3; }

PlacedRuns RunsByHostClock(const std::vector<HostCall>& calls) {
  PlacedRuns runs;
  for (const HostCall& call : calls) {
    runs.starts_ns.push_back(call.start_ns);
    runs.microseconds.push_back(Microseconds(call));
  }
  return runs;
}

}  // namespace

bool CaseRunner::IsDonated(size_t input) const {
  return std::ranges::find(donated_, static_cast<int64_t>(input % inputs_of_each())) != donated_.end();
}

std::string CaseRunner::NameOf(std::string_view kind, size_t number, size_t of_each) const {
  std::string name = fmt::format("{} {}", kind, number % of_each);
  return devices_.size() == 1 ? name : fmt::format("process {}, {}", number / of_each, name);
}

Expected<std::vector<InputTensor>> CaseRunner::ReadInputs(const std::filesystem::path& dir,
                                                          const std::vector<TensorType>& types) const {
  const size_t files = sharding_ ? types.size() : types.size() * devices_.size();
  std::vector<InputTensor> tensors;
  tensors.reserve(files);
  for (size_t i = 0; i < files; ++i) {
    Expected<InputTensor> tensor = InputTensor::Read(dir / fmt::format("input_{}.npy", i), types[i % types.size()]);
    if (!tensor) return Unexpected(tensor.error());
    tensors.push_back(std::move(*tensor));
  }
  if (!sharding_) return tensors;
  std::vector<InputTensor> parts;
  parts.reserve(files * devices_.size());
  for (size_t device = 0; device < devices_.size(); ++device) {
    for (size_t i = 0; i < types.size(); ++i) {
      parts.push_back(tensors[i].PartOf(static_cast<int64_t>(device), types[i], sharding_->inputs[i]));
    }
  }
  return parts;
}

Expected<void> CaseRunner::Load(const std::filesystem::path& dir, const std::vector<TensorType>& types,
                                device::DeviceLog* log) {
  Expected<std::vector<InputTensor>> tensors = ReadInputs(dir, types);
  if (!tensors) return Unexpected(tensors.error());
  tensors_ = std::move(*tensors);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    SpanTimer timer(log, "transfer_in", static_cast<int64_t>(i), tensors_[i].bytes());
    Result<Buffer> buffer = client_.BufferFromHost(tensors_[i].host(), devices_[i / types.size()]);
    if (!buffer) return Unexpected(ToError(buffer.error()));
    inputs_.push_back(std::move(*buffer));
  }
  return {};
}

Expected<void> CaseRunner::RenewInputs() {
  for (size_t i = 0; !donated_.empty() && i < inputs_.size(); ++i) {
    if (!IsDonated(i) || !inputs_[i].IsDeleted().value_or(false)) continue;
    Result<Buffer> buffer = client_.BufferFromHost(tensors_[i].host(), devices_[i / inputs_of_each()]);
    if (!buffer) return Unexpected(ToError(buffer.error()));
    inputs_[i] = std::move(*buffer);
  }
  return {};
}

Expected<CaseRunner::Outputs> CaseRunner::RunOnce(HostCall& call) {
  if (const Expected<void> renewed = RenewInputs(); !renewed) return Unexpected(renewed.error());
  std::vector<PJRT_Buffer*> arguments;
  arguments.reserve(inputs_.size());
  for (const Buffer& input : inputs_) arguments.push_back(input.get());
  call.start_ns = device::MonotonicNs();
  Result<Execution> execution = executable_.Execute(arguments, outputs_, donated_, devices_.size());
  const Result<void> done = execution ? execution->Await(client_.api()) : tl::unexpected(execution.error());
  call.end_ns = device::MonotonicNs();
  if (!done) return Unexpected(ToError(done.error()));
  return std::move(execution->outputs);
}

Expected<std::vector<HostCall>> CaseRunner::RunTimed(device::Repetition& repetition, Outputs& first, Outputs& last) {
  std::vector<HostCall> calls;
  std::vector<double> microseconds;
  while (repetition.Wants(microseconds)) {
    last.clear();  // frees the memory for the next run, which then needs no new pages
    HostCall call;
    Expected<Outputs> outputs = RunOnce(call);
    if (!outputs) return Unexpected(outputs.error());
    (calls.empty() ? first : last) = std::move(*outputs);
    calls.push_back(call);
    microseconds.push_back(Microseconds(call));
  }
  return calls;
}

Expected<Timing> CaseRunner::Execute(const protocol::Request& request, const protocol::Repeat& repeat,
                                     device::DeviceLog* log, ClockReader* clock) {
  for (int64_t run = 0; run < repeat.warmup; ++run) {
    HostCall call;
    if (const Expected<Outputs> ran = RunOnce(call); !ran) return Unexpected(ran.error());
  }
  Outputs first, last;
  std::optional<ClockReader::Recording> recording;
  if (log != nullptr && clock != nullptr) recording.emplace(*clock, request.case_id);
  device::Repetition repetition({.min_runs = repeat.min,
                                 .max_runs = repeat.max,
                                 .budget_ms = repeat.budget_ms,
                                 .relative_error = repeat.relative_error,
                                 .warm = repeat.warmup > 0});
  const Expected<std::vector<HostCall>> calls = RunTimed(repetition, first, last);
  if (!calls) return Unexpected(calls.error());
  PlacedRuns runs = RunsByHostClock(*calls);
  bool by_device = false;
  if (recording) {
    Expected<PlacedRuns> placed = recording->End(*calls);
    log->trace = recording->TakeTrace();
    recording.reset();
    by_device = placed.has_value();
    if (by_device) {
      runs = std::move(*placed);
    } else {
      log->why_host_clock = placed.error().message;
    }
  }
  if (repetition.DropsFirst(runs.microseconds.size())) {
    runs.starts_ns.erase(runs.starts_ns.begin());
    runs.microseconds.erase(runs.microseconds.begin());
  }
  if (log != nullptr) log->AddRuns(runs.starts_ns, runs.microseconds, {by_device, runs.slack_ns});
  if (const Expected<void> written = WriteOutputs(request, first, last, log); !written) {
    return Unexpected(written.error());
  }
  if (const Expected<void> checked = CheckInputs(); !checked) return Unexpected(checked.error());
  Timing timing = repetition.Summarize(std::move(runs.microseconds));
  timing.device_clock = by_device;
  return timing;
}

Expected<OutputTensor> CaseRunner::Fetch(const Outputs& outputs, size_t i, const TensorType& type) const {
  const std::string name = NameOf("output", i, outputs_);
  if (const Result<PJRT_Device*> device = outputs[i].Device();
      devices_.size() > 1 && device && *device != devices_[i / outputs_].get()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} is on the device of another process", name));
  }
  return FetchOutput(outputs[i], type, name);
}

Expected<OutputTensor> CaseRunner::FetchWhole(const Outputs& outputs, size_t output, const TensorType& type) const {
  const Division& division = sharding_->outputs[output];
  std::vector<OutputTensor> parts;
  parts.reserve(devices_.size());
  for (size_t i = output; i < outputs.size(); i += outputs_) {
    Expected<OutputTensor> part = Fetch(outputs, i, {ShardShape(type.shape, division), type.dtype});
    if (!part) return part;
    parts.push_back(std::move(*part));
  }
  std::vector<std::span<const std::byte>> bytes;
  bytes.reserve(parts.size());
  for (const OutputTensor& part : parts) bytes.emplace_back(part.bytes);
  OutputTensor whole = {.type = type, .bytes = std::vector<std::byte>(static_cast<size_t>(StoredBytes(type)))};
  const Expected<void> joined = Sharded(type, division).Join(bytes, whole.bytes);
  if (!joined) return MakeError(joined.error().code, fmt::format("output {}: {}", output, joined.error().message));
  return whole;
}

Expected<void> CaseRunner::WriteOutputs(const protocol::Request& request, const Outputs& first, const Outputs& last,
                                        device::DeviceLog* log) const {
  for (size_t i = 0; i < (sharding_ ? outputs_ : first.size()); ++i) {
    SpanTimer timer(log, "transfer_out", static_cast<int64_t>(i));
    const TensorType& type = request.outputs[i % outputs_];
    const auto write = [&](const Outputs& outputs, device::OutputsOf run) -> Expected<void> {
      const Expected<OutputTensor> output = sharding_ ? FetchWhole(outputs, i, type) : Fetch(outputs, i, type);
      if (!output) return Unexpected(output.error());
      return device::WriteRunOutput(request.dir, i, output->type, output->bytes, run);
    };
    if (const Expected<void> done = write(first, device::OutputsOf::kFirstRun); !done) return done;
    if (last.empty()) continue;
    if (const Expected<void> done = write(last, device::OutputsOf::kLastRun); !done) return done;
  }
  return {};
}

Expected<void> CaseRunner::CheckInputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].IsDeleted().value_or(false)) {
      if (IsDonated(i)) continue;
      return MakeError(ExitCode::kBadInput, fmt::format("the execution took {}, which the program does not donate",
                                                        NameOf("input", i, inputs_of_each())));
    }
    const Expected<void> untouched = CheckUntouched(inputs_[i], tensors_[i], NameOf("input", i, inputs_of_each()));
    if (!untouched) return untouched;
  }
  return {};
}

}  // namespace opbyop::pjrt
