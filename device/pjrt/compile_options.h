// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A serialized xla.CompileOptionsProto, as every PJRT plugin takes it.
//
//   client.Compile(artifact, SerializeCompileOptions({.device_id = 0}));
#ifndef OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_
#define OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_

#include <string>

namespace opbyop::pjrt {

// One replica, one partition.
struct CompileOptions {
  int device_id = 0;  // by PJRT_DeviceDescription_Id
};

std::string SerializeCompileOptions(const CompileOptions& options);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_COMPILE_OPTIONS_H_
