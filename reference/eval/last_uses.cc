// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/last_uses.h"

namespace opbyop::reference {

LastUses FindLastUses(mlir::Block& block) {
  LastUses uses;
  const auto record = [&](mlir::Value value) {
    mlir::Operation* last = nullptr;
    for (mlir::Operation* user : value.getUsers()) {
      mlir::Operation* here = block.findAncestorOpInBlock(*user);
      if (here && (!last || last->isBeforeInBlock(here))) last = here;
    }
    if (last) uses[last].push_back(value);
  };
  for (mlir::Value argument : block.getArguments()) record(argument);
  for (mlir::Operation& op : block) {
    for (mlir::Value result : op.getResults()) record(result);
  }
  return uses;
}

}  // namespace opbyop::reference
