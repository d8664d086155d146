// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes the machine that this process runs on, in LLVM's terms; the host target compiles for it and loads on it.
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

// The machine is examined once per process.
const Machine& ThisMachine();

// How much effort goes into the code: kQuick code is generated several times faster and runs several times slower.
enum class CodeEffort { kQuick, kFull };

// Returns a code generator for ThisMachine(), or kInternal if LLVM was built without it.
Expected<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(CodeEffort effort);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_MACHINE_H_
