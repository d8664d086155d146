// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads from an optimized HLO program how its arguments and results are divided among the devices.
//
//   const Result<Program> program = executable.OptimizedProgram();   // format "hlo" or "hlo_with_config"
//   Expected<DividedProgram> divided = ReadDividedProgram(*program);
//   divided->arguments[0].shape;      // {4, 1}: that of one device's part
//   divided->arguments[0].sharding;   // "{devices=[1,8]<=[8]}"
#ifndef OPBYOP_DEVICE_PJRT_DIVIDED_PROGRAM_H_
#define OPBYOP_DEVICE_PJRT_DIVIDED_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "device/pjrt/executable.h"
#include "support/expected.h"

namespace opbyop::pjrt {

struct DividedTensor {
  std::vector<int64_t> shape;  // of one device's part
  // As a text of `mhlo.sharding`; empty if the program does not say it.
  std::string sharding;
};

struct DividedProgram {
  std::vector<DividedTensor> arguments;
  std::vector<DividedTensor> results;
};

// Returns kUnsupported if the program has another format or does not say the shapes of its arguments, kBadInput if its
// bytes are damaged.
Expected<DividedProgram> ReadDividedProgram(const Program& program);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_DIVIDED_PROGRAM_H_
