// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `opbyop suite NAME -o DIR`: cases from the specification instead of from models, and their manifest.
//
//   SuiteCommand command{.suite = ProjectFolder() / "generator/suite/stablehlo", .output = "out/suite"};
//   ExitCode code = RunSuite(command, std::cout, std::cerr);
#ifndef OPBYOP_GENERATOR_SUITE_SUITE_COMMAND_H_
#define OPBYOP_GENERATOR_SUITE_SUITE_COMMAND_H_

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "generator/split/splitter.h"
#include "generator/suite/combine.h"
#include "generator/suite/mesh_ways.h"
#include "generator/suite/recipe.h"
#include "generator/walk/split_options.h"

namespace opbyop::generator {

struct SuiteCommand {
  std::filesystem::path suite;  // folder of suite.yaml and recipes/
  std::filesystem::path output;
  Level level = Level::kSmoke;
  bool pairs = false;              // programs of two ops of that level, instead of those of one
  std::optional<Mesh> mesh;        // programs for its devices, instead of those of one device
  bool refused = false;            // programs that must be refused, instead of a level
  std::string ops = "*";           // glob over "stablehlo.add", or over "add"
  std::filesystem::path coverage;  // a page to write instead of cases; empty: cases
  std::filesystem::path changes;   // the page of changes: `suite`/cases.lock is updated instead
};

// The name of an op's model: "stablehlo.cross-replica-sum" -> "stablehlo_cross_replica_sum".
std::string ModelName(std::string op);

// Records in the manifest which suite its cases belong to.
void DescribeSuite(const Suite& suite, std::string_view level, Manifest& manifest);

// Splits the models of the recipes, one per op in order of the ops' names. `sink` is that of the Splitter.
Expected<SplitResult> MakeCases(const Suite& suite, Level level, const std::string& ops, CaseSink sink);

ExitCode RunSuite(const SuiteCommand& command, std::ostream& out, std::ostream& err);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_SUITE_COMMAND_H_
