// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts faults into large products and convolutions and writes the table of docs/numerics/checksum-faults.md.
//
//   product_faults --page docs/numerics/checksum-faults.md
//
// Exits with 1 if a fault escapes that is derived to be found, or if a right output is refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <vector>

#include "support/files/file.h"
#include "support/text/marked_block.h"
#include "validation/product_faults/product_faults.h"

namespace opbyop {
namespace {

constexpr std::string_view kBegin = "<!-- faults: begin, written by ./dev faults --products -->\n";
constexpr std::string_view kEnd = "<!-- faults: end -->";

int Fail(const std::string& message, ExitCode code) {
  std::cerr << "product_faults: " << message << "\n";
  return static_cast<int>(code);
}

int Run(const std::string& page, int seeds) {
  // The fourth stands for a product of 4 times as many multiply-adds as 16 rows of a checksum allow.
  const std::vector<ProductSize> sizes = {
      {.rows = 512, .depth = 512, .columns = 512},
      {.rows = 256, .depth = 1024, .columns = 1024, .result = "bf16"},
      {.rows = 128, .depth = 4096, .columns = 1024},
      {.rows = 1024, .depth = 256, .columns = 512, .checksum_products = 0x1p22},
      {.rows = 1024, .depth = 576, .columns = 256, .window = 3},
      {.rows = 512, .depth = 512, .columns = 512, .result = "i32", .operands = "i8"},
      {.rows = 512, .depth = 256, .columns = 512, .result = "i32", .operands = "i32"},
      {.rows = 1024, .depth = 576, .columns = 256, .result = "i32", .operands = "i8", .window = 3}};
  std::vector<ProductFaults> products;
  int wrong = 0;
  for (const ProductSize& size : sizes) {
    Expected<ProductFaults> faults = InjectProductFaults(size, seeds);
    if (!faults) return Fail(faults.error().message, faults.error().code);
    wrong += faults->right_refused;
    for (const FoundFaults& f : faults->found) {
      if (!f.escaped()) continue;
      ++wrong;
      std::cerr << fmt::format("product_faults: {}: {} of {} {} is found {} times of {}\n", ToText(size),
                               ToString(f.spread), f.bounds, faults->judged, f.by_sample + f.by_checksum, f.tried);
    }
    products.push_back(std::move(*faults));
  }
  const std::string table = ToMarkdown(products);
  std::cout << table;
  if (!page.empty()) {
    const Expected<std::string> text = ReadFile(page);
    if (!text) return Fail(text.error().message, text.error().code);
    const Expected<std::string> changed = ReplaceMarkedBlock(*text, kBegin, kEnd, "\n" + table + "\n");
    if (!changed) return Fail(page + ": " + changed.error().message, changed.error().code);
    if (const Expected<void> done = WriteFile(page, *changed); !done)
      return Fail(done.error().message, done.error().code);
  }
  return wrong == 0 ? 0 : Fail("a fault escapes or a right output is refused", ExitCode::kUnexpectedResult);
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  CLI::App app("Counts the faults of large products and convolutions that a sample and checksums find");
  std::string page;
  int seeds = 10;
  app.add_option("--page", page, "Page whose table is replaced");
  app.add_option("--seeds", seeds, "Places of each fault")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return opbyop::Run(page, seeds);
}
