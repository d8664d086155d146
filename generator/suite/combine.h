// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which values of a recipe's axes go together in one program. A full product is never made: what fails mostly depends
// on one value or on two.
//
//   for (const Binding& binding : Combine(recipe, Level::kFull)) Build(recipe, binding);
#ifndef OPBYOP_GENERATOR_SUITE_COMBINE_H_
#define OPBYOP_GENERATOR_SUITE_COMBINE_H_

#include <vector>

#include "generator/suite/recipe.h"

namespace opbyop::generator {

enum class Level {
  kSmoke,  // of each axis at most Recipe::smoke values, spread evenly, each of them once
  kFull,   // every pair of values of two axes; or, in Recipe::full rounds, each value with as many others
};

// At least one; deterministic. A name that two axes bind is that of the later one.
std::vector<Binding> Combine(const Recipe& recipe, Level level);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_COMBINE_H_
