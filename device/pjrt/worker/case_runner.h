// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a compiled case on its inputs as often as requested.
//
//   CaseRunner runner(session.client(), session.devices(), *compiled.loaded, outputs, donated, sharding);
//   Expected<void> loaded = runner.Load(request.dir, request.inputs, log);
//   Expected<Timing> timing = runner.Execute(request, log, clock);   // writes output_<i>.npy
//
// The program runs on all devices at once, one for each process; files are those of all processes in their order
// (manifests/cases/grid.h). Those of a sharded case are whole tensors, of which each device gets its part, and whose
// results are joined. With a log and a ClockReader, the timed runs are measured by the device's own clock if possible; otherwise the log
// says why not.
#ifndef OPBYOP_DEVICE_PJRT_WORKER_CASE_RUNNER_H_
#define OPBYOP_DEVICE_PJRT_WORKER_CASE_RUNNER_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_span.h"
#include "device/pjrt/client.h"
#include "device/pjrt/worker/clock_reader.h"
#include "device/pjrt/worker/execution_tensors.h"
#include "device/repetition.h"
#include "manifests/cases/case_sharding.h"
#include "manifests/results/result.h"
#include "protocol/request.h"

namespace opbyop::pjrt {

class CaseRunner {
 public:
  // `outputs` is the number of outputs of one device; `sharding` is null if the case is not sharded.
  CaseRunner(const Client& client, std::span<const Device> devices, const LoadedExecutable& executable, size_t outputs,
             std::vector<int64_t> donated, std::shared_ptr<const CaseSharding> sharding)
      : client_(client),
        devices_(devices),
        executable_(executable),
        outputs_(outputs),
        donated_(std::move(donated)),
        sharding_(std::move(sharding)) {}

  // Transfers the inputs to the devices; `types` are those of the request.
  Expected<void> Load(const std::filesystem::path& dir, const std::vector<TensorType>& types, device::DeviceLog* log);

  // Returns kBadInput if an output does not have the program's type or shape or is not on its device, or if an input
  // was modified on the device. `clock` is null if the host's clock is wanted.
  Expected<Timing> Execute(const protocol::Request& request, const protocol::Repeat& repeat, device::DeviceLog* log,
                           ClockReader* clock);

 private:
  using Outputs = std::vector<Buffer>;

  // The inputs of all devices, in their order.
  Expected<std::vector<InputTensor>> ReadInputs(const std::filesystem::path& dir,
                                                const std::vector<TensorType>& types) const;

  // Transfers donated inputs again if the plugin consumed them.
  Expected<void> RenewInputs();
  Expected<Outputs> RunOnce(HostCall& call);
  // Runs as often as requested; returns the outputs of the first and the last run.
  Expected<std::vector<HostCall>> RunTimed(device::Repetition& repetition, Outputs& first, Outputs& last);
  Expected<void> WriteOutputs(const protocol::Request& request, const Outputs& first, const Outputs& last,
                              device::DeviceLog* log) const;
  // Fetches output i % outputs_ of process i / outputs_.
  Expected<OutputTensor> Fetch(const Outputs& outputs, size_t i, const TensorType& type) const;
  // Joins the parts that the devices made of an output.
  Expected<OutputTensor> FetchWhole(const Outputs& outputs, size_t output, const TensorType& type) const;
  Expected<void> CheckInputs() const;
  bool IsDonated(size_t input) const;
  // "input 1", or "process 3, input 1" if there are several devices.
  std::string NameOf(std::string_view kind, size_t number, size_t of_each) const;
  size_t inputs_of_each() const { return inputs_.size() / devices_.size(); }

  const Client& client_;
  std::span<const Device> devices_;
  const LoadedExecutable& executable_;
  size_t outputs_;
  std::vector<int64_t> donated_;
  std::shared_ptr<const CaseSharding> sharding_;
  std::vector<InputTensor> tensors_;  // of all devices
  std::vector<Buffer> inputs_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_CASE_RUNNER_H_
