// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Hides values of environment variables (support/text/private_values.h) in the texts of a run: output of compilers and
// devices, command lines, versions, paths. Names, by which rows are found again, stay unchanged.
//
//   PrivateValues values = PrivateValues::OfThisProgram(VariablesNamedBy(target.path));
//   values.AllowNamesIn(NamesOf(manifest) + NamesOf(target));
//   HideIn(values, header);
//   HideIn(values, record);
#ifndef OPBYOP_MANIFESTS_RUNS_PRIVATE_TEXT_H_
#define OPBYOP_MANIFESTS_RUNS_PRIVATE_TEXT_H_

#include <filesystem>
#include <set>
#include <string>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/text/private_values.h"

namespace opbyop {

// Returns the environment variables that a target's file names: as a key of `environment`, or as {env:NAME} or
// {env_file:NAME}. The author of the file makes their values public by that. Empty if the file cannot be read.
std::set<std::string> VariablesNamedBy(const std::filesystem::path& target_file);

// Returns the names of its models, cases and ops, and of the folders that contain it, one per line.
std::string NamesOf(const Manifest& manifest);
// Return the names that may be published: those of the target, stages and policies, and of the files that they name.
std::string NamesOf(const RunHeader& header);
std::string NamesOf(const Target& target);

enum class Count { kYes, kNo };  // kNo: texts that were counted before

void HideIn(const PrivateValues& values, CaseRecord& record, Count count = Count::kYes);
// Keeps the header's paths of the manifest, which are needed to read the run again.
void HideIn(const PrivateValues& values, RunHeader& header);
void HideIn(const PrivateValues& values, Manifest& manifest);
void HideIn(const PrivateValues& values, Baseline& baseline);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_PRIVATE_TEXT_H_
