// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Serializes an xla.CompileOptionsProto, which every PJRT plugin takes.
//
//   client.Compile(artifact, SerializeCompileOptions({.device_ids = {0}}));
#ifndef OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_
#define OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "device/pjrt/named_value.h"

namespace opbyop::pjrt {

// Compiles for one replica and one partition, unless there are more devices.
struct CompileOptions {
  // The device of each process, in the order of the processes (manifests/cases/grid.h): the numbers that
  // PJRT_DeviceDescription_Id returns. The number of partitions is the number of devices for each replica.
  std::vector<int64_t> device_ids = {0};
  int64_t replicas = 1;
  bool shardy = false;  // the partitioner is Shardy, not GSPMD
  // Options of the compiler or the plugin by name: the field env_option_overrides.
  NamedValues overrides = {};
};

std::string SerializeCompileOptions(const CompileOptions& options);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_
