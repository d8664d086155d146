// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Wraps a case in the same ops that enclose the functions of a compiler's IR, so that the compiler can continue from
// there. For Tenstorrent these are the system descriptor and the device that TTIR and TTNN are compiled for, the mark
// of the function that runs on the device, and the ttcore.device_module around everything.
//
//   ModuleWrapper wrapper(module_with_main);
//   mlir::OwningOpRef<mlir::ModuleOp> whole = wrapper.Around(std::move(module_of_the_case));
#ifndef OPBYOP_GENERATOR_PROGRAM_MODULE_WRAPPER_H_
#define OPBYOP_GENERATOR_PROGRAM_MODULE_WRAPPER_H_

#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace opbyop::generator {

class ModuleWrapper {
 public:
  explicit ModuleWrapper(mlir::ModuleOp module);

  // Wraps `module`, which has a single @main, in the form that the compiler reads. Returns it unchanged if the original
  // had nothing around its functions.
  mlir::OwningOpRef<mlir::ModuleOp> Around(mlir::OwningOpRef<mlir::ModuleOp> module) const;

 private:
  std::vector<mlir::NamedAttribute> module_attributes_;
  std::vector<mlir::NamedAttribute> function_attributes_;
  std::vector<mlir::Operation*> companions_;  // ops next to the functions
  std::vector<mlir::Operation*> around_;      // innermost first
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_MODULE_WRAPPER_H_
