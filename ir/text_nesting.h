// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits the nesting of MLIR text: brackets, aliases in aliases, operators of affine expressions. MLIR's parser,
// verifier and printer use stack for each level and have no limit.
//
//   if (Expected<void> done = CheckTextNesting(text, "model.mlir"); !done) return Unexpected(done.error());
#ifndef OPBYOP_IR_TEXT_NESTING_H_
#define OPBYOP_IR_TEXT_NESTING_H_

#include <string_view>

#include "support/expected.h"

namespace opbyop {

// The limits for levels of all kinds, and for braces (mostly of regions) alone. Real programs are far below them.
inline constexpr int kDeepestBrackets = 1000;
inline constexpr int kDeepestBraces = 200;

// Returns kBadInput with the line at which `text` exceeds a limit. `name` is the file that contains the text, and
// `first_line` the line of the file at which it starts.
Expected<void> CheckTextNesting(std::string_view text, std::string_view name, int first_line = 1);

}  // namespace opbyop

#endif  // OPBYOP_IR_TEXT_NESTING_H_
