// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/find_manifest_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "support/project_folder.h"

namespace opbyop {

namespace fs = std::filesystem;

Expected<fs::path> FindManifestFile(const std::string& kind, const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos || name.ends_with(".yaml")) {
    if (fs::is_regular_file(name, error)) return fs::absolute(name, error);
    return MakeError(ExitCode::kNoInput, fmt::format("{}: no such file, named as one of the {}", name, kind));
  }
  const fs::path relative = fs::path("manifests") / kind / (name + ".yaml");
  std::vector<fs::path> places = {fs::current_path(error)};
  if (const char* source = std::getenv("OPBYOP_SOURCE_DIR")) places.emplace_back(source);
  places.push_back(ProgramFolder().parent_path().parent_path());
  places.push_back(ProgramFolder().parent_path() / "share/opbyop");
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place / relative, error)) return fs::weakly_canonical(place / relative, error);
  }
  return MakeError(ExitCode::kUsage, fmt::format("'{}' is neither a file nor one of the known {}: no {} in the current "
                                                 "folder or above the program",
                                                 name, kind, relative.string()));
}

Expected<fs::path> FindDefaultManifest() {
  std::error_code error;
  for (const fs::path& place : {fs::path("out/nightly"), ProgramFolder().parent_path() / "nightly"}) {
    if (fs::is_regular_file(place / "manifest.yaml", error)) return place / "manifest.yaml";
  }
  return MakeError(ExitCode::kNoInput,
                   "no manifest is named and neither out/nightly nor the build folder has one: give --manifest=FILE, "
                   "made by `opbyop split MODEL... -o DIR`");
}

}  // namespace opbyop
