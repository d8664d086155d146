// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/split_again.h"

#include <algorithm>
#include <unordered_map>

#include "generator/split/case_folder.h"
#include "generator/split/model_split.h"
#include "support/saturated.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;

bool IsSamePlace(const Origin& a, const Origin& b) {
  return a.model == b.model && a.framework_op == b.framework_op && a.module_path == b.module_path &&
         a.regions == b.regions && a.trips == b.trips;
}

void Add(Origin origin, std::vector<Origin>& origins) {
  const auto known = std::ranges::find_if(origins, [&](const Origin& other) { return IsSamePlace(origin, other); });
  if (known == origins.end()) {
    origins.push_back(std::move(origin));
    return;
  }
  known->count = AddCapped(known->count, origin.count);
  for (std::string& location : origin.locations) {
    const bool is_new = std::ranges::find(known->locations, location) == known->locations.end();
    if (is_new && known->locations.size() < Origin::kMaxLocations) known->locations.push_back(std::move(location));
  }
}

}  // namespace

bool IsSplitFolder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kManifest, ignored) && fs::is_directory(folder / "cases", ignored);
}

std::vector<ModelSource> ListCases(const fs::path& folder) {
  const Expected<Manifest> manifest = LoadManifest(folder / kManifest);
  if (!manifest) return {{folder.filename().string(), folder / kManifest, "unknown", "", manifest.error()}};
  std::vector<ModelSource> sources;
  for (const Case& c : manifest->cases) sources.push_back({c.id, folder / c.file});
  return sources;
}

void AttributeToModels(const Manifest& first, Manifest& manifest) {
  std::unordered_map<std::string, const Case*> cases;
  for (const Case& c : first.cases) cases[c.id] = &c;
  for (Case& c : manifest.cases) {
    std::vector<Origin> origins;
    for (const Origin& inner : c.origins) {
      const auto found = cases.find(inner.model);
      if (found == cases.end()) {
        Add(inner, origins);
        continue;
      }
      for (Origin outer : found->second->origins) {
        outer.count = MulCapped(outer.count, inner.count);
        outer.regions.insert(outer.regions.end(), inner.regions.begin(), inner.regions.end());
        Add(std::move(outer), origins);
      }
    }
    c.origins = std::move(origins);
  }
  Model second;
  std::erase_if(manifest.models, [&](const Model& model) {
    const bool is_case = cases.contains(model.name);
    if (is_case) second = model;
    return is_case && model.error.empty();
  });
  for (Model model : first.models) {
    model.stage = second.stage;
    model.split = Combine(model.split, second.split);
    model.ops = 0;
    for (const Case& c : manifest.cases) {
      for (const Origin& origin : c.origins) {
        if (origin.model == model.name) model.ops += origin.count;
      }
    }
    manifest.models.push_back(std::move(model));
  }
}

}  // namespace opbyop::generator
