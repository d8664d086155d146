// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine this process runs on, as LLVM names it: what the host target compiles for and loads.
#ifndef OPBYOP_DEVICE_HOST_MACHINE_H_
#define OPBYOP_DEVICE_HOST_MACHINE_H_

#include <memory>
#include <string>

#include "support/expected.h"

namespace llvm {
class TargetMachine;
}

namespace opbyop::host {

struct Machine {
  std::string triple;
  std::string cpu;
  std::string features;  // "+avx2,+fma,..."
};

// Asks once per process.
const Machine& ThisMachine();

// How much effort goes into code: kQuick is several times faster to generate and several times slower to run.
enum class CodeEffort { kQuick, kFull };

// Code generator for ThisMachine(). kInternal where LLVM was built without it.
Expected<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(CodeEffort effort);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_MACHINE_H_
