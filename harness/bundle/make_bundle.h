// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folder that a run leaves which ends before the device: all that another machine needs to go on, but for the
// artifacts and results, which come as cases are compiled.
//
//   if (auto free = CheckBundleFolder(out, manifest); !free) ...     // somebody else's folder
//   MakeBundle({.folder = out, .manifest = &manifest, .target = &target, .policies = policies, .seed = 0});
#ifndef OPBYOP_HARNESS_BUNDLE_MAKE_BUNDLE_H_
#define OPBYOP_HARNESS_BUNDLE_MAKE_BUNDLE_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/inputs/input_set.h"
#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

struct BundleParts {
  std::filesystem::path folder;
  const Manifest* manifest = nullptr;
  const Target* target = nullptr;
  std::vector<RunPolicy> policies;
  uint64_t seed = 0;
  std::string fresh_seed;
  std::filesystem::path baseline;  // empty: none
};

// kUsage where the folder holds files and is no bundle, or is that of the manifest itself.
Expected<void> CheckBundleFolder(const std::filesystem::path& folder, const Manifest& manifest);

// What is below `from`, links followed. What `to` holds beside it stays.
Expected<void> CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to);

// Marks the folder as a bundle that is not finished.
Expected<void> BeginBundle(const std::filesystem::path& folder);

// Copies all files and writes bundle.json, last. kUsage where a command of the target that runs on the device names a
// file by {target_dir} that does not lie in that folder.
Expected<void> MakeBundle(const BundleParts& parts);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_MAKE_BUNDLE_H_
