// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/program_texts.h"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "reports/view/first_line.h"
#include "support/files/file.h"

namespace opbyop::reports {
namespace {

namespace fs = std::filesystem;

// Rows that are wrong come first, then rows without a verdict, then the rest.
int Rank(const RowResult& row) {
  if (IsProblem(row.status)) return 0;
  return row.status == Status::kPass ? 2 : 1;
}

}  // namespace

ProgramTexts FindPrograms(const View& view, const fs::path& folder, const ProgramLimits& limits) {
  const fs::path home = view.manifest->path.parent_path();
  std::error_code error;
  ProgramTexts programs;
  programs.href = fs::proximate(home.empty() ? "." : home, folder.empty() ? "." : folder, error).generic_string();
  std::vector<size_t> rows(view.rows.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::ranges::sort(rows, {}, [&](size_t row) { return std::pair(Rank(view.rows[row]), row); });
  int64_t room = limits.of_page;
  for (const size_t row : rows) {
    const size_t at = view.rows[row].case_index;
    const Case& c = view.manifest->cases[at];
    if (programs.of.contains(at)) continue;
    const uintmax_t size = fs::file_size(home / c.file, error);
    if (error) continue;
    ProgramText program{static_cast<int64_t>(size), ""};
    if (program.bytes <= std::min(limits.of_case, room)) {
      program.text = SafeText(ReadFile(home / c.file, size).value_or(""));
      if (view.private_values != nullptr) view.private_values->HideIn(program.text);
      room -= static_cast<int64_t>(program.text.size());
    }
    programs.of.emplace(at, std::move(program));
  }
  return programs;
}

}  // namespace opbyop::reports
