// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run that was compiled elsewhere, as its bundle describes it, and how its records join those of the execution.
//
//   Expected<CompiledRun> compiled = CompiledRun::Load(bundle_folder, manifest);
//   if (auto sound = compiled->Check(cases, manifest_folder); !sound) ...   // not what was compiled
//   if (!CompiledRun::MayExecute(*compiled->Find(c.id))) ...               // it ended there
//   CaseRecord record = BeginWith(*compiled->Find(c.id));                   // ... load, execute, compare ...
//   AddCompileRecord(*compiled->Find(c.id), record);
#ifndef OPBYOP_HARNESS_BUNDLE_COMPILED_RUN_H_
#define OPBYOP_HARNESS_BUNDLE_COMPILED_RUN_H_

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/bundle/artifact_store.h"
#include "manifests/cases/case.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/runs/bundle.h"
#include "support/expected.h"

namespace opbyop::harness {

class CompiledRun {
 public:
  // kBadInput where the manifest is not the one that was compiled, or the compilation did not end.
  static Expected<CompiledRun> Load(const Bundle& bundle, const Manifest& manifest);

  const RunHeader& header() const { return header_; }
  const ArtifactStore& artifacts() const { return artifacts_; }

  // nullptr where the case was not compiled.
  const CaseRecord* Find(const std::string& case_id) const;

  // True where it left an artifact.
  static bool MayExecute(const CaseRecord& compiled);

  // Every program and artifact of these cases is what it was. kBadInput naming the first that is not, and how many.
  Expected<void> Check(const std::vector<const Case*>& cases, const std::filesystem::path& manifest_folder) const;

  // For the header of the whole run: where, when and by what it was compiled.
  std::map<std::string, std::string> Origin() const;

 private:
  CompiledRun(RunHeader header, ArtifactStore artifacts)
      : header_(std::move(header)), artifacts_(std::move(artifacts)) {}

  RunHeader header_;
  ArtifactStore artifacts_;
  std::unordered_map<std::string, CaseRecord> records_;
};

// The sha256 of a case's program.
Expected<std::string> ProgramDigest(const std::filesystem::path& file);

// The record of a case that is about to be executed: what is known of its compilation.
void BeginWith(const CaseRecord& compiled, CaseRecord& record);

// What only shows in the end: both halves took time, and one that passed at its second attempt is flaky. `here`: the
// processor of this machine; an instruction that it lacks is no fault of the case.
void AddCompileRecord(const CaseRecord& compiled, const std::map<std::string, std::string>& origin,
                      const std::string& here, CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_COMPILED_RUN_H_
