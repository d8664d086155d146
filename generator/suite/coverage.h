// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts what the cases of a suite exercise: constraints and sentences of the specification (requirements.yaml), and
// element types.
//
//   Expected<Requirements> requirements = LoadRequirements(folder);
//   Expected<SuiteCases> cases = MakeAllCases(*suite, folder);
//   const Coverage coverage = CountCoverage(*cases, *requirements);
//   WriteFile("docs/coverage.md", CoveragePage(*suite, coverage));
//   WriteFile(SentencesFile("docs/coverage.md"), SentencesPage(*suite, coverage));
#ifndef OPBYOP_GENERATOR_SUITE_COVERAGE_H_
#define OPBYOP_GENERATOR_SUITE_COVERAGE_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/suite/recipe.h"
#include "manifests/cases/manifest.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kRequirementsSchema = "opbyop-requirements/1";

// A key of Requirement::open for all element types that no recipe covers.
inline constexpr std::string_view kElementsKey = "elements";

// A key of Requirement::open for what models have of the op and no recipe covers.
inline constexpr std::string_view kModelsKey = "models";

// The requirements of one op.
struct Requirement {
  std::vector<std::string> ids;                 // {"C1", "C2", "S1"}
  std::map<std::string, std::string> words;     // a short form of each sentence: S1
  std::map<std::string, std::string> open;      // id -> why no recipe covers it
  std::map<std::string, std::string> unbroken;  // id of a constraint -> why no program breaks it
};

using Requirements = std::map<std::string, Requirement>;  // by short name of the op

Expected<Requirements> LoadRequirements(const std::filesystem::path& folder);

struct OpCoverage {
  size_t smoke = 0;  // cases
  size_t full = 0;
  size_t refused = 0;
  std::map<std::string, std::set<std::string>> types_of;  // id -> element types of the cases that exercise it
  std::set<std::string> broken;                           // ids of constraints that a refused program breaks
  std::set<std::string> types;                            // element types of all cases
  // element types that the op takes in one of its programs, but that no case has
  std::set<std::string> missing_types;
};

// All cases of a suite.
struct SuiteCases {
  Manifest smoke;
  Manifest full;
  Manifest refused;
  Manifest mesh;                             // that of kUsualMesh, of level smoke
  std::map<std::string, std::string> texts;  // texts of the cases of level full, by id
};

// Returns "quantized" for all quantized element types, and any other type itself.
std::string ElementName(const std::string& dtype);

// `folder` is that of the suite; without a folder there are no cases of a mesh.
Expected<SuiteCases> MakeAllCases(const Suite& suite, const std::filesystem::path& folder = {});

// The use that models make of one op (generator/suite/model_use.h).
struct OpInModels {
  std::map<std::string, std::set<std::string>> types_of;  // id of a constraint -> element types
  // the element types and ranks that no case of the suite has, as "(f32[2]) -> (f32[1])" -> a model that has them
  std::map<std::string, std::string> lacking;
};

using ModelUse = std::map<std::string, OpInModels>;  // by short name of the op

struct Coverage {
  Requirements requirements;
  std::map<std::string, OpCoverage> ops;
  ModelUse models;                   // empty if models were not counted
  std::vector<std::string> unknown;  // ids that recipes name but requirements.yaml lacks
};

Coverage CountCoverage(const SuiteCases& cases, const Requirements& requirements);

// A Markdown page; deterministic. It has what `coverage.models` counts.
std::string CoveragePage(const Suite& suite, const Coverage& coverage);

// The meanings of the ids of sentences: a page next to the coverage page, which links to it.
std::string SentencesPage(const Suite& suite, const Coverage& coverage);
std::filesystem::path SentencesFile(const std::filesystem::path& coverage_page);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_COVERAGE_H_
