// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a compiled case on its inputs, as often as asked.
//
//   CaseRunner runner(session.client(), session.device(), *compiled.loaded, outputs, donated);
//   Expected<void> loaded = runner.Load(request.dir, request.inputs, log);
//   Expected<Timing> timing = runner.Execute(request, log, clock);   // writes output_<i>.npy
//
// With a log and a ClockReader the timed runs are measured by the device's own clock, where that can be; the log says
// why where it cannot.
#ifndef OPBYOP_DEVICE_PJRT_WORKER_CASE_RUNNER_H_
#define OPBYOP_DEVICE_PJRT_WORKER_CASE_RUNNER_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "device/device_span.h"
#include "device/pjrt/client.h"
#include "device/pjrt/worker/clock_reader.h"
#include "device/pjrt/worker/execution_tensors.h"
#include "device/repetition.h"
#include "manifests/results/result.h"
#include "protocol/request.h"

namespace opbyop::pjrt {

class CaseRunner {
 public:
  CaseRunner(const Client& client, const Device& device, const LoadedExecutable& executable, size_t outputs,
             std::vector<int64_t> donated)
      : client_(client), device_(device), executable_(executable), outputs_(outputs), donated_(std::move(donated)) {}

  // The inputs to the device.
  Expected<void> Load(const std::filesystem::path& dir, const std::vector<TensorType>& types, device::DeviceLog* log);

  // kBadInput where an output is not what the program says, or an input is no longer what was sent. `clock` is null
  // where the host's is wanted.
  Expected<Timing> Execute(const protocol::Request& request, device::DeviceLog* log, ClockReader* clock);

 private:
  using Outputs = std::vector<Buffer>;

  // Sends a donated input again that the plugin took.
  Expected<void> RenewInputs();
  Expected<Outputs> RunOnce(HostCall& call);
  // As often as asked; what the first and the last gave.
  Expected<std::vector<HostCall>> RunTimed(device::Repetition& repetition, Outputs& first, Outputs& last);
  Expected<void> WriteOutputs(const protocol::Request& request, const Outputs& first, const Outputs& last,
                              device::DeviceLog* log) const;
  Expected<void> CheckInputs() const;
  bool IsDonated(size_t input) const;

  const Client& client_;
  const Device& device_;
  const LoadedExecutable& executable_;
  size_t outputs_;
  std::vector<int64_t> donated_;
  std::vector<InputTensor> tensors_;
  std::vector<Buffer> inputs_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_CASE_RUNNER_H_
