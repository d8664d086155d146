// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generated code of the ops in contraction.td.
#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/infer_shape.h"
#include "ir/stablehlo/old_spellings.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/contraction.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterContractionOps() {
  RegisterReadingOldSpellings<
#define GET_OP_LIST
#include "ir/stablehlo/contraction.cc.inc"
      >(*this);
}

}  // namespace opbyop::stablehlo
