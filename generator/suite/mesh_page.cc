// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fmt/format.h>

#include <vector>

#include "generator/suite/mesh.h"
#include "ir/op_info.h"

namespace opbyop::generator {
namespace {

// Gives each reason a letter, in order of appearance.
class Letters {
 public:
  std::string Of(const std::string& reason) {
    const auto [at, is_new] = letters_.try_emplace(reason, std::string(1, static_cast<char>('a' + reasons_.size())));
    if (is_new) reasons_.push_back(reason);
    return at->second;
  }
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  std::map<std::string, std::string> letters_;
  std::vector<std::string> reasons_;
};

std::string RowOf(const std::string& op, const std::map<Way, MeshSuite::Cell>& cells, Letters& letters) {
  std::string row = fmt::format("| `{}` |", ShortName(op));
  for (const Way way : kWays) {
    const MeshSuite::Cell& cell = cells.at(way);
    row += fmt::format(" {} |", cell.programs > 0 ? std::to_string(cell.programs) : letters.Of(cell.reason));
  }
  return row + "\n";
}

}  // namespace

std::string MeshPage(const Suite& suite, const MeshSuite& made) {
  Letters letters;
  std::string sharded, between, none;
  for (const OpInfo& info : AllOps()) {
    const std::string op = info.name.str();
    if (!op.starts_with("stablehlo.") && !op.starts_with("chlo.")) continue;
    const auto cells = made.sharded.find(op);
    const auto forms = made.collectives.find(op);
    if (cells != made.sharded.end()) sharded += RowOf(op, cells->second, letters);
    if (forms != made.collectives.end()) {
      for (const auto& [form, programs] : forms->second) {
        between += fmt::format("| `{}` | {} | {} |\n", ShortName(op), form, programs);
      }
    }
    if (cells != made.sharded.end() || forms != made.collectives.end()) continue;
    const auto reason = made.never.find(op);
    none += fmt::format("| `{}` | {} |\n", ShortName(op),
                        reason == made.never.end() ? "**no reason is stated**" : reason->second);
  }
  std::string ways, rule;
  for (const Way way : kWays) {
    ways += fmt::format(" {} |", ToString(way));
    rule += "---:|";
  }
  std::string page = fmt::format(
      "# The suite on a mesh\n\n"
      "Written by `opbyop suite {0} --mesh {1} --coverage docs/mesh-coverage.md`; a test fails if it is out of date. "
      "[The suite](design/suite.md#mesh) says how the programs are made.\n\n"
      "Level smoke of {0} {2} has {3} cases on a mesh of {1}.\n\n"
      "## Sharded ops\n\n"
      "Programs by the way in which tensors are divided. A letter says why there are none, below the table.\n\n"
      "| op |{4}\n|---|{5}\n{6}\n",
      suite.name, made.mesh.Text(), suite.version, made.result.manifest.cases.size(), ways, rule, sharded);
  for (const std::string& reason : letters.reasons()) page += fmt::format("- {}: {}\n", letters.Of(reason), reason);
  page += "\n## Ops between processes\n\n| op | form of its groups | programs |\n|---|---|---:|\n" + between;
  page += "\n## Ops that are in neither table\n\n| op | why |\n|---|---|\n" + none;
  return page;
}

}  // namespace opbyop::generator
