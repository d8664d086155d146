// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sensitivity_table PAGE CASES MODEL... [--check]: measures and writes the table into the page; --check only compares.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "support/files/file.h"
#include "support/text/marked_block.h"
#include "validation/fault_injection/sensitivity.h"

namespace opbyop::fault_injection {
namespace {

int Fail(const Error& error) {
  std::fprintf(stderr, "sensitivity: %s\n", error.message.c_str());
  return static_cast<int>(error.code);
}

int Main(int argc, char** argv) {
  const bool check = argc > 1 && std::string_view(argv[argc - 1]) == "--check";
  const int first = std::min(argc, 3);
  const std::vector<std::string> models(argv + first, argv + std::max(first, argc - (check ? 1 : 0)));
  if (models.empty()) {
    std::fprintf(stderr, "usage: sensitivity_table PAGE CASES MODEL... [--check]\n");
    return static_cast<int>(ExitCode::kUsage);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto cases = ReadCases(argv[2], context);
  if (!cases) return Fail(cases.error());
  auto of_models = ModelCases(models, context);
  if (!of_models) return Fail(of_models.error());
  for (SensitivityCase& c : *of_models) cases->push_back(std::move(c));
  const auto measured = Measure(*cases);
  if (!measured) return Fail(measured.error());
  bool good = true;
  for (const Row& row : measured->rows) {
    if (row.fault->legal != row.Caught() && row.Shown()) continue;
    good = false;
    std::string where;
    for (const Finding& finding : row.by_policy) where = where.empty() ? finding.first : where;
    std::fprintf(stderr, "%s: %s %s\n", row.fault->name.c_str(),
                 row.fault->legal ? "a control was refused:"
                 : row.Shown()    ? "never caught"
                                  : "never shown",
                 where.c_str());
  }
  const Expected<std::string> page = ReadFile(argv[1]);
  if (!page) return Fail(page.error());
  const Expected<std::string> now = ReplaceMarkedBlock(*page, kTableBegin, kTableEnd, ToMarkdown(*measured));
  if (!now) return Fail(now.error());
  if (check && *now != *page) {
    std::fprintf(stderr, "%s: the table is not current: run './dev sensitivity'\n", argv[1]);
    good = false;
  }
  if (!check) {
    if (const Expected<void> written = WriteFile(argv[1], *now); !written) return Fail(written.error());
  }
  return static_cast<int>(good ? ExitCode::kOk : ExitCode::kUnexpectedResult);
}

}  // namespace
}  // namespace opbyop::fault_injection

int main(int argc, char** argv) { return opbyop::fault_injection::Main(argc, argv); }
