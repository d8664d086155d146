// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds targets, policies and baselines by name.
//
//   Expected<fs::path> file = FindManifestFile("targets", "host");   // manifests/targets/host.yaml
#ifndef OPBYOP_MANIFESTS_TARGETS_FIND_MANIFEST_FILE_H_
#define OPBYOP_MANIFESTS_TARGETS_FIND_MANIFEST_FILE_H_

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop {

// Returns the file of a target, policy or baseline: `name` itself if it is a path, else manifests/<kind>/<name>.yaml in
// the current folder or in ProjectFolder(). kNoInput for a path that does not exist, kUsage for an unknown name.
Expected<std::filesystem::path> FindManifestFile(const std::string& kind, const std::string& name);

// Returns the name for a command that is run in another folder: a name stays if it is one of the project's files, else
// it becomes the absolute path of the file that it means here. `name` may be a path or pjrt:PATH. A name without a file
// stays.
std::string NameFromAnywhere(const std::string& kind, const std::string& name);

// Returns the manifest to use if none is given: out/nightly's, or the build folder's.
Expected<std::filesystem::path> FindDefaultManifest();

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_FIND_MANIFEST_FILE_H_
