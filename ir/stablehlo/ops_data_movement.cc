// Generated code of the ops in data_movement.td.
#include "ir/stablehlo/assembly.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/data_movement.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterDataMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/data_movement.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
