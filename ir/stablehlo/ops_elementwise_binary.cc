// Generated code of the ops in elementwise_binary.td.
#include "ir/stablehlo/assembly.h"

#define GET_OP_CLASSES
#include "ir/stablehlo/elementwise_binary.cc.inc"

namespace opbyop::stablehlo {

void StablehloDialect::RegisterElementwiseBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/elementwise_binary.cc.inc"
      >();
}

}  // namespace opbyop::stablehlo
