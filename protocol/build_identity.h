// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of what identifies the build of a worker's toolchain, for workers whose executables only that build runs
// (docs/worker-protocol.md).
#ifndef OPBYOP_PROTOCOL_BUILD_IDENTITY_H_
#define OPBYOP_PROTOCOL_BUILD_IDENTITY_H_

namespace opbyop::protocol {

// The first three identify the build: two workers have the same one if their digests are equal, or their packages and
// interfaces. With the fourth, the toolchain itself is asked about each executable.
inline constexpr const char* kBuildDigest = "plugin_sha256";
inline constexpr const char* kBuildPackage = "plugin_package";
inline constexpr const char* kBuildInterface = "pjrt_api_version";
inline constexpr const char* kJudgesExecutables = "judges_executables";

// Environment variable of the worker: 1 if executables of another build may be run (`--allow-other-version`).
inline constexpr const char* kOtherVersionVariable = "OPBYOP_ALLOW_OTHER_VERSION";

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_BUILD_IDENTITY_H_
