// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code of the ops in misc.td.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/infer_shape.h"
#include "ir/stablehlo/old_spellings.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/misc.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterMiscOps() {
  RegisterReadingOldSpellings<
#define GET_OP_LIST
#include "ir/stablehlo/misc.cc.inc"
      >(*this);
}

}  // namespace opbyop::stablehlo
