// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How deep MLIR text is nested: brackets, aliases in aliases, operators of affine expressions. MLIR's parser, verifier
// and printer take stack for each level and have no limit.
//
//   if (Expected<void> done = CheckTextNesting(text, "model.mlir"); !done) return Unexpected(done.error());
#ifndef OPBYOP_IR_TEXT_NESTING_H_
#define OPBYOP_IR_TEXT_NESTING_H_

#include <string_view>

#include "support/expected.h"

namespace opbyop {

// Levels of all kinds, and braces (of regions, above all) alone: far above what programs have.
inline constexpr int kDeepestBrackets = 1000;
inline constexpr int kDeepestBraces = 200;

// kBadInput with the line where `text`, called `name` and part of it from `first_line` on, goes deeper.
Expected<void> CheckTextNesting(std::string_view text, std::string_view name, int first_line = 1);

}  // namespace opbyop

#endif  // OPBYOP_IR_TEXT_NESTING_H_
