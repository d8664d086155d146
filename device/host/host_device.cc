// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/host_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "device/host/arena.h"
#include "device/host/machine.h"
#include "device/run_outputs.h"
#include "support/dtype.h"
#include "support/files/npy.h"

namespace opbyop::host {
namespace {

using device::SpanTimer;
using device::StageResult;

// Fills buffers before a run, so that elements that a function leaves unwritten do not pass by luck.
constexpr std::byte kUnwritten{0xa5};

// Inputs of this size are read where their files are mapped, for no function writes to its arguments: a copy would take
// as much memory again.
constexpr size_t kWorthMapping = size_t{1} << 28;

size_t BytesOf(const TensorType& type) { return static_cast<size_t>(StoredBytes(type)); }

// The mask of the used bits. Generated code relies on zero in the unused bits of elements narrower than a byte, as LLVM
// stores them.
uint8_t MaskOf(std::string_view dtype) {
  return static_cast<uint8_t>((1u << std::min<int64_t>(DtypeBits(dtype).value_or(8), 8)) - 1);
}

bool FitsMask(std::span<const std::byte> bytes, uint8_t mask) {
  std::byte all{0};
  for (const std::byte byte : bytes) all |= byte;
  return (static_cast<uint8_t>(all) & ~mask) == 0;
}

// Signed elements narrower than a byte are written to files with their sign extended.
void ExtendSign(const TensorType& type, std::span<std::byte> bytes) {
  if (!IsNarrowSignedInteger(type.dtype)) return;
  const auto shift = 8 - *DtypeBits(type.dtype);
  for (std::byte& byte : bytes) {
    const auto raised = static_cast<int8_t>(static_cast<uint8_t>(byte) << shift);
    byte = static_cast<std::byte>(raised >> shift);
  }
}

}  // namespace

Expected<HostDevice::Input> HostDevice::ReadInput(const device::ExecuteRequest& request, int64_t index) const {
  const TensorType& type = signature_.inputs[static_cast<size_t>(index) % signature_.inputs.size()];
  const size_t size = BytesOf(type);
  SpanTimer timer(request.log, "transfer_in", index, static_cast<int64_t>(size));
  const auto of_each = static_cast<int64_t>(signature_.inputs.size());
  const auto division = [&](int64_t input) -> const Division& {
    return request.sharding->inputs[static_cast<size_t>(input)];
  };
  const int64_t number = request.sharding ? index % of_each : index;
  const std::filesystem::path path = request.dir / fmt::format("input_{}.npy", number);
  auto file = ReadNpy(path);
  if (!file) return Unexpected(file.error());
  std::vector<std::byte> part;
  std::span<const std::byte> bytes = file->bytes();
  std::vector<int64_t> shape = file->shape();
  if (request.sharding && static_cast<size_t>(number) < request.sharding->inputs.size() &&
      CanDivide(shape, division(number)) && static_cast<int64_t>(bytes.size()) == StoredBytes({shape, type.dtype})) {
    part = Sharded({shape, type.dtype}, division(number)).Take(bytes, index / of_each);
    bytes = part;
    shape = ShardShape(shape, division(number));
  }
  if (shape != type.shape || bytes.size() != size) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: shape [{}], dtype {}; the artifact takes [{}] of {}", path.string(),
                                 fmt::join(shape, ", "), file->descr(), fmt::join(type.shape, ", "), type.dtype));
  }
  const uint8_t mask = MaskOf(type.dtype);
  const bool is_aligned = reinterpret_cast<uintptr_t>(bytes.data()) % kMemoryAlignment == 0;
  if (size >= kWorthMapping && part.empty() && is_aligned && (mask == 0xff || FitsMask(bytes, mask))) {
    file->ReadAhead();  // a part of the transfer, not of the execution
    return Input{.copy = nullptr, .file = std::move(*file)};
  }
  Input input{.copy = AllocateAligned(size), .file = {}};
  std::byte* const to = input.copy.get();
  if (to == nullptr) {
    return MakeError(ExitCode::kInternal, fmt::format("no memory for {} bytes of {}", size, path.string()));
  }
  std::ranges::copy(bytes, to);
  if (mask != 0xff) {
    for (size_t i = 0; i < size; ++i) to[i] &= static_cast<std::byte>(mask);
  }
  return input;
}

Expected<std::unique_ptr<HostDevice>> HostDevice::Create() {
  auto loader = ObjectLoader::Create();
  if (!loader) return Unexpected(loader.error());
  return std::unique_ptr<HostDevice>(new HostDevice(std::move(*loader)));
}

