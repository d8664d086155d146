// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the pairs of a suite by its rules.
//
//   for (const ChosenPair& pair : ChoosePairs(parts, rules, Level::kSmoke)) Build(pair.first, pair.second);
#ifndef OPBYOP_GENERATOR_SUITE_PAIR_CHOICE_H_
#define OPBYOP_GENERATOR_SUITE_PAIR_CHOICE_H_

#include <string>
#include <vector>

#include "generator/suite/combine.h"
#include "generator/suite/pair_parts.h"
#include "generator/suite/pair_rules.h"

namespace opbyop::generator {

// A program: operand number `operand` of the second op is result number `result` of the first, which has its type.
struct ChosenPair {
  const PairRule* rule = nullptr;
  PairPart first;
  unsigned result = 0;
  PairPart second;
  unsigned operand = 0;
};

// In order of the rules; the same program may be chosen by several of them. Deterministic.
std::vector<ChosenPair> ChoosePairs(PairParts& parts, const PairRules& rules, Level level);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PAIR_CHOICE_H_
