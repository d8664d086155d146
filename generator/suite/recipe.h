// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recipes: how the programs of a suite are made, as tables by family of ops, one YAML file each
// (generator/suite/stablehlo/*.yaml; docs/design/suite.md has the form).
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

#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kRecipesSchema = "opbyop-recipes/1";
inline constexpr std::string_view kRefusedSchema = "opbyop-refused/1";

// What the names of a recipe stand for in one program, and what that program exercises by it.
struct Binding {
  std::map<std::string, std::string> values;  // {"T", "f32"}
  std::vector<std::string> covers;            // {"C1", "S2"}
};

// Values of which one at a time is taken, in the order of the file.
using Axis = std::vector<Binding>;

// A row of a table: programs of one op. Texts hold names as `$T` or `${T}`.
struct Recipe {
  std::string op;                   // "stablehlo.add"
  std::string in;                   // types of the operands and constants that are some
  std::string captures;             // types of further arguments, for regions
  std::string out;                  // types of the results; empty: inferred
  std::string with;                 // attributes
  std::string body;                 // regions
  std::string symbols;              // functions that the op names
  std::vector<std::string> covers;  // by every program
  std::vector<Axis> over;
  size_t smoke = 0;            // values of an axis that the level smoke takes at most
  std::optional<size_t> full;  // rounds of the level full; nullopt: all pairs
  std::filesystem::path file;
  int line = 0;
};

// A recipe of one program: no axes, and names with one value each.
struct OneProgram {
  Recipe recipe;
  std::map<std::string, std::string> values;
};

// The same program with something changed, so that it breaks one constraint.
struct BrokenProgram {
  std::string constraint;  // "C4"
  std::string rule;        // what it asks for, in short: "strides are positive"
  OneProgram program;
};

struct BreakableProgram {
  OneProgram valid;
  std::vector<BrokenProgram> broken;
};

struct Suite {
  std::string name;
  std::string version;
  std::vector<Recipe> recipes;              // files by name, rows in their order
  std::vector<BreakableProgram> breakable;  // the same
};

// Reads suite.yaml (name, version, the sets of values that all files may name), the recipes beside it, and the
// programs to break in refused/, where there is such a folder. kBadInput with file and line where a key is unknown or a
// value missing.
Expected<Suite> LoadSuite(const std::filesystem::path& folder);

// "stablehlo.add" -> "add", "chlo.erf" -> "chlo.erf": what ids of constraints begin with.
std::string_view ShortName(std::string_view op);

// "C1-C3, S2, constant.S1" of op add -> {"add.C1", "add.C2", "add.C3", "add.S2", "constant.S1"}
std::vector<std::string> FullIds(std::string_view op, const std::vector<std::string>& covers);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_RECIPE_H_
