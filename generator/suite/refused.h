// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs that must be refused. A table lists valid programs and, for each constraint, the changes that make a program
// break it (generator/suite/stablehlo/refused/*.yaml; docs/design/suite.md describes the form). They become cases of a
// separate kind, each with the valid program next to it.
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

// Adds the programs of one file, in its order. Returns kBadInput with file and line.
Expected<void> ReadBreakable(const std::filesystem::path& file, std::vector<BreakableProgram>& programs);

// The module of a program in generic form, which can also express programs that the op's own form cannot. It states a
// grid of several processes.
std::string ModuleText(const OneProgram& program, const Grid& grid = {});

// Makes the cases of the ops that match the glob, with models as in MakeCases. `sink` also gets the valid programs,
// under names that no case has. Returns kBadInput if a valid program is invalid, or if two programs are equal.
Expected<SplitResult> MakeRefusedCases(const Suite& suite, const std::string& ops, const CaseSink& sink);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_REFUSED_H_
