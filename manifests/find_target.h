// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target by what the user calls it.
//
//   Expected<Target> target = FindTarget("host", "out/nightly");                        // manifests/targets/host.yaml
//   Expected<Target> target = FindTarget("pjrt:/path/xla_cpu_pjrt.so", "out/nightly");  // "pjrt-xla_cpu_pjrt"
#ifndef OPBYOP_MANIFESTS_FIND_TARGET_H_
#define OPBYOP_MANIFESTS_FIND_TARGET_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "manifests/target.h"
#include "support/expected.h"

namespace opbyop {

// Before the path of a PJRT plugin that no target file describes.
inline constexpr std::string_view kPluginPrefix = "pjrt:";

// By name or file. Of a plugin a target file is written into `folder`, so that the run says what it was of: named by
// the plugin's file, with the usual stages and limits. Errors as FindManifestFile and LoadTarget have them; kNoInput
// where there is no such plugin.
Expected<Target> FindTarget(const std::string& name, const std::filesystem::path& folder);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FIND_TARGET_H_
