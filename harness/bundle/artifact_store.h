// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The artifacts of a bundle, one file for each case, each held to the sha256 in the case's record.
//
//   ArtifactStore store(bundle_folder, ".ttnn");
//   store.Take(dir, record);     // compile: what the worker left in `dir`, under the case's id from here on
//   store.Lay(record, dir);      // execute: a copy for the worker, which must be what was compiled
#ifndef OPBYOP_HARNESS_BUNDLE_ARTIFACT_STORE_H_
#define OPBYOP_HARNESS_BUNDLE_ARTIFACT_STORE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

// The suffix of the file that the target's last compile stage produces, because its tools may go by it.
std::string ArtifactSuffix(const Target& target);

class ArtifactStore {
 public:
  ArtifactStore(std::filesystem::path bundle, std::string suffix);

  // What a worker is told to write, and to load, in a case's folder.
  std::filesystem::path PathIn(const std::filesystem::path& dir) const { return dir / ("artifact" + suffix_); }

  // Where the artifact of a case lies in the bundle.
  std::filesystem::path PathOf(const std::string& case_id) const;

  // The record says from here on what it is. kBadInput where the worker left no regular file.
  Expected<void> Take(const std::filesystem::path& dir, CaseRecord& record) const;

  // kBadInput where the file is absent, a link, or of other bytes than those that were compiled.
  Expected<void> Check(const CaseRecord& record) const;

  // A copy of exactly the bytes that were checked.
  Expected<void> Lay(const CaseRecord& record, const std::filesystem::path& dir) const;

  // Removes the artifacts of all other cases.
  void KeepOnly(const std::vector<CaseRecord>& records) const;

 private:
  Expected<std::string> Read(const CaseRecord& record) const;

  std::filesystem::path folder_;
  std::string suffix_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_ARTIFACT_STORE_H_
