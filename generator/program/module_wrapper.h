// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stands around the functions of a compiler's IR and must stand around a case of it as well, so that the compiler
// can go on from there. Tenstorrent's: the system descriptor and the device that TTIR and TTNN are compiled for, the
// mark of the function that runs on the device, and the ttcore.device_module around it all.
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

  // `module` with one @main becomes what such a compiler reads; itself where nothing is around.
  mlir::OwningOpRef<mlir::ModuleOp> Around(mlir::OwningOpRef<mlir::ModuleOp> module) const;

 private:
  std::vector<mlir::NamedAttribute> module_attributes_;
  std::vector<mlir::NamedAttribute> function_attributes_;
  std::vector<mlir::Operation*> companions_;  // ops beside the functions
  std::vector<mlir::Operation*> around_;      // innermost first
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_MODULE_WRAPPER_H_
