// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/find_manifest_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "manifests/targets/find_target.h"
#include "support/files/project_folder.h"
#include "support/text/nearest.h"

namespace opbyop {

namespace fs = std::filesystem;

namespace {

// Adds the names of the YAML files in the folder.
void AddNames(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
}

}  // namespace

Expected<fs::path> FindManifestFile(const std::string& kind, const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos || name.ends_with(".yaml")) {
    if (fs::is_regular_file(name, error)) return fs::absolute(name, error);
    return MakeError(ExitCode::kNoInput, fmt::format("{}: no such file, named as one of the {}", name, kind));
  }
  const fs::path relative = fs::path("manifests") / kind / (name + ".yaml");
  for (const fs::path& place : {fs::current_path(error), ProjectFolder()}) {
    if (fs::is_regular_file(place / relative, error)) return fs::weakly_canonical(place / relative, error);
  }
  std::vector<std::string> known;
  for (const fs::path& place : {fs::current_path(error), ProjectFolder()}) {
    AddNames(place / "manifests" / kind, known);
  }
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  return MakeError(ExitCode::kUsage,
                   fmt::format("'{}' is neither a file nor one of the known {}: no {} in the current folder or in {}; "
                               "{}known: {}",
                               name, kind, relative.string(), ProjectFolder().string(), DidYouMean(name, known),
                               known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

std::string NameFromAnywhere(const std::string& kind, const std::string& name) {
  std::error_code error;
  if (name.starts_with(kPluginPrefix)) {
    const fs::path plugin = fs::absolute(name.substr(kPluginPrefix.size()), error);
    return std::string(kPluginPrefix) + plugin.lexically_normal().string();
  }
  const Expected<fs::path> here = FindManifestFile(kind, name);
  if (!here) return name;
  const std::string stem = here->stem().string();
  if (fs::equivalent(*here, ProjectFolder() / "manifests" / kind / (stem + ".yaml"), error)) return stem;
  return fs::weakly_canonical(*here, error).string();
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
