// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses and prints stablehlo.reduce. The text is compact if the body is one commutative op,
//
//   stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1]
//
// or with the body written as a `reducer`.
#ifndef OPBYOP_IR_STABLEHLO_REDUCE_FORM_H_
#define OPBYOP_IR_STABLEHLO_REDUCE_FORM_H_

#include "ir/stablehlo/stablehlo.h"

namespace opbyop::stablehlo {

mlir::ParseResult ParseReduce(mlir::OpAsmParser& parser, mlir::OperationState& result);
void PrintReduce(mlir::OpAsmPrinter& printer, ReduceOp op);

}  // namespace opbyop::stablehlo

#endif  // OPBYOP_IR_STABLEHLO_REDUCE_FORM_H_
