// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/pjrt/event.h"
#include "device/pjrt/raw_enum.h"

namespace opbyop::pjrt {
namespace {

// No program has more outputs. The plugin's list would be read beyond its memory if it claimed more.
constexpr size_t kMostOutputs = 1 << 16;

CallError TooManyOutputs(std::string_view function, size_t count) {
  return {std::string(function), PJRT_Error_Code_INTERNAL, fmt::format("{} tells of {} outputs", function, count)};
}

}  // namespace

Result<std::string> Executable::Name() const {
  auto args = Arguments<PJRT_Executable_Name_Args>();
  args.executable = executable_.get();
  return api_.Call(args).map([&] { return std::string(TextOf(args.executable_name, args.executable_name_size)); });
}

Result<size_t> Executable::NumOutputs() const {
  auto args = Arguments<PJRT_Executable_NumOutputs_Args>();
  args.executable = executable_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.num_outputs > kMostOutputs) {
    return tl::unexpected(TooManyOutputs("PJRT_Executable_NumOutputs", args.num_outputs));
  }
  return args.num_outputs;
}

Result<size_t> Executable::NumReplicas() const {
  auto args = Arguments<PJRT_Executable_NumReplicas_Args>();
  args.executable = executable_.get();
  return api_.Call(args).map([&] { return args.num_replicas; });
}

Result<size_t> Executable::NumPartitions() const {
  auto args = Arguments<PJRT_Executable_NumPartitions_Args>();
  args.executable = executable_.get();
  return api_.Call(args).map([&] { return args.num_partitions; });
}

Result<std::vector<int>> Executable::OutputTypes() const {
  auto args = Arguments<PJRT_Executable_OutputElementTypes_Args>();
  args.executable = executable_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.output_types == nullptr) return std::vector<int>();
  if (args.num_output_types > kMostOutputs) {
    return tl::unexpected(TooManyOutputs("PJRT_Executable_OutputElementTypes", args.num_output_types));
  }
  std::vector<int> types;
  for (size_t i = 0; i < args.num_output_types; ++i) types.push_back(RawEnum(args.output_types[i]));
  return types;
}

Result<std::vector<std::vector<int64_t>>> Executable::OutputShapes() const {
  auto args = Arguments<PJRT_Executable_OutputDimensions_Args>();
  args.executable = executable_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.num_outputs > kMostOutputs) {
    return tl::unexpected(TooManyOutputs("PJRT_Executable_OutputDimensions", args.num_outputs));
  }
  std::vector<std::vector<int64_t>> shapes;
  const int64_t* next = args.dims;
  for (size_t i = 0; args.dim_sizes != nullptr && i < args.num_outputs; ++i) {
    if (args.dim_sizes[i] > 0 && next == nullptr) {
      return tl::unexpected(MissingResultError("PJRT_Executable_OutputDimensions", "dimensions"));
    }
    shapes.emplace_back(next, next + args.dim_sizes[i]);
    next += args.dim_sizes[i];
  }
  return shapes;
}

Result<std::vector<std::string>> Executable::OutputMemoryKinds() const {
  auto args = Arguments<PJRT_Executable_OutputMemoryKinds_Args>();
  args.executable = executable_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  std::vector<std::string> kinds;
  for (size_t i = 0; args.memory_kinds != nullptr && args.memory_kind_sizes != nullptr && i < args.num_outputs; ++i) {
    kinds.emplace_back(TextOf(args.memory_kinds[i], args.memory_kind_sizes[i]));
  }
  return kinds;
}

Result<std::string> Executable::Fingerprint() const {
  auto args = Arguments<PJRT_Executable_Fingerprint_Args>();
  args.executable = executable_.get();
  return api_.Call(args).map(
      [&] { return std::string(TextOf(args.executable_fingerprint, args.executable_fingerprint_size)); });
}

Result<int64_t> Executable::CodeBytes() const {
  auto args = Arguments<PJRT_Executable_SizeOfGeneratedCodeInBytes_Args>();
  args.executable = executable_.get();
  return api_.Call(args).map([&] { return args.size_in_bytes; });
}

Result<NamedValues> Executable::Costs() const {
  auto args = Arguments<PJRT_Executable_GetCostAnalysis_Args>();
  args.executable = executable_.get();
  return api_.Call(args).map([&] { return ReadNamedValues(args.properties, args.num_properties); });
}

Result<std::map<std::string, int64_t>> Executable::MemoryUse() const {
  auto args = Arguments<PJRT_Executable_GetCompiledMemoryStats_Args>();
  args.executable = executable_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  return std::map<std::string, int64_t>{
      {"code", args.generated_code_size_in_bytes}, {"arguments", args.argument_size_in_bytes},
      {"outputs", args.output_size_in_bytes},      {"aliased", args.alias_size_in_bytes},
      {"temporaries", args.temp_size_in_bytes},    {"peak", args.peak_memory_in_bytes}};
}

