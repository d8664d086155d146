// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a bundle: the folder that a run leaves if it ends before the device. It holds all that another machine needs to
// continue. The artifacts and results are added as cases are compiled.
//
//   if (auto free = CheckBundleFolder(out, manifest); !free) ...     // the folder holds other files
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

// kUsage if the folder holds files and is no bundle, or if it is the manifest's own folder.
Expected<void> CheckBundleFolder(const std::filesystem::path& folder, const Manifest& manifest);

// Copies all below `from` and follows links. Other files in `to` stay.
Expected<void> CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to);

// Marks the folder as an unfinished bundle.
Expected<void> BeginBundle(const std::filesystem::path& folder);

// Copies all files, then writes bundle.json. kUsage if a command of the target that runs on the device names a file by
// {target_dir} that is not in that folder.
Expected<void> MakeBundle(const BundleParts& parts);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_BUNDLE_MAKE_BUNDLE_H_
