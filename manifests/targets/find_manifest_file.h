// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Targets, policies and baselines by name.
//
//   Expected<fs::path> file = FindManifestFile("targets", "host");   // manifests/targets/host.yaml
#ifndef OPBYOP_MANIFESTS_TARGETS_FIND_MANIFEST_FILE_H_
#define OPBYOP_MANIFESTS_TARGETS_FIND_MANIFEST_FILE_H_

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop {

// The file that a target's, policy's or baseline's name stands for: itself where it is a path, else
// manifests/<kind>/<name>.yaml in the current folder or in ProjectFolder(). kNoInput for a path that is not there,
// kUsage for an unknown name.
Expected<std::filesystem::path> FindManifestFile(const std::string& kind, const std::string& name);

// As a command says it that is run in another folder: a name for one of the project's files, else the absolute path of
// what it means here. `name` may be a path, and pjrt:PATH; one that means nothing stays.
std::string NameFromAnywhere(const std::string& kind, const std::string& name);

// The manifest that is meant where none is named: out/nightly's or the build folder's.
Expected<std::filesystem::path> FindDefaultManifest();

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_FIND_MANIFEST_FILE_H_
