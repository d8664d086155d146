// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds a target by its name, its file or its plugin.
//
//   Expected<Target> target = FindTarget("host", "out/nightly");                        // manifests/targets/host.yaml
//   Expected<Target> target = FindTarget("pjrt:/path/xla_cpu_pjrt.so", "out/nightly");  // "pjrt-xla_cpu_pjrt"
//   DeclarationsNote(*target);                                         // "declarations of target xla-cpu-pjrt"
#ifndef OPBYOP_MANIFESTS_TARGETS_FIND_TARGET_H_
#define OPBYOP_MANIFESTS_TARGETS_FIND_TARGET_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop {

// Prefix of the path of a PJRT plugin without a target file.
inline constexpr std::string_view kPluginPrefix = "pjrt:";

// Finds a target by name or file. For a plugin, writes a target file into `folder`, named after the plugin's file, so
// that the run records its target. If exactly one of the project's targets has a plugin with the same file name, its
// file applies to the given path too; else the target has the default stages and limits. Errors are those of
// FindManifestFile and LoadTarget; kNoInput if there is no such plugin.
Expected<Target> FindTarget(const std::string& name, const std::filesystem::path& folder);

// Returns the project's target files, by name. Errors are those of FindManifestFile.
Expected<std::vector<std::filesystem::path>> TargetFiles();

// The property of a run's header (manifests/results/result.h) that names the target whose declarations applied, if it
// is another one.
inline constexpr const char* kDeclarationsOf = "declarations_of";

// Returns the target whose declarations and baseline apply: the target itself, unless it was given by the path
// of a plugin, and one other target has a plugin with the same file name.
std::string DeclaringTarget(const Target& target);

// Returns a sentence for users that says whose declarations apply to a plugin given by its path, or which targets have
// such a plugin; empty if neither applies.
std::string DeclarationsNote(const Target& target);

// For a plugin that no target's declarations fit by its file's name: the targets whose plugin reports the same platform,
// "my.so is a plugin of tpu: ...". Empty if there is none.
std::string PlatformNote(const Target& target, const std::string& platform);

// For a plugin whose own targets set environment variables that are not set here: a sentence that names the variables
// and the targets. Empty if nothing lacks. Without them, such a plugin may wait for minutes.
std::string EnvironmentNote(const std::filesystem::path& plugin, const std::map<std::string, std::string>& environment);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_FIND_TARGET_H_
