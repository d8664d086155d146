// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Splits programs that other projects have written: the corpora.
//
// Writes the cases of each set to the folder that OPBYOP_CORPUS_CASES names (SET/*.mlir, and all of a set in SET.mlir
// with split markers), so that other readers can read them: opbyop-opt and jaxlib, see generator/CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "fmt/format.h"
#include "generator/split/split_check.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr std::string_view kMarker = "// -----";

struct CorpusSet {
  const char* folder;
  bool in_sections = false;  // a file holds several programs, each with a function name of its own
  bool inside = false;       // splits inside regions and composites
};

std::string NameOf(const CorpusSet& set) {
  std::string name = set.folder;
  std::replace(name.begin(), name.end(), '/', '_');
  return name + (set.inside ? "_inside" : "");
}

void AppendSections(const std::string& name, const std::string& text, std::vector<SplitSource>& sources) {
  int section = 0;
  for (size_t start = 0; start <= text.size(); ++section) {
    size_t end = std::min(text.find(kMarker, start), text.size());
    sources.push_back(
        {.name = fmt::format("{}#{}", name, section), .bytes = text.substr(start, end - start), .any_entry = true});
    start = end + kMarker.size();
  }
}

std::vector<SplitSource> SourcesOf(const CorpusSet& set, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    fs::path extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".mlir" || extension == ".bc")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<SplitSource> sources;
  for (const fs::path& file : files) {
    Expected<std::string> bytes = ReadFile(file);
    if (set.in_sections && bytes) {
      AppendSections(file.string(), *bytes, sources);
    } else {
      sources.push_back({.name = file.string(), .bytes = bytes ? std::move(*bytes) : ""});
    }
  }
  return sources;
}

void LeaveCases(const std::string& name, const SplitCheck& check) {
  const char* folder = std::getenv("OPBYOP_CORPUS_CASES");
  if (folder == nullptr) return;
  fs::remove_all(fs::path(folder) / name);
  fs::create_directories(fs::path(folder) / name);
  std::ofstream all(fs::path(folder) / (name + ".mlir"));
  for (const auto& [id, text] : check.texts) {
    std::ofstream(fs::path(folder) / name / (id + ".mlir")) << text;
    all << text << kMarker << "\n";
  }
}

class SplitCorpusTest : public testing::TestWithParam<CorpusSet> {};

TEST_P(SplitCorpusTest, CountsAddUpAndCasesSplitIntoThemselves) {
  fs::path folder = TestCorpora("corpora") / GetParam().folder;
  if (!fs::is_directory(folder)) GTEST_SKIP() << NoCorpora(folder);
  std::vector<SplitSource> sources = SourcesOf(GetParam(), folder);
  WalkOptions walk{.inside_regions = GetParam().inside,
                   .composites = GetParam().inside ? Composites::kInline : Composites::kWhole};
  SplitCheck check = CheckSplit(sources, {.walk = walk});
  EXPECT_THAT(check.problems, IsEmpty());
  std::cout << fmt::format("split {:<30} {:>5} programs {:>6} ops {:>5} cases {:>4} not split\n", NameOf(GetParam()),
                           sources.size(), check.Ops(), check.texts.size(), check.unreadable.size());
  for (const std::string& problem : check.unreadable) std::cout << "  " << problem << "\n";
  LeaveCases(NameOf(GetParam()), check);
}

INSTANTIATE_TEST_SUITE_P(Corpora, SplitCorpusTest,
                         testing::Values(CorpusSet{"exports"}, CorpusSet{"exports", false, true},
                                         CorpusSet{"stablehlo/testdata"}, CorpusSet{"stablehlo/testdata", false, true},
                                         CorpusSet{"stablehlo/dynamic"}, CorpusSet{"stablehlo/quantized", true},
                                         CorpusSet{"stablehlo/interpret", true}),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace opbyop::generator
