// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes as producers spelled them up to January 2024: lists of integers or booleans as `dense<..> : tensor<2xi64>`
// where today's ops hold `array<i64: ..>`. Ops that are registered by this file read both, in generic form.
//
//   RegisterReadingOldSpellings<SliceOp, TransposeOp>(*this);  // in place of addOperations, in a dialect
//
// These attributes are not listed anywhere, because an op's own constraints say which they are.
#ifndef OPBYOP_IR_STABLEHLO_OLD_SPELLINGS_H_
#define OPBYOP_IR_STABLEHLO_OLD_SPELLINGS_H_

#include <memory>

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace opbyop::stablehlo {

// Registers an op that behaves as `strict` apart from the above.
void RegisterLenient(std::unique_ptr<mlir::OperationName::Impl> strict, llvm::ArrayRef<llvm::StringRef> attributes);

template <typename... Ops>
void RegisterReadingOldSpellings(mlir::Dialect& dialect) {
  (RegisterLenient(std::make_unique<mlir::RegisteredOperationName::Model<Ops>>(&dialect), Ops::getAttributeNames()),
   ...);
}

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_OLD_SPELLINGS_H_
