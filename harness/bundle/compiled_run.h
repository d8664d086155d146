// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run that was compiled elsewhere, loaded from its bundle. Joins its records with those of the execution.
//
//   Expected<CompiledRun> compiled = CompiledRun::Load(bundle_folder, manifest);
//   if (auto sound = compiled->Check(cases, manifest_folder); !sound) ...   // the files are not what was compiled
//   if (!CompiledRun::MayExecute(*compiled->Find(c.id))) ...               // the case ended when it was compiled
//   CaseRecord record = BeginWith(*compiled->Find(c.id));                   // ... load, execute, compare ...
//   AddCompileRecord(*compiled->Find(c.id), record);
#ifndef OPBYOP_HARNESS_BUNDLE_COMPILED_RUN_H_
#define OPBYOP_HARNESS_BUNDLE_COMPILED_RUN_H_

#include <filesystem>
#include <map>
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
  // kBadInput if the manifest is not the one that was compiled, or if the compilation did not finish.
  static Expected<CompiledRun> Load(const Bundle& bundle, const Manifest& manifest);

  const RunHeader& header() const { return header_; }
  const ArtifactStore& artifacts() const { return artifacts_; }

  // nullptr if the case was not compiled.
  const CaseRecord* Find(const std::string& case_id) const;

  // True if the compilation left an artifact.
  static bool MayExecute(const CaseRecord& compiled);

  // Checks that every program and artifact of these cases is what was compiled. kBadInput names the first that is not,
  // and says how many there are.
  Expected<void> Check(const std::vector<const Case*>& cases, const std::filesystem::path& manifest_folder) const;

  // Returns a sentence if another build of the toolchain compiled the run than the one whose worker has these
  // properties: the executables may run wrongly. Empty if it is the same build, if either did not say which it is, or
  // if the toolchain itself is asked about each executable (protocol/hello.h).
  std::string OtherVersion(const std::map<std::string, std::string>& here) const;

  // Returns where, when and by what the run was compiled, for the header of the whole run.
  std::map<std::string, std::string> Origin() const;

 private:
  CompiledRun(RunHeader header, ArtifactStore artifacts)
      : header_(std::move(header)), artifacts_(std::move(artifacts)) {}

  RunHeader header_;
  ArtifactStore artifacts_;
  std::unordered_map<std::string, CaseRecord> records_;
};

// The key of RunHeader::compiled with CompiledRun::OtherVersion, if another version was allowed.
inline constexpr const char* kOtherVersion = "other_version";

// Says in the record's stage `load` that another version executes the case.
void NoteOtherVersion(const std::string& other_version, CaseRecord& record);

// CompiledRun::OtherVersion of the properties of the worker that compiled and of the one that executes.
std::string OtherVersion(const std::map<std::string, std::string>& compiled,
                         const std::map<std::string, std::string>& here);

// Returns the sha256 of a case's program.
Expected<std::string> ProgramDigest(const std::filesystem::path& file);

// Starts the record of a case that is about to be executed with what its compilation recorded.
void BeginWith(const CaseRecord& compiled, CaseRecord& record);

// Completes the record of an executed case: adds the time of its compilation, and makes a case flaky that compiled only
// at its second attempt. `here` is the processor of this machine: an instruction that it lacks is no fault of the case.
void AddCompileRecord(const CaseRecord& compiled, const std::map<std::string, std::string>& origin,
                      const std::string& here, CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_COMPILED_RUN_H_
