// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks the constants in the metadata at the end of a text, `{-# dialect_resources: ... #-}`. Each starts with its
// alignment in memory, which MLIR uses unchecked and which may crash it.
//
//   if (Expected<void> done = CheckTextResources(text, "model.mlir"); !done) return Unexpected(done.error());
#ifndef OPBYOP_IR_TEXT_RESOURCES_H_
#define OPBYOP_IR_TEXT_RESOURCES_H_

#include <string_view>

#include "support/expected.h"

namespace opbyop {

// Returns kBadInput with the line of a constant whose alignment is not a power of two, or is larger than a page.
Expected<void> CheckTextResources(std::string_view text, std::string_view name, int first_line = 1);

}  // namespace opbyop

#endif  // OPBYOP_IR_TEXT_RESOURCES_H_
