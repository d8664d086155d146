// The device half of a target: loads an artifact and runs it.
//
//   StageResult loaded = device.Load(artifact);
//   Timing timing;
//   StageResult ran = device.Execute({.dir = scratch, .min_runs = 1, .max_runs = 10, .budget_ms = 20}, timing);
//
// Inputs are `dir`/input_<i>.npy, outputs `dir`/output_<i>.npy. A device holds at most one loaded artifact;
// loading another drops it.
#ifndef OPBYOP_DEVICE_TARGET_DEVICE_H_
#define OPBYOP_DEVICE_TARGET_DEVICE_H_

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "device/target_compiler.h"
#include "manifests/result.h"

namespace opbyop {

// A case runs at least `min_runs` times, then on until `max_runs` or `budget_ms` are spent.
struct ExecuteRequest {
  std::filesystem::path dir;
  int64_t min_runs = 1;
  int64_t max_runs = 1;
  double budget_ms = 0;
};

class TargetDevice {
 public:
  virtual ~TargetDevice() = default;
  virtual StageResult Load(std::string_view artifact) = 0;
  virtual StageResult Execute(const ExecuteRequest& request, Timing& timing) = 0;
};

}  // namespace opbyop

#endif  // OPBYOP_DEVICE_TARGET_DEVICE_H_
