// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tells one build of a plugin from another.
//
//   PackageOf("/venv/lib/python3.11/site-packages/libtpu/libtpu.so")   // "libtpu 0.0.42"
//   FileSha256("/venv/lib/.../libtpu.so")
#ifndef OPBYOP_DEVICE_PJRT_PLUGIN_IDENTITY_H_
#define OPBYOP_DEVICE_PJRT_PLUGIN_IDENTITY_H_

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop::pjrt {

// The Python package that installed the file and its version, by the lists of files that pip keeps. Empty: none did.
std::string PackageOf(const std::filesystem::path& file);

// The SHA-256 of a file, which may be large: it is mapped, not read into memory.
Expected<std::string> FileSha256(const std::filesystem::path& file);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_PLUGIN_IDENTITY_H_
