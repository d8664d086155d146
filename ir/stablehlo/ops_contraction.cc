// Generated code of the ops in contraction.td.
#include "ir/stablehlo/assembly.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/contraction.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/contraction.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
