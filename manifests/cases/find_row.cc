// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/find_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

namespace opbyop {

Expected<Row> FindRow(const Manifest& manifest, const std::string& name) {
  constexpr size_t kShown = 5;
  std::vector<std::string> near;
  for (const Row& row : Rows(manifest)) {
    const std::string row_name = RowName(row);
    if (row_name == name || row.c->id == name) return row;
    if (near.size() < kShown && row_name.find(name) != std::string::npos) near.push_back(row_name);
  }
  std::string hint;
  std::error_code unknown;
  if (!near.empty()) {
    hint = fmt::format("; did you mean {}?", fmt::join(near, " or "));
  } else if (name == "-" || std::filesystem::exists(name, unknown)) {
    hint = "; that is a path: a row is MODEL__CASE of the manifest, which `opbyop split` writes";
  }
  return MakeError(ExitCode::kNothingToDo, fmt::format("{}: no row `{}`{}", manifest.path.string(), name, hint));
}

}  // namespace opbyop
