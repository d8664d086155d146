// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// MLIR as PJRT_Program takes it.
//
//   PJRT_Program program = MlirProgram(bytes);
//   args.program = &program;
#ifndef OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_
#define OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_

#include <pjrt_c_api.h>

#include <string_view>

namespace opbyop::pjrt {

// Describes a portable artifact or text, which must outlive the result.
inline PJRT_Program MlirProgram(std::string_view bytes) {
  static constexpr std::string_view kFormat = "mlir";
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(bytes.data());  // in and out by its type, in only by what compiles it
  program.code_size = bytes.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  return program;
}

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_MLIR_PROGRAM_H_
