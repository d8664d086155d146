// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores the artifacts of a bundle: one file for each case. The case's record holds the sha256 that the file must have.
//
//   ArtifactStore store(bundle_folder, ".ttnn");
//   store.Store(dir, record);    // compile: copies the worker's artifact from `dir` into the bundle
//   store.CopyTo(record, dir);   // execute: copies it to `dir` for the worker, if its sha256 is the recorded one
#ifndef OPBYOP_HARNESS_BUNDLE_ARTIFACT_STORE_H_
#define OPBYOP_HARNESS_BUNDLE_ARTIFACT_STORE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

// Returns the suffix of the file that the target's last compile stage produces. The target's tools may depend on it.
std::string ArtifactSuffix(const Target& target);

class ArtifactStore {
 public:
  ArtifactStore(std::filesystem::path bundle, std::string suffix);

  // Returns the file in a case's folder that a worker is asked to write or to load.
  std::filesystem::path PathIn(const std::filesystem::path& dir) const { return dir / ("artifact" + suffix_); }

  // Returns the path of a case's artifact in the bundle.
  std::filesystem::path PathOf(const std::string& case_id) const;

  // Copies the artifact into the bundle and notes its sha256 in the record. kBadInput if the worker left no regular
  // file, or an empty one.
  Expected<void> Store(const std::filesystem::path& dir, CaseRecord& record) const;

  // kBadInput if the file is absent, is a link, or differs from what was compiled.
  Expected<void> Check(const CaseRecord& record) const;

  // Copies exactly the bytes that were checked to `dir`.
  Expected<void> CopyTo(const CaseRecord& record, const std::filesystem::path& dir) const;

  // Removes the artifacts of all other cases.
  void KeepOnly(const std::vector<CaseRecord>& records) const;

 private:
  Expected<std::string> Read(const CaseRecord& record) const;

  std::filesystem::path folder_;
  std::string suffix_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_ARTIFACT_STORE_H_
