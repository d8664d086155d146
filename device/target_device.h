// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device half of a target: loads an artifact and runs it.
//
//   StageResult loaded = device.Load(artifact);
//   Timing timing;
//   StageResult ran = device.Execute({.dir = scratch, .repeat = {.max_runs = 10, .budget_ms = 20}}, timing);
//
// Inputs are `dir`/input_<i>.npy, outputs `dir`/output_<i>.npy. A device holds at most one loaded artifact;
// loading another drops it.
#ifndef OPBYOP_DEVICE_TARGET_DEVICE_H_
#define OPBYOP_DEVICE_TARGET_DEVICE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_span.h"
#include "device/repetition.h"
#include "device/target_compiler.h"
#include "manifests/results/result.h"
#include "support/tensor_type.h"

namespace opbyop::device {

struct ExecuteRequest {
  std::filesystem::path dir;
  std::filesystem::path output_dir = {};  // empty: `dir`
  RepetitionLimits repeat;
  int64_t warmup = 0;        // runs before these that are not timed
  DeviceLog* log = nullptr;  // where not null: what was done when; a device may leave it empty

  // What the program is to those who cannot read it.
  std::vector<TensorType> inputs = {};
  std::vector<TensorType> outputs = {};

  const std::filesystem::path& where_outputs_go() const { return output_dir.empty() ? dir : output_dir; }
};

class TargetDevice {
 public:
  virtual ~TargetDevice() = default;
  virtual StageResult Load(std::string_view artifact) = 0;

  // How many cores of this machine an execution uses; 0 if it runs elsewhere.
  virtual int64_t Cores() const { return 0; }

  // True where Load needs nothing but the artifact's bytes, whatever was compiled since.
  virtual bool LoadsFromBytes() const { return false; }

  // What is loaded next is this case's, from a file that another worker saved, perhaps on another machine. False where
  // the device cannot load it so.
  virtual bool Adopt(const std::string& case_id, const std::filesystem::path& artifact) {
    (void)case_id, (void)artifact;
    return LoadsFromBytes();
  }

  // Transfers `inputs` of what is loaded ahead of the Execute of the same folder, which finds them on the device. True
  // where the program takes no others.
  virtual bool Upload(const ExecuteRequest& request, const std::vector<int64_t>& inputs) {
    (void)request, (void)inputs;
    return false;
  }

  virtual StageResult Execute(const ExecuteRequest& request, Timing& timing) = 0;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_TARGET_DEVICE_H_
