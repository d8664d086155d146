// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Portable artifacts of the corpora's sections, without locations, for or from other implementations.
#ifndef OPBYOP_VALIDATION_CORPUS_CORPUS_ARTIFACTS_H_
#define OPBYOP_VALIDATION_CORPUS_CORPUS_ARTIFACTS_H_

#include <filesystem>
#include <vector>

#include "ir/artifact_info.h"
#include "validation/corpus/corpus_files.h"

namespace opbyop {

// Writes each accepted section, at each version that can hold it, below `folder`, and manifest.json: a list of {file,
// section (from 0), version, artifact}.
Expected<void> WriteArtifacts(const std::vector<CorpusFile>& files, const std::filesystem::path& folder,
                              const std::vector<VhloVersion>& versions);

// Checks that each artifact in the manifest.json of `folder` reads like its section. Prints those that do not, and how
// many have the same bytes when they are written here.
Expected<void> CompareArtifacts(const std::vector<CorpusFile>& files, const std::filesystem::path& folder);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_CORPUS_CORPUS_ARTIFACTS_H_
