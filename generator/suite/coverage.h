// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a suite exercises of what there is: constraints and sentences of the specification (requirements.yaml) and
// element types, counted from its cases.
//
//   Expected<Requirements> requirements = LoadRequirements(folder);
//   Expected<SuiteCases> cases = MakeAllCases(*suite);
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

// In Requirement::open, for all element types that no recipe covers.
inline constexpr std::string_view kElementsKey = "elements";

// What is required of one op.
struct Requirement {
  std::vector<std::string> ids;                 // {"C1", "C2", "S1"}
  std::map<std::string, std::string> words;     // what S1 is, in short
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
  std::set<std::string> broken;                           // ids of constraints that a program to be refused breaks
  std::set<std::string> types;                            // of all cases
  std::set<std::string> missing_types;                    // that the op takes in one of its programs, and no case has
};

// All cases of a suite.
struct SuiteCases {
  Manifest smoke;
  Manifest full;
  Manifest refused;
  std::map<std::string, std::string> texts;  // of the level full, by id
};

Expected<SuiteCases> MakeAllCases(const Suite& suite);

struct Coverage {
  Requirements requirements;
  std::map<std::string, OpCoverage> ops;
  std::vector<std::string> unknown;  // ids that recipes name and requirements do not
};

Coverage CountCoverage(const SuiteCases& cases, const Requirements& requirements);

// Markdown; deterministic.
std::string CoveragePage(const Suite& suite, const Coverage& coverage);

// What the ids of sentences stand for: a page beside that of the coverage, which links to it.
std::string SentencesPage(const Suite& suite, const Coverage& coverage);
std::filesystem::path SentencesFile(const std::filesystem::path& coverage_page);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_COVERAGE_H_
