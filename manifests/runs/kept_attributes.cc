// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/kept_attributes.h"

#include <fmt/format.h>

#include <algorithm>

namespace opbyop {

bool IsKept(const PlacedAttribute& attribute, const std::vector<std::string>& dialects) {
  return std::ranges::any_of(dialects,
                             [&](const std::string& dialect) { return attribute.name.starts_with(dialect + "."); });
}

bool KeepsAny(const Manifest& split, const std::vector<std::string>& dialects) {
  if (std::ranges::any_of(split.models, [](const Model& model) { return !model.stage.empty(); })) return false;
  return std::ranges::any_of(split.cases, [&](const Case& c) {
    return std::ranges::any_of(c.origins, [&](const Origin& origin) {
      return std::ranges::any_of(origin.attributes, [&](const PlacedAttribute& a) { return IsKept(a, dialects); });
    });
  });
}

std::filesystem::path KeptFolder(const Manifest& split, const Target& target) {
  return split.path.parent_path() / fmt::format("kept-{}", target.name);
}

}  // namespace opbyop
