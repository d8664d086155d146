// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs that must be refused: a table of valid ones and, by constraint, what to change in each so that it breaks
// this one (generator/suite/stablehlo/refused/*.yaml; docs/design/suite.md has the form). They become cases of a kind
// of their own, each with the valid program beside it.
//
//   Expected<SplitResult> result = MakeRefusedCases(*suite, "slice", sink);
//   result->manifest.cases[0].breach->constraint;   // "slice.C4"
#ifndef OPBYOP_GENERATOR_SUITE_REFUSED_H_
#define OPBYOP_GENERATOR_SUITE_REFUSED_H_

#include <filesystem>
#include <string>
#include <vector>

#include "generator/split/splitter.h"
#include "generator/suite/recipe.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kRefusedLevel = "refused";

// Adds the programs of one file, in its order. kBadInput with file and line.
Expected<void> ReadBreakable(const std::filesystem::path& file, std::vector<BreakableProgram>& programs);

// The module of a program, in generic form: whatever the op's own form cannot say can be said.
std::string ModuleText(const OneProgram& program);

// Cases of the ops that match the glob, models as of MakeCases. `sink` gets the valid programs too, under names that no
// case has. kBadInput where one of these is not valid, or two programs are equal.
Expected<SplitResult> MakeRefusedCases(const Suite& suite, const std::string& ops, const CaseSink& sink);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_REFUSED_H_
