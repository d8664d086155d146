// Generated code of the ops in misc.td.
#include "ir/stablehlo/assembly.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/misc.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterMiscOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/misc.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