StageResult HostDevice::Load(std::string_view artifact) {
  const Expected<void> done = LoadChecked(artifact);
  return done ? StageResult() : device::ResultOf(done.error());
}

Expected<void> HostDevice::LoadChecked(std::string_view bytes) {
  // An artifact that is executed many times is linked once.
  if (entry_ && bytes == loaded_) return {};
  entry_ = nullptr;
  uploaded_ = {};
  auto artifact = ReadArtifact(bytes);
  if (!artifact) return Unexpected(artifact.error());
  const Machine& machine = ThisMachine();
  if (artifact->triple != machine.triple || artifact->cpu != machine.cpu) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("the artifact is for {} ({}), this machine is {} ({}); compile it here",
                                 artifact->triple, artifact->cpu, machine.triple, machine.cpu));
  }
  auto entry = loader_.Load(artifact->object, artifact->entry);
  if (!entry) return Unexpected(entry.error());
  signature_ = std::move(artifact->signature);
  grid_ = artifact->grid;
  entry_ = *entry;
  loaded_ = bytes;
  return {};
}

bool HostDevice::Upload(const device::ExecuteRequest& request, const std::vector<int64_t>& inputs) {
  uploaded_ = {.dir = request.dir, .inputs = {}};
  const auto count = static_cast<int64_t>(signature_.inputs.size()) * grid_.processes();
  for (const int64_t index : inputs) {
    if (!entry_ || index >= count) return false;
    Expected<Input> input = ReadInput(request, index);
    if (!input) return false;
    uploaded_.inputs.emplace(index, std::move(*input));
  }
  return static_cast<int64_t>(uploaded_.inputs.size()) == count;
}

StageResult HostDevice::Execute(const device::ExecuteRequest& request, Timing& timing) {
  const Expected<void> done = ExecuteChecked(request, timing);
  const StageResult result = done ? StageResult() : device::ResultOf(done.error());
  ReleaseArena();
  return result;
}

Expected<void> HostDevice::Call(const std::vector<std::vector<void*>>& pointers, std::vector<protocol::Span>* spans) {
  if (grid_ == Grid()) {
    entry_(const_cast<void**>(pointers.front().data()));
    return {};
  }
  ProcessThreads threads(grid_.processes(), spans != nullptr);
  Expected<void> ran = threads.Run([&](int64_t process) {
    entry_(const_cast<void**>(pointers[static_cast<size_t>(process)].data()));
    ReleaseArena();  // each thread has a heap of its own
  });
  if (spans != nullptr) *spans = threads.spans();
  return ran;
}

Expected<void> HostDevice::WriteOutputs(const device::ExecuteRequest& request,
                                        const std::vector<AlignedMemory>& outputs, device::OutputsOf run) const {
  const size_t of_each = signature_.outputs.size();
  if (request.sharding && (request.outputs.size() != of_each || request.sharding->outputs.size() != of_each)) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the artifact has {} outputs, the request {} with {} shardings", of_each,
                                 request.outputs.size(), request.sharding->outputs.size()));
  }
  for (size_t i = 0; i < (request.sharding ? of_each : outputs.size()); ++i) {
    TensorType type = signature_.outputs[i % of_each];
    std::span<std::byte> bytes(outputs[i].get(), BytesOf(type));
    std::vector<std::byte> joined;
    if (request.sharding) {  // each process has a part of the output
      const Division& division = request.sharding->outputs[i];
      type.shape = request.outputs[i].shape;
      if (!CanDivide(type.shape, division) || ShardShape(type.shape, division) != signature_.outputs[i].shape) {
        return MakeError(ExitCode::kBadInput, fmt::format("output {} of the artifact has not the shape of a part", i));
      }
      std::vector<std::span<const std::byte>> parts;
      for (size_t part = i; part < outputs.size(); part += of_each) {
        parts.emplace_back(outputs[part].get(), bytes.size());
      }
      joined.resize(BytesOf(type));
      const Expected<void> done = Sharded(type, division).Join(parts, joined);
      if (!done) return MakeError(done.error().code, fmt::format("output {}: {}", i, done.error().message));
      bytes = joined;
    }
    SpanTimer timer(run == device::OutputsOf::kFirstRun ? request.log : nullptr, "transfer_out",
                    static_cast<int64_t>(i), static_cast<int64_t>(bytes.size()));
    ExtendSign(type, bytes);
    const Expected<void> written = device::WriteRunOutput(request.output_folder(), i, type, bytes, run);
    if (!written) return written;
  }
  return {};
}

