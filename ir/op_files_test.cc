// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every op of StableHLO and CHLO must have a file in ir/test/ops that tests its text, the programs that are refused,
// and its meaning.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "ir/op_info.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

// Returns the file of an op: add.mlir for "stablehlo.add", chlo_erf.mlir for "chlo.erf".
std::string FileOf(llvm::StringRef op) {
  if (op.consume_front("stablehlo.")) return op.str() + ".mlir";
  op.consume_front("chlo.");
  return "chlo_" + op.str() + ".mlir";
}

std::set<std::string> Files() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TestSource("ir/test/ops"))) {
    files.insert(entry.path().filename().string());
  }
  return files;
}

bool NeedsFile(const OpInfo& op) { return op.name.starts_with("stablehlo.") || op.name.starts_with("chlo."); }

TEST(OpFiles, EveryOpHasAFile) {
  const std::set<std::string> files = Files();
  for (const OpInfo& op : AllOps()) {
    if (!NeedsFile(op)) continue;
    EXPECT_TRUE(files.contains(FileOf(op.name))) << "ir/test/ops/" << FileOf(op.name) << " is missing";
  }
}

TEST(OpFiles, EveryFileTestsFormRefusalsAndValues) {
  for (const std::string& file : Files()) {
    std::ifstream stream(TestSource("ir/test/ops/" + file));
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    for (const char* part :
         {"//--- form.mlir", "//--- refused.mlir", "//--- meaning.mlir", "expected-error", "  check."}) {
      EXPECT_NE(text.find(part), std::string::npos) << "ir/test/ops/" << file << " has no '" << part << "'";
    }
  }
}

TEST(OpFiles, EveryFileBelongsToAnOp) {
  std::set<std::string> files = Files();
  for (const OpInfo& op : AllOps()) {
    if (NeedsFile(op)) files.erase(FileOf(op.name));
  }
  for (const std::string& file : files) ADD_FAILURE() << "ir/test/ops/" << file << " names no op";
}

}  // namespace
}  // namespace opbyop
