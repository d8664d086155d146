// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The pairs of a suite: programs of two ops, the second of which uses a result of the first. They are cases of the kind
// that `opbyop split --granularity window:2` makes of models, with the cases of the two ops as members.
//
//   Expected<Pairs> pairs = MakePairs(*suite, folder, Level::kSmoke, "*", sink);
//   pairs->result.manifest.suite->level;   // "pairs"
//   WriteFile("docs/pairs.md", PairsPage(*suite, *pairs));
#ifndef OPBYOP_GENERATOR_SUITE_PAIRS_H_
#define OPBYOP_GENERATOR_SUITE_PAIRS_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/split/splitter.h"
#include "generator/suite/combine.h"
#include "generator/suite/pair_rules.h"
#include "generator/suite/recipe.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kPairsLevel = "pairs";

// The programs in which an op is the first or the second.
struct PairSide {
  size_t programs = 0;
  std::set<std::string> partners;  // full names of the other op
};

struct Pairs {
  SplitResult result;
  PairRules rules;
  std::map<std::string, size_t> by_rule;     // programs by name of the rule
  std::map<std::string, PairSide> as_first;  // by full name of the op
  std::map<std::string, PairSide> as_second;

  size_t Count() const;  // cases of two ops, each once
};

// Makes the pairs in which one of the ops matches the glob. `folder` has the recipes and pairs/; `sink` is that of the
// Splitter. The choice depends on the names of rules and ops and on their recipes alone, so a new op moves no other pair.
Expected<Pairs> MakePairs(const Suite& suite, const std::filesystem::path& folder, Level level, const std::string& ops,
                          CaseSink sink);

// A Markdown page: every op of the suite as the first and as the second of a pair, or why it is not. Deterministic.
std::string PairsPage(const Suite& suite, const Pairs& pairs);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PAIRS_H_
