// How deep the brackets of MLIR text are nested. MLIR's parser takes stack for each level and has no limit.
//
//   if (Expected<void> done = CheckTextNesting(text, "model.mlir"); !done) return Unexpected(done.error());
#ifndef OPBYOP_IR_TEXT_NESTING_H_
#define OPBYOP_IR_TEXT_NESTING_H_

#include <string_view>

#include "support/expected.h"

namespace opbyop {

// Brackets of all kinds, and braces (of regions, above all) alone: far above what programs have.
inline constexpr int kDeepestBrackets = 1000;
inline constexpr int kDeepestBraces = 200;

// kBadInput with the line where `text`, called `name`, goes deeper.
Expected<void> CheckTextNesting(std::string_view text, std::string_view name);

}  // namespace opbyop

#endif  // OPBYOP_IR_TEXT_NESTING_H_
