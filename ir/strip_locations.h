// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Removes locations from a module, as artifacts do, so that texts can be compared.
//
//   StripLocations(**module);      // locations decide whether a reduction is printed in its short form
#ifndef OPBYOP_IR_STRIP_LOCATIONS_H_
#define OPBYOP_IR_STRIP_LOCATIONS_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop {

inline void StripLocations(mlir::ModuleOp module) {
  mlir::Location unknown = mlir::UnknownLoc::get(module.getContext());
  module.walk([&](mlir::Operation* op) {
    op->setLoc(unknown);
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::BlockArgument argument : block.getArguments()) argument.setLoc(unknown);
      }
    }
  });
}

}  // namespace opbyop

#endif  // OPBYOP_IR_STRIP_LOCATIONS_H_
