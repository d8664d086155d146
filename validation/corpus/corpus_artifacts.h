// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Portable artifacts of the corpora's sections, for another reader or from another writer. They have no locations.
#ifndef OPBYOP_VALIDATION_CORPUS_CORPUS_ARTIFACTS_H_
#define OPBYOP_VALIDATION_CORPUS_CORPUS_ARTIFACTS_H_

#include <filesystem>
#include <vector>

#include "ir/artifact_info.h"
#include "validation/corpus/corpus_files.h"

namespace opbyop {

// Writes each section that is accepted at each version that can hold it below `folder`, and manifest.json: a list of
// {file, section (from 0), version, artifact}.
Expected<void> WriteArtifacts(const std::vector<CorpusFile>& files, const std::filesystem::path& folder,
                              const std::vector<VhloVersion>& versions);

// Each artifact that the manifest.json of `folder` lists must read like its section; prints those that do not, and
// how many are written here with the same bytes.
Expected<void> CompareArtifacts(const std::vector<CorpusFile>& files, const std::filesystem::path& folder);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_CORPUS_CORPUS_ARTIFACTS_H_
