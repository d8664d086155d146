// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code of the ops in control_flow.td.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/infer.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/control_flow.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/control_flow.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
