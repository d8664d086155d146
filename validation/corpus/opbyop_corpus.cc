// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-corpus: runs the reader and the writer on the corpora, in one process.
//
//   opbyop-corpus .corpora/corpora [--set testdata]...   # a JSON line per file: validation/corpus/corpus.py
//   opbyop-corpus .corpora/corpora --write DIR --version 1.0.0   # an artifact of each section, and manifest.json
//   opbyop-corpus .corpora/corpora --compare DIR   # artifacts of another writer, listed in its manifest.json
//
// Artifacts that are written or compared have no locations. Exit code: 0, or that of the first error. The output says
// how each file did; the program that reads it decides what is a failure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/vhlo/write_artifact.h"
#include "validation/corpus/corpus_artifacts.h"
#include "validation/corpus/corpus_files.h"
#include "validation/corpus/corpus_section.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Sets whose files are tested with every version; of testdata, only the first file of each family is.
const std::set<std::string> kAllVersionSets = {"exports", "interpret", "interpret/chlo", "math",
                                               "print",   "quantized", "verify",         "vhlo"};
// The errors in its annotations come from a pass, not from reading.
constexpr std::string_view kPassErrors = "ops_broadcasting.mlir";

// "abs" of abs_float32_20_20.mlir: files of a family test one primitive with several types and shapes.
std::string Family(const CorpusFile& file) {
  std::string stem = file.path.stem().string();
  return file.set + "/" + stem.substr(0, stem.find_first_of("0123456789"));
}

// Versions at which the encoding of the container or of many ops changes.
const std::vector<VhloVersion> kSomeVersions = {{0, 9, 0}, {0, 14, 0}, {1, 0, 0}, {1, 10, 0}, kNewestVhloVersion};

json Judge(const CorpusFile& file, const std::string& text, bool all_versions, mlir::MLIRContext& context) {
  json line = {{"set", file.set}, {"file", file.name}, {"sections", json::array()}};
  int number = 1;
  for (std::string_view section : SectionsOf(file, text)) {
    SectionRules rules;
    bool announces = section.find("expected-error") != std::string_view::npos;
    rules.must_reject = file.set == "verify" && announces && file.path.filename() != kPassErrors;
    rules.may_have_unknown_dialects = file.set == "verify";
    rules.versions = all_versions ? VhloVersions() : kSomeVersions;
    SectionResult result = JudgeSection(section, fmt::format("{}:{}", file.name, number), rules, context);
    json entry = {{"line", number},
                  {"accepted", result.is_accepted},
                  {"agrees", result.agrees},
                  {"fixed_point", result.is_fixed_point},
                  {"splits", result.splits},
                  {"round_trip", result.is_round_trip},
                  {"artifacts", result.versions_held},
                  {"problems", result.problems}};
    if (!result.inexpressible.empty()) entry["inexpressible"] = result.inexpressible;
    line["sections"].push_back(std::move(entry));
    number += static_cast<int>(std::ranges::count(section, '\n'));
  }
  return line;
}

Expected<void> JudgeAll(const std::vector<CorpusFile>& files) {
  std::set<std::string> families;
  std::set<std::string> representatives;
  for (const CorpusFile& file : files) {
    if (kAllVersionSets.contains(file.set) || families.insert(Family(file)).second) representatives.insert(file.name);
  }
  std::mutex mutex;
  return ForEach(files,
                 [&](const CorpusFile& file, const std::string& text, mlir::MLIRContext& context) -> Expected<void> {
                   std::string line = Judge(file, text, representatives.contains(file.name), context).dump();
                   std::lock_guard lock(mutex);
                   std::cout << line << '\n';
                   return {};
                 });
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  using namespace opbyop;
  CLI::App app("Judges the reader and the writer by the corpora");
  std::string corpora, write, compare;
  std::vector<std::string> sets, versions;
  app.add_option("CORPORA", corpora, "folder with stablehlo/ and exports/")->required();
  app.add_option("--set", sets, "only these sets");
  app.add_option("--write", write, "write an artifact of each section into this folder");
  app.add_option("--version", versions, "which versions to write");
  app.add_option("--compare", compare, "compare the artifacts that this folder's manifest.json lists");
  CLI11_PARSE(app, argc, argv);
  std::vector<CorpusFile> files = ListFiles(corpora, sets);
  Expected<void> done = {};
  std::vector<VhloVersion> targets;
  for (const std::string& text : versions) {
    Expected<VhloVersion> version = ParseVhloVersion(text);
    if (!version) done = Unexpected(version.error());
    if (version) targets.push_back(*version);
  }
  if (done && files.empty()) done = MakeError(ExitCode::kNoInput, corpora + " holds no .mlir file of these sets");
  if (done && !write.empty()) {
    done = WriteArtifacts(files, write, targets);
  } else if (done && !compare.empty()) {
    done = CompareArtifacts(files, compare);
  } else if (done) {
    done = JudgeAll(files);
  }
  if (done) return 0;
  std::cerr << "opbyop-corpus: " << done.error().message << '\n';
  return static_cast<int>(done.error().code);
}
