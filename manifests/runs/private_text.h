// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The texts of a run in which values of environment variables may stand (support/text/private_values.h): what compilers
// and devices said, command lines, versions, paths. Names, by which rows are found again, are left as they are.
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

// Environment variables that a target's file names: as a key of `environment`, or as {env:NAME} or {env_file:NAME}.
// Whoever writes such a file makes their values public. Empty where the file cannot be read.
std::set<std::string> VariablesNamedBy(const std::filesystem::path& target_file);

// One to a line: of its models, cases and ops, and of the folders that it lies in.
std::string NamesOf(const Manifest& manifest);
// The names that may be published: those of its target, stages and policies, and of the files that it names.
std::string NamesOf(const RunHeader& header);
std::string NamesOf(const Target& target);

enum class Count { kYes, kNo };  // kNo: of texts that were counted before

void HideIn(const PrivateValues& values, CaseRecord& record, Count count = Count::kYes);
// Its paths of the manifest stay: by them the run is read again.
void HideIn(const PrivateValues& values, RunHeader& header);
void HideIn(const PrivateValues& values, Manifest& manifest);
void HideIn(const PrivateValues& values, Baseline& baseline);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_PRIVATE_TEXT_H_