Result<Program> Executable::OptimizedProgram() const {
  ArgumentBlock<PJRT_Program> program({}, api_.BytesOf<PJRT_Program>());
  auto args = Arguments<PJRT_Executable_OptimizedProgram_Args>();
  args.executable = executable_.get();
  args.program = program.get();
  if (Result<void> called = api_.Call(args, program); !called) return tl::unexpected(called.error());
  Program read;
  read.code.resize(program.value().code_size);
  program.get()->code = read.code.data();
  if (Result<void> called = api_.Call(args, program); !called) return tl::unexpected(called.error());
  read.format = TextOf(program.value().format, program.value().format_size);
  return read;
}

Result<std::string> Executable::Serialize() const {
  auto args = Arguments<PJRT_Executable_Serialize_Args>();
  args.executable = executable_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  std::string bytes(TextOf(args.serialized_bytes, args.serialized_bytes_size));
  if (args.serialized_executable_deleter != nullptr) args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

// Returns the first error without waiting for the other devices, which may wait for the one that failed.
Result<void> Execution::Await(const Api& api) {
  bool all_have_events = true;
  for (Owned<PJRT_Event>& event : done) {
    if (event == nullptr) {
      all_have_events = false;
    } else if (Result<void> ended = pjrt::Await(api, std::move(event), "PJRT_LoadedExecutable_Execute"); !ended) {
      return ended;
    }
  }
  if (all_have_events) return {};
  for (const Buffer& output : outputs) {
    if (Result<void> ready = output.AwaitReady(); !ready) return ready;
  }
  return {};
}

Result<Executable> LoadedExecutable::Facts() const {
  auto args = Arguments<PJRT_LoadedExecutable_GetExecutable_Args>();
  args.loaded_executable = get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.executable == nullptr) {
    return tl::unexpected(MissingResultError("PJRT_LoadedExecutable_GetExecutable", "executable"));
  }
  return Executable(api_, args.executable);
}

Result<void> LoadedExecutable::Delete() const {
  auto args = Arguments<PJRT_LoadedExecutable_Delete_Args>();
  args.executable = get();
  return api_.Call(args);
}

Result<bool> LoadedExecutable::IsDeleted() const {
  auto args = Arguments<PJRT_LoadedExecutable_IsDeleted_Args>();
  args.executable = get();
  return api_.Call(args).map([&] { return args.is_deleted; });
}

Result<Execution> LoadedExecutable::Execute(std::span<PJRT_Buffer* const> inputs, size_t outputs,
                                            std::span<const int64_t> not_donated, size_t devices) const {
  ArgumentBlock<PJRT_ExecuteOptions> options(
      {.non_donatable_input_indices = not_donated.data(), .num_non_donatable_input_indices = not_donated.size()},
      api_.BytesOf<PJRT_ExecuteOptions>());
  const size_t arguments = inputs.size() / devices;
  std::vector<PJRT_Buffer*> made(outputs * devices, nullptr);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t device = 0; device < devices; ++device) {
    argument_lists.push_back(inputs.data() + device * arguments);
    output_lists.push_back(made.data() + device * outputs);
  }
  std::vector<PJRT_Event*> events(devices, nullptr);
  auto args = Arguments<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = get();
  args.options = options.get();
  args.argument_lists = argument_lists.data();
  args.num_devices = devices;
  args.num_args = arguments;
  args.output_lists = output_lists.data();
  args.device_complete_events = events.data();
  if (Result<void> called = api_.Call(args, options); !called) return tl::unexpected(called.error());
  Execution execution;
  for (PJRT_Event* event : events) execution.done.push_back(Own(api_, event));
  for (const PJRT_Buffer* buffer : made) {
    // The buffer would be destroyed twice.
    if (buffer != nullptr && std::ranges::find(inputs, buffer) != inputs.end()) {
      return tl::unexpected(CallError{.function = "PJRT_LoadedExecutable_Execute",
                                      .code = PJRT_Error_Code_INTERNAL,
                                      .message = "PJRT_LoadedExecutable_Execute gave an argument as an output"});
    }
  }
  bool whole = true;
  execution.outputs.reserve(made.size());
  for (PJRT_Buffer* buffer : made) {
    whole = whole && buffer != nullptr;
    execution.outputs.emplace_back(api_, buffer);
  }
  if (!whole) {
    return tl::unexpected(
        MissingResultError("PJRT_LoadedExecutable_Execute", fmt::format("buffer for one of {} outputs", made.size())));
  }
  return execution;
}

}  // namespace opbyop::pjrt
