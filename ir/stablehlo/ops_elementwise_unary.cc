// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code of the ops in elementwise_unary.td.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/infer.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/elementwise_unary.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterElementwiseUnaryOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/elementwise_unary.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
