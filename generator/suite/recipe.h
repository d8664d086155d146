// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recipes describe how the programs of a suite are made. They are tables by family of ops, one YAML file each
// (generator/suite/stablehlo/*.yaml; docs/design/suite.md describes the form).
//
//   Expected<Suite> suite = LoadSuite(ProjectFolder() / "generator/suite/stablehlo");
//   for (const Recipe& recipe : suite->recipes)
//     for (const Binding& binding : Combine(recipe, Level::kSmoke)) Build(recipe, binding);
#ifndef OPBYOP_GENERATOR_SUITE_RECIPE_H_
#define OPBYOP_GENERATOR_SUITE_RECIPE_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/grid.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kRecipesSchema = "opbyop-recipes/1";
inline constexpr std::string_view kRefusedSchema = "opbyop-refused/1";

// The values of a recipe's names in one program, and the requirements that the program exercises through them.
struct Binding {
  std::map<std::string, std::string> values;  // {"T", "f32"}
  std::vector<std::string> covers;            // {"C1", "S2"}
};

// Alternatives of which a program takes one, in the order of the file.
using Axis = std::vector<Binding>;

// A row of a table: programs of one op. Texts contain names as `$T` or `${T}`.
struct Recipe {
  std::string op;                   // "stablehlo.add"
  std::string in;                   // types of the operands, and those operands that are constants
  std::string captures;             // types of further arguments, for regions
  std::string out;                  // types of the results; empty: inferred
  std::string with;                 // attributes
  std::string body;                 // regions
  std::string symbols;              // functions that the op names
  std::vector<std::string> covers;  // requirements that every program exercises
  std::vector<Axis> over;
  size_t smoke = 0;            // most values of an axis that the level smoke takes
  std::optional<size_t> full;  // rounds of the level full; nullopt: all pairs
  std::filesystem::path file;
  int line = 0;
};

// A recipe for one program: no axes, and one value for each name.
struct OneProgram {
  Recipe recipe;
  std::map<std::string, std::string> values;
};

// The same program with one change, which breaks one constraint.
struct BrokenProgram {
  std::string constraint;  // "C4"
  std::string rule;        // a short form of the constraint: "strides are positive"
  OneProgram program;
};

struct BreakableProgram {
  OneProgram valid;
  std::vector<BrokenProgram> broken;
  Grid grid = {};  // the processes for which all of them are compiled
};

// Sets of values by name: "float" -> {"f32", "bf16", ...}.
using ValueSets = std::map<std::string, std::vector<std::string>>;

struct Suite {
  std::string name;
  std::string version;
  ValueSets sets;                           // those of suite.yaml
  std::vector<Recipe> recipes;              // files in order of their names, rows in order
  std::vector<BreakableProgram> breakable;  // in the same order
};

// Reads suite.yaml (name, version, and the sets of values that all files may name), the recipes next to it, and the
// programs to break in refused/, if there is such a folder. Returns kBadInput with file and line if a key is unknown or
// a value is missing.
Expected<Suite> LoadSuite(const std::filesystem::path& folder);

// Appends the recipes of one file, which may name the given sets and those of its own. Returns kBadInput as above.
Expected<void> ReadRecipes(const std::filesystem::path& file, const ValueSets& sets, std::vector<Recipe>& recipes);

// The start of constraint ids: "stablehlo.add" -> "add", "chlo.erf" -> "chlo.erf".
std::string_view ShortName(std::string_view op);

// True if the glob matches the op's full or short name.
bool MatchesOp(std::string_view glob, std::string_view op);

// "C1-C3, S2, constant.S1" of op add -> {"add.C1", "add.C2", "add.C3", "add.S2", "constant.S1"}
std::vector<std::string> FullIds(std::string_view op, const std::vector<std::string>& covers);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_RECIPE_H_
