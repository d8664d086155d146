// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The libraries that a shared library needs and that are not installed: the loader itself names only the first.
//
//   for (const std::string& name : MissingLibraries("/path/plugin.so")) ...   // "libze_loader.so.1"
//   PackageWith("libze_loader.so.1");                                         // "Debian's libze1"
#ifndef OPBYOP_DEVICE_PJRT_MISSING_LIBRARIES_H_
#define OPBYOP_DEVICE_PJRT_MISSING_LIBRARIES_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::pjrt {

// By the loader's own search, without running any code of the file. Empty if it finds all, or cannot read the file.
std::vector<std::string> MissingLibraries(const std::filesystem::path& file);

// A package that has the library; empty if none is known.
std::string PackageWith(std::string_view library);

// "2 libraries are missing: libamdhip64.so.7 (AMD's ROCm), libze_loader.so.1 (Debian's libze1)"; empty if none is.
std::string DescribeMissing(const std::vector<std::string>& libraries);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_MISSING_LIBRARIES_H_
