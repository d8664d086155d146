// Splitting what others have written: ../shared/corpora, where it is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "generator/split_check.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

std::vector<fs::path> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    fs::path extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".mlir" || extension == ".bc")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class SplitCorpusTest : public testing::TestWithParam<const char*> {};

TEST_P(SplitCorpusTest, CountsAddUpAndCasesSplitIntoThemselves) {
  const char* source = std::getenv("OPBYOP_SOURCE_DIR");
  fs::path folder = fs::path(source == nullptr ? "." : source) / "../shared/corpora" / GetParam();
  if (!fs::is_directory(folder)) GTEST_SKIP() << folder << " is not there";
  std::vector<fs::path> files = FilesBelow(folder);
  SplitCheck check = CheckSplit(files);
  EXPECT_THAT(check.problems, IsEmpty());
  std::cout << files.size() << " files, " << check.result.manifest.cases.size() << " cases, " << check.unreadable.size()
            << " files not read\n";
  for (const std::string& problem : check.unreadable) std::cout << "  " << problem << "\n";
}

INSTANTIATE_TEST_SUITE_P(Corpora, SplitCorpusTest,
                         testing::Values("exports", "stablehlo/testdata", "stablehlo/dynamic", "stablehlo/quantized"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace opbyop
