// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target by what the user calls it.
//
//   Expected<Target> target = FindTarget("host", "out/nightly");                        // manifests/targets/host.yaml
//   Expected<Target> target = FindTarget("pjrt:/path/xla_cpu_pjrt.so", "out/nightly");  // "pjrt-xla_cpu_pjrt"
//   DeclarationsNote(*target);                                         // "declarations of target xla-cpu-pjrt"
#ifndef OPBYOP_MANIFESTS_TARGETS_FIND_TARGET_H_
#define OPBYOP_MANIFESTS_TARGETS_FIND_TARGET_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop {

// Before the path of a PJRT plugin that no target file describes.
inline constexpr std::string_view kPluginPrefix = "pjrt:";

// By name or file. Of a plugin a target file is written into `folder`, so that the run says what it was of: named by
// the plugin's file. Where exactly one of the project's targets has a plugin of the same file name, all that this
// target's file says holds for the given path too; else it has the usual stages and limits. Errors as FindManifestFile
// and LoadTarget have them; kNoInput where there is no such plugin.
Expected<Target> FindTarget(const std::string& name, const std::filesystem::path& folder);

// The project's target files, by name. Errors as FindManifestFile has them.
Expected<std::vector<std::filesystem::path>> TargetFiles();

// The property of a run's header (manifests/results/result.h) that names the target whose declarations held, where that
// is another.
inline constexpr const char* kDeclarationsOf = "declarations_of";

// The target whose declarations and baseline hold for this one: itself, but where it is a plugin of another's name.
std::string DeclaringTarget(const Target& target);

// One sentence for people on whose declarations hold for a plugin that was given by its path, or which targets have
// such a plugin; empty where neither is to be said.
std::string DeclarationsNote(const Target& target);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_FIND_TARGET_H_
