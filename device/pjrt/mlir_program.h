// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes an MLIR program to the plugin as a PJRT_Program.
//
//   ArgumentBlock<PJRT_Program> program = MlirProgram(api, bytes);
//   args.program = program.get();
#ifndef OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_
#define OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_

#include <string_view>

#include "device/pjrt/api.h"

namespace opbyop::pjrt {

// `bytes` is a portable artifact or text, which must outlive the result.
inline ArgumentBlock<PJRT_Program> MlirProgram(const Api& api, std::string_view bytes) {
  static constexpr std::string_view kFormat = "mlir";
  return {{// The struct is used in both directions; compilation only reads the code.
           .code = const_cast<char*>(bytes.data()),
           .code_size = bytes.size(),
           .format = kFormat.data(),
           .format_size = kFormat.size()},
          api.BytesOf<PJRT_Program>()};
}

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_
