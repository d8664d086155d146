// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/bounds/zero_signs.h"

namespace opbyop::reference {

std::shared_ptr<const Bound> BoundWhenMoved(const std::shared_ptr<const Bound>& bound) {
  if (!bound || !bound->open_zeros) return bound;
  auto moved = std::make_shared<Bound>(*bound);
  moved->open_zeros = nullptr;
  return moved;
}

}  // namespace opbyop::reference
