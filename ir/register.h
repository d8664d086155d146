// Every dialect this project reads.
//
//   mlir::DialectRegistry registry;
//   opbyop::RegisterAllDialects(registry);
//   mlir::MLIRContext context(registry);
#ifndef OPBYOP_IR_REGISTER_H_
#define OPBYOP_IR_REGISTER_H_

#include "mlir/IR/DialectRegistry.h"

namespace opbyop {

void RegisterAllDialects(mlir::DialectRegistry& registry);

}  // namespace opbyop

#endif  // OPBYOP_IR_REGISTER_H_
