// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every artifact of the corpora must read like the text that belongs to it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/read_module.h"
#include "ir/strip_locations.h"
#include "ir/vhlo/write_artifact.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Artifacts() {
  const fs::path corpora = TestCorpora("corpora");
  std::vector<fs::path> paths;
  for (const fs::path& folder : {corpora / "stablehlo" / "vhlo", corpora / "exports"}) {
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder, absent)) {
      if (entry.path().extension() == ".bc") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

std::string Print(const fs::path& path) {
  mlir::MLIRContext context;
  auto module = ReadModule(path, context);
  if (!module) return module.error().message;
  StripLocations(**module);
  return Print(**module);
}

// Returns the first pair of lines that differ, because a whole module would be too much to print.
std::string FirstDifference(const std::string& got, const std::string& expected) {
  auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  auto line = [](const std::string& text, std::string::const_iterator at) {
    size_t offset = at - text.begin();
    size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    return text.substr(start, text.find('\n', offset) - start);
  };
  return "got      " + line(got, a) + "\nexpected " + line(expected, b);
}

TEST(ReadModuleCorpus, ReadsEveryArtifactLikeItsText) {
  std::vector<fs::path> artifacts = Artifacts();
  if (artifacts.empty()) GTEST_SKIP() << NoCorpora(TestCorpora("corpora"));
  for (const fs::path& artifact : artifacts) {
    fs::path text = artifact;
    std::string expected = Print(text.replace_extension());
    std::string got = Print(artifact);
    EXPECT_TRUE(got == expected) << artifact.filename() << "\n" << FirstDifference(got, expected);
  }
}

TEST(ReadModuleCorpus, EveryArtifactReadsTheSameAfterWriting) {
  std::vector<fs::path> artifacts = Artifacts();
  if (artifacts.empty()) GTEST_SKIP() << NoCorpora(TestCorpora("corpora"));
  for (const fs::path& artifact : artifacts) {
    mlir::MLIRContext context;
    Expected<std::string> bytes = ReadFile(artifact);
    ASSERT_TRUE(bytes) << bytes.error().message;
    auto module = ReadModuleFromBytes(*bytes, "in", context);
    ASSERT_TRUE(module) << module.error().message;
    Expected<std::string> written = SerializePortableArtifact(**module, *InspectArtifact(*bytes)->version);
    ASSERT_TRUE(written) << artifact.filename() << ": " << written.error().message;
    auto again = ReadModuleFromBytes(*written, "in", context);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(Print(**again) == Print(**module)) << artifact.filename();
  }
}

// Compares as upstream does, both without locations. In the remaining five artifacts, attributes that are used equally
// often are numbered in another order, which makes no difference to a reader.
TEST(ReadModuleCorpus, WritesTheBytesOfArtifacts) {
  int same = 0;
  std::vector<fs::path> artifacts = Artifacts();
  if (artifacts.empty()) GTEST_SKIP() << NoCorpora(TestCorpora("corpora"));
  for (const fs::path& artifact : artifacts) {
    if (artifact.parent_path().filename() != "vhlo") continue;
    mlir::MLIRContext context;
    Expected<std::string> bytes = ReadFile(artifact);
    ASSERT_TRUE(bytes) << bytes.error().message;
    auto module = ReadModule(fs::path(artifact).replace_extension(), context);
    ASSERT_TRUE(module) << module.error().message;
    StripLocations(**module);
    Expected<std::string> written = SerializePortableArtifact(**module, *InspectArtifact(*bytes)->version);
    ASSERT_TRUE(written) << artifact.filename() << ": " << written.error().message;
    same += *written == *bytes;
  }
  EXPECT_GE(same, 2);
}

TEST(ReadModuleCorpus, RefusesTruncationsAtEvery64thByte) {
  std::vector<fs::path> artifacts = Artifacts();
  if (artifacts.empty()) GTEST_SKIP() << NoCorpora(TestCorpora("corpora"));
  mlir::MLIRContext context;
  for (const fs::path& artifact : artifacts) {
    Expected<std::string> bytes = ReadFile(artifact);
    ASSERT_TRUE(bytes) << bytes.error().message;
    for (size_t size = 0; size < bytes->size(); size += 64) {
      auto module = ReadModuleFromBytes(std::string_view(*bytes).substr(0, size), "in", context);
      ASSERT_FALSE(module) << artifact.filename() << " at " << size;
      ASSERT_EQ(module.error().code, ExitCode::kBadInput) << module.error().message;
    }
  }
}

}  // namespace
}  // namespace opbyop
