// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The result of a plugin's compilation: an executable that can be inspected, and a loaded one that can be run.
//
//   Result<LoadedExecutable> loaded = client.Compile(artifact, options);
//   Result<Executable> facts = loaded->Facts();
//   Result<Execution> run = loaded->Execute(inputs, *facts->NumOutputs(), {});
//   Result<void> done = run->Await(api);
#ifndef OPBYOP_DEVICE_PJRT_EXECUTABLE_H_
#define OPBYOP_DEVICE_PJRT_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/pjrt/api.h"
#include "device/pjrt/buffer.h"
#include "device/pjrt/named_value.h"

namespace opbyop::pjrt {

// A program in the form that PJRT_Executable_OptimizedProgram returns.
struct Program {
  std::string format;  // "hlo", "hlo_with_config", "mlir"
  std::string code;
};

class Executable {
 public:
  Executable(const Api& api, PJRT_Executable* executable) : api_(api), executable_(Own(api, executable)) {}

  PJRT_Executable* get() const { return executable_.get(); }

  Result<std::string> Name() const;
  Result<size_t> NumOutputs() const;
  Result<size_t> NumReplicas() const;
  Result<size_t> NumPartitions() const;
  Result<std::vector<int>> OutputTypes() const;
  Result<std::vector<std::vector<int64_t>>> OutputShapes() const;
  Result<std::vector<std::string>> OutputMemoryKinds() const;
  Result<std::string> Fingerprint() const;
  Result<int64_t> CodeBytes() const;

  // The compiler's own estimates: "flops", "bytes accessed", "optimal_seconds", ...
  Result<NamedValues> Costs() const;

  // Bytes of the device's memory by their use: "code", "arguments", "outputs", "aliased", "temporaries", "peak".
  Result<std::map<std::string, int64_t>> MemoryUse() const;

  Result<Program> OptimizedProgram() const;

  // The bytes for PJRT_Executable_DeserializeAndLoad of the same plugin.
  Result<std::string> Serialize() const;

 private:
  Api api_;
  Owned<PJRT_Executable> executable_;
};

// A run that was started. `done` has an event for each device, null if the plugin gives none; each output then reports
// when it is ready. The outputs of all devices are numbered in the order of the devices.
struct Execution {
  std::vector<Buffer> outputs;
  std::vector<Owned<PJRT_Event>> done;

  Result<void> Await(const Api& api);
};

class LoadedExecutable {
 public:
  LoadedExecutable(const Api& api, PJRT_LoadedExecutable* executable) : api_(api), executable_(Own(api, executable)) {}

  PJRT_LoadedExecutable* get() const { return executable_.get(); }

  Result<Executable> Facts() const;
  Result<void> Delete() const;
  Result<bool> IsDeleted() const;

  // Runs on all `devices` that the program was compiled for, in the order of its processes. `inputs` are those of all
  // devices, `outputs` is the number of one. Inputs in `not_donated` stay valid even if the program donates them.
  Result<Execution> Execute(std::span<PJRT_Buffer* const> inputs, size_t outputs, std::span<const int64_t> not_donated,
                            size_t devices = 1) const;

 private:
  Api api_;
  Owned<PJRT_LoadedExecutable> executable_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_EXECUTABLE_H_
