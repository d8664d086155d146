// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An MLIR context for the inputs of a fuzz target.
//
//   mlir::MLIRContext& context = FuzzContext();
//
// Contexts keep every type and attribute they have seen, and take longer to create than most inputs to read: each is
// used for some inputs and is then deleted.
#ifndef OPBYOP_VALIDATION_FUZZ_FUZZ_CONTEXT_H_
#define OPBYOP_VALIDATION_FUZZ_FUZZ_CONTEXT_H_

#include <memory>

#include "mlir/IR/MLIRContext.h"

namespace opbyop {

inline mlir::MLIRContext& FuzzContext() {
  constexpr int kInputsPerContext = 200;
  static std::unique_ptr<mlir::MLIRContext> context;
  static int inputs = 0;
  if (inputs++ % kInputsPerContext == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  }
  return *context;
}

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FUZZ_FUZZ_CONTEXT_H_
