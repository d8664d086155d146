// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/check/check.h"

#define GET_OP_CLASSES
#include "ir/check/check.cc.inc"

namespace opbyop::check {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/check/check.cc.inc"
      >();
}

}  // namespace opbyop::check

#include "ir/check/check_dialect.cc.inc"
