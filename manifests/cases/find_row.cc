// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/find_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  return MakeError(ExitCode::kNothingToDo,
                   fmt::format("{}: no row `{}`{}", manifest.path.string(), name,
                               near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "))));
}

}  // namespace opbyop
