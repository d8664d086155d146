// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads attributes in the form that producers wrote until January 2024: lists of integers or booleans were
// `dense<..> : tensor<2xi64>`, and now are `array<i64: ..>`. Ops that are registered with this file read both in
// generic form.
//
//   RegisterReadingOldSpellings<SliceOp, TransposeOp>(*this);  // in a dialect, instead of addOperations
//
// No list of these attributes is needed: an op's own constraints decide which attributes are converted.
#ifndef OPBYOP_IR_STABLEHLO_OLD_SPELLINGS_H_
#define OPBYOP_IR_STABLEHLO_OLD_SPELLINGS_H_

#include <memory>

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace opbyop::stablehlo {

// Registers an op that behaves like `strict`, but also reads the old form of `attributes`.
void RegisterLenient(std::unique_ptr<mlir::OperationName::Impl> strict, llvm::ArrayRef<llvm::StringRef> attributes);

template <typename... Ops>
void RegisterReadingOldSpellings(mlir::Dialect& dialect) {
  (RegisterLenient(std::make_unique<mlir::RegisteredOperationName::Model<Ops>>(&dialect), Ops::getAttributeNames()),
   ...);
}

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_OLD_SPELLINGS_H_
