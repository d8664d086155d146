// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Serializes an xla.CompileOptionsProto, which every PJRT plugin takes.
//
//   client.Compile(artifact, SerializeCompileOptions({.device_id = 0}));
#ifndef OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_
#define OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_

#include <string>

#include "device/pjrt/named_value.h"

namespace opbyop::pjrt {

// Compiles for one replica and one partition.
struct CompileOptions {
  int device_id = 0;  // the number that PJRT_DeviceDescription_Id returns
  // Options of the compiler or the plugin by name: the field env_option_overrides.
  NamedValues overrides = {};
};

std::string SerializeCompileOptions(const CompileOptions& options);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_
