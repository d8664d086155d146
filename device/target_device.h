// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The device half of a target: loads an artifact and runs it.
//
//   StageResult loaded = device.Load(artifact);
//   Timing timing;
//   StageResult ran = device.Execute({.dir = scratch, .repeat = {.max_runs = 10, .budget_ms = 20}}, timing);
//
// Inputs are `dir`/input_<i>.npy, outputs `dir`/output_<i>.npy. A device holds at most one loaded artifact; loading
// another one drops it.
#ifndef OPBYOP_DEVICE_TARGET_DEVICE_H_
#define OPBYOP_DEVICE_TARGET_DEVICE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_span.h"
#include "device/repetition.h"
#include "device/target_compiler.h"
#include "manifests/cases/case_sharding.h"
#include "manifests/cases/grid.h"
#include "manifests/results/result.h"
#include "support/tensor_type.h"

namespace opbyop::device {

struct ExecuteRequest {
  std::filesystem::path dir;
  std::filesystem::path output_dir = {};  // empty: `dir`
  RepetitionLimits repeat;
  int64_t warmup = 0;        // earlier runs that are not timed
  DeviceLog* log = nullptr;  // if not null, records what was done when; a device may leave it empty

  // The signature of the program, for devices that cannot read it from the program.
  std::vector<TensorType> inputs = {};
  std::vector<TensorType> outputs = {};
  // The processes that run the program at once; the files are those of all (manifests/cases/grid.h).
  Grid grid = {};
  // If not null, the files and `inputs` and `outputs` are those of whole tensors, of which each partition of `grid` has
  // parts.
  std::shared_ptr<const CaseSharding> sharding = nullptr;

  const std::filesystem::path& output_folder() const { return output_dir.empty() ? dir : output_dir; }
};

class TargetDevice {
 public:
  virtual ~TargetDevice() = default;
  virtual StageResult Load(std::string_view artifact) = 0;

  // How many cores of this machine an execution uses; 0 if it runs elsewhere.
  virtual int64_t Cores() const { return 0; }

  // The most processes of one program that it runs at once.
  virtual int64_t Devices() const { return 1; }

  // Whether it divides the tensors of a sharded program among them.
  virtual bool Divides() const { return false; }

  // Returns true if Load needs nothing but the artifact's bytes, whatever was compiled since.
  virtual bool LoadsFromBytes() const { return false; }

  // Announces that the next artifact to load belongs to this case and comes from a file that another worker saved,
  // perhaps on another machine. Returns false if the device cannot load such a file.
  virtual bool Adopt(const std::string& case_id, const std::filesystem::path& artifact) {
    (void)case_id, (void)artifact;
    return LoadsFromBytes();
  }

  // Transfers `inputs` of the loaded program before an Execute in the same folder, which then finds them on the device.
  // Returns true if the program takes no other inputs.
  virtual bool Upload(const ExecuteRequest& request, const std::vector<int64_t>& inputs) {
    (void)request, (void)inputs;
    return false;
  }

  virtual StageResult Execute(const ExecuteRequest& request, Timing& timing) = 0;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_TARGET_DEVICE_H_
