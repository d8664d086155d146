// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rules by which pairs are chosen: programs of two ops, the second of which uses a result of the first
// (generator/suite/stablehlo/pairs/rules.yaml; docs/design/suite.md describes the form).
//
//   Expected<PairRules> rules = LoadPairRules(folder);
//   for (const PairRule& rule : rules->rules) Choose(rule.first, rule.second, rule.types);
#ifndef OPBYOP_GENERATOR_SUITE_PAIR_RULES_H_
#define OPBYOP_GENERATOR_SUITE_PAIR_RULES_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "generator/suite/recipe.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kPairRulesSchema = "opbyop-pairs/1";

// The ops of `first` and `second` that are put together.
enum class Partners {
  kAll,        // each op of `first` with each of `second`
  kForFirst,   // each op of `first` with those of `second` that first take another type of its results
  kForSecond,  // each op of `second` with those of `first` that first give another type of its operand
  kItself,     // each op of `first` with itself
};

struct PairRule {
  std::string name;                 // "reduce after elementwise"
  std::vector<std::string> first;   // full names; empty: every op of the suite
  std::vector<std::string> second;  // the same
  Partners pairing = Partners::kAll;
  size_t types = 1;  // of two ops and an operand: most programs with different element types, at level smoke
  std::vector<std::string> elements;  // the only element types that pass from one to the other; empty: any
  size_t operands = 1;                // most operands of the second op that take the result of the first
};

struct PairRules {
  std::vector<PairRule> rules;
  // Recipes that make an op for a type that another op gives or takes, by the name of the op. They may name what
  // ShapeNames() returns.
  std::map<std::string, Recipe> before;  // the result has that type
  std::map<std::string, Recipe> after;   // the first operand has that type
  std::vector<Recipe> more;              // further ops that pairs are made of, beside those of level smoke
  // Why no program has the op as its first or as its second op, by full name.
  std::map<std::string, std::string> never_first;
  std::map<std::string, std::string> never_second;
};

// Reads rules.yaml, before.yaml, after.yaml and more.yaml of `folder`/pairs. Returns kBadInput with file and line.
Expected<PairRules> LoadPairRules(const std::filesystem::path& folder);

// The names that a recipe of `before` and `after` may use for a tensor of this shape and element type: `S` and `T`
// themselves; `flat`, `turned` (dimensions reversed), `less` and `more` (each smaller and larger by one), `rest` (without
// the first dimension), `upper` and `lower` (the two parts of the first dimension), `other` (another element type);
// and for attributes `sizes`, `ends` (sizes + 1), `lasts` (sizes - 1), `zeros`, `ones`, `backwards`, `last`, `tail`
// (1, 2, ... of the rank) and `after` (the same, one longer). Names of shapes that do not exist are left out.
std::map<std::string, std::string> ShapeNames(const std::vector<int64_t>& shape, const std::string& element);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PAIR_RULES_H_
