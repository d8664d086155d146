// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A module without locations, as artifacts keep it: for comparing texts.
//
//   StripLocations(**module);      // where an op stands decides whether a reduction prints short
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
