// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the combinations of values of a recipe's axes, one per program. A full product is never made: most failures
// depend on one value or on two.
//
//   for (const Binding& binding : Combine(recipe, Level::kFull)) Build(recipe, binding);
#ifndef OPBYOP_GENERATOR_SUITE_COMBINE_H_
#define OPBYOP_GENERATOR_SUITE_COMBINE_H_

#include <vector>

#include "generator/suite/recipe.h"

namespace opbyop::generator {

enum class Level {
  kSmoke,  // at most Recipe::smoke values of each axis, spread evenly, each of them once
  kFull,   // every pair of values of two axes; or, with Recipe::full, each value in that many combinations
};

// Returns at least one binding; deterministic. If two axes bind a name, the later axis wins.
std::vector<Binding> Combine(const Recipe& recipe, Level level);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_COMBINE_H_