Expected<void> HostDevice::ExecuteChecked(const device::ExecuteRequest& request, Timing& timing) {
  if (!entry_) return MakeError(ExitCode::kInternal, "execute without a loaded artifact");
  Uploaded uploaded = std::exchange(uploaded_, {});
  if (uploaded.dir != request.dir) uploaded.inputs.clear();
  if (request.grid != grid_) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("the artifact is for {} replicas and {} partitions, the case has {} and {}",
                                 grid_.replicas, grid_.partitions, request.grid.replicas, request.grid.partitions));
  }
  const auto processes = static_cast<size_t>(grid_.processes());
  const size_t inputs_of_each = signature_.inputs.size(), outputs_of_each = signature_.outputs.size();
  // The buffers of all processes, in their order.
  std::vector<Input> inputs;
  std::vector<AlignedMemory> outputs;
  for (int64_t i = 0; i < static_cast<int64_t>(inputs_of_each * processes); ++i) {
    const auto there = uploaded.inputs.find(i);
    Expected<Input> input = there == uploaded.inputs.end() ? ReadInput(request, i) : std::move(there->second);
    if (!input) return Unexpected(input.error());
    inputs.push_back(std::move(*input));
  }
  std::vector<std::vector<void*>> pointers(processes);
  const auto prepare_outputs = [&](device::DeviceLog* log) -> Expected<void> {
    for (size_t i = 0; i < outputs_of_each * processes; ++i) {
      const size_t bytes = BytesOf(signature_.outputs[i % outputs_of_each]);
      SpanTimer timer(log, "allocate", static_cast<int64_t>(i), static_cast<int64_t>(bytes));
      if (outputs.size() == i) outputs.push_back(AllocateAligned(bytes));
      if (!outputs[i]) return MakeError(ExitCode::kInternal, fmt::format("no memory for {} bytes of output", bytes));
      std::fill_n(outputs[i].get(), bytes, kUnwritten);
    }
    for (size_t process = 0; process < processes; ++process) {
      pointers[process].clear();
      for (size_t i = 0; i < inputs_of_each; ++i) {
        pointers[process].push_back(inputs[process * inputs_of_each + i].data());
      }
      for (size_t i = 0; i < outputs_of_each; ++i) {
        pointers[process].push_back(outputs[process * outputs_of_each + i].get());
      }
    }
    return {};
  };
  if (const Expected<void> done = prepare_outputs(request.log); !done) return done;

  for (int64_t run = 0; run < request.warmup; ++run) {
    if (const Expected<void> called = Call(pointers, nullptr); !called) return called;
    ResetArena();
  }
  std::vector<AlignedMemory> of_first;  // if it is not written yet
  std::vector<double> microseconds;
  std::vector<int64_t> starts_ns;
  std::vector<std::vector<protocol::Span>> processes_of_runs;  // what each process did in each run
  device::Repetition repetition(request.repeat);
  while (repetition.Wants(microseconds)) {
    if (microseconds.size() == 1) {
      // Large outputs are in memory once if they are written now; in a timeline the transfer comes after all runs.
      if (request.log != nullptr) {
        of_first.swap(outputs);
      } else if (const auto written = WriteOutputs(request, outputs, device::OutputsOf::kFirstRun); !written) {
        return written;
      }
      if (const Expected<void> done = prepare_outputs(nullptr); !done) return done;
    }
    const int64_t start = device::MonotonicNs();
    std::vector<protocol::Span> spans;
    const Expected<void> called = Call(pointers, request.log == nullptr ? nullptr : &spans);
    const int64_t spent = device::MonotonicNs() - start;
    if (!called) return called;
    if (request.log != nullptr) {
      starts_ns.push_back(start);
      processes_of_runs.push_back(std::move(spans));
    }
    microseconds.push_back(static_cast<double>(spent) / 1e3);
    ResetArena();
  }
  const size_t runs = microseconds.size();
  if (repetition.DropsFirst(runs)) {
    microseconds.erase(microseconds.begin());
    if (!starts_ns.empty()) {
      starts_ns.erase(starts_ns.begin());
      processes_of_runs.erase(processes_of_runs.begin());
    }
  }
  if (request.log != nullptr) {
    const size_t median = request.log->AddRuns(starts_ns, microseconds);
    if (!starts_ns.empty()) std::ranges::move(processes_of_runs[median], std::back_inserter(request.log->spans));
  }
  timing = repetition.Summarize(std::move(microseconds));

  if (runs <= 1 || request.log != nullptr) {
    const auto written = WriteOutputs(request, of_first.empty() ? outputs : of_first, device::OutputsOf::kFirstRun);
    if (!written) return written;
  }
  return runs <= 1 ? Expected<void>() : WriteOutputs(request, outputs, device::OutputsOf::kLastRun);
}

}  // namespace opbyop::host
