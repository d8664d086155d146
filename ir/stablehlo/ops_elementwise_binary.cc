// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code of the ops in elementwise_binary.td.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/infer.h"
#include "ir/stablehlo/old_spellings.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/elementwise_binary.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterElementwiseBinaryOps() {
  RegisterReadingOldSpellings<
#define GET_OP_LIST
#include "ir/stablehlo/elementwise_binary.cc.inc"
      >(*this);
}

}  // namespace opbyop::stablehlo
