// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/run_manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

}  // namespace

Expected<fs::path> FindRunManifest(const RunHeader& header, const fs::path& folder, const fs::path& given) {
  if (!given.empty()) return given;
  std::vector<fs::path> places;
  for (const std::string& name : {header.manifest, header.manifest_relative, std::string("manifest.yaml")}) {
    fs::path place = (folder / name).lexically_normal();
    if (!name.empty() && std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  std::vector<fs::path> there;
  std::error_code error;
  std::ranges::copy_if(places, std::back_inserter(there),
                       [&](const fs::path& place) { return fs::is_regular_file(place, error); });
  if (there.empty()) {
    std::vector<std::string> names;
    for (const fs::path& place : places) names.push_back(place.string());
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{}: the manifest of these results no longer exists; looked for {}; was the "
                                 "folder copied without it? --manifest names it",
                                 folder.string(), fmt::join(names, ", ")));
  }
  if (there.size() == 1 || header.manifest_hash.empty()) return there.front();
  for (const fs::path& place : there) {
    const Expected<std::string> text = ReadFile(place);
    if (text && Sha256Hex(*text) == header.manifest_hash) return place;
  }
  return there.front();  // its reader reports the difference
}

void SetManifestPath(const fs::path& manifest, const fs::path& folder, RunHeader& header) {
  std::error_code error;
  const auto absolute = [&](const fs::path& path) {
    const fs::path canonical = fs::weakly_canonical(path, error);  // `..` after a link is not the link's parent folder
    return error ? fs::absolute(path, error).lexically_normal() : canonical;
  };
  const fs::path file = fs::absolute(manifest, error).lexically_normal();
  const fs::path relative = absolute(manifest).lexically_relative(absolute(folder));
  const bool inside = !relative.empty() && *relative.begin() != "..";
  header.manifest = inside ? relative.string() : file.string();
  header.manifest_relative = inside ? "" : relative.string();
}

}  // namespace opbyop
