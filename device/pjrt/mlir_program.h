// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes an MLIR program to the plugin as a PJRT_Program.
//
//   PJRT_Program program = MlirProgram(bytes);
//   args.program = &program;
#ifndef OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_
#define OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_

#include <pjrt_c_api.h>

#include <string_view>

namespace opbyop::pjrt {

// `bytes` is a portable artifact or text, which must outlive the result.
inline PJRT_Program MlirProgram(std::string_view bytes) {
  static constexpr std::string_view kFormat = "mlir";
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  // the struct is used in both directions; compilation only reads the code
  program.code = const_cast<char*>(bytes.data());
  program.code_size = bytes.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  return program;
}

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_
