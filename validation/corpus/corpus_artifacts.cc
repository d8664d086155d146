// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/corpus/corpus_artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "ir/read_module.h"
#include "ir/strip_locations.h"
#include "ir/vhlo/write_artifact.h"
#include "llvm/Support/raw_ostream.h"
#include "manifests/formats/json.h"
#include "support/files/file.h"
#include "validation/corpus/corpus_section.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

// Reads section `index` of a file, without locations.
Expected<Module> ReadSection(const CorpusFile& file, std::string_view text, mlir::MLIRContext& context) {
  Expected<Module> module = ReadModuleFromBytes(text, file.name, context);
  if (module) StripLocations(**module);
  return module;
}

// Counts over the artifacts of another writer.
struct Comparison {
  int read = 0;
  int same_bytes = 0;
  int unsupported = 0;
  std::vector<std::string> problems;
};

void CompareOne(const CorpusFile& file, mlir::ModuleOp module, const std::string& text, const json& entry,
                const fs::path& folder, Comparison& comparison) {
  const std::string name = entry.at("artifact");
  auto problem = [&](const std::string& what) { comparison.problems.push_back(name + ": " + what); };
  Expected<std::string> bytes = ReadFile(folder / name);
  if (!bytes) return problem(bytes.error().message);
  Expected<Module> theirs = ReadModuleFromBytes(*bytes, name, *module->getContext());
  if (!theirs && theirs.error().code == ExitCode::kUnsupported) {
    ++comparison.unsupported;
    return;
  }
  if (!theirs) return problem(theirs.error().message);
  Expected<VhloVersion> version = ParseVhloVersion(entry.at("version").get<std::string>());
  Expected<std::string> ours =
      version ? SerializePortableArtifact(module, *version) : Expected<std::string>(Unexpected(version.error()));
  if (!ours) return problem("is not written here: " + ours.error().message);
  if (std::string got = PrintedText(**theirs); got != text) {
    // Defaults that the text spells out are left out in every artifact.
    Expected<Module> back = ReadModuleFromBytes(*ours, name, *module->getContext());
    if (!back || PrintedText(**back) != got) return problem("reads unlike " + file.name);
  }
  ++comparison.read;
  if (*ours == *bytes) ++comparison.same_bytes;
}

}  // namespace

Expected<void> WriteArtifacts(const std::vector<CorpusFile>& files, const fs::path& folder,
                              const std::vector<VhloVersion>& versions) {
  json entries = json::array();
  std::mutex mutex;
  auto write = [&](const CorpusFile& file, const std::string& text, mlir::MLIRContext& context) -> Expected<void> {
    std::vector<std::string_view> sections = SectionsOf(file, text);
    for (size_t i = 0; i < sections.size(); ++i) {
      Expected<Module> module = ReadSection(file, sections[i], context);
      if (!module) continue;
      for (const VhloVersion& version : versions) {
        Expected<std::string> bytes = SerializePortableArtifact(**module, version);
        if (!bytes) continue;
        std::string name = fmt::format("{}.{}.{}.mlirbc", file.name, i, ToString(version));
        if (Expected<void> done = WriteFile(folder / name, *bytes); !done) return done;
        std::lock_guard lock(mutex);
        entries.push_back({{"file", file.name}, {"section", i}, {"version", ToString(version)}, {"artifact", name}});
      }
    }
    return {};
  };
  if (Expected<void> done = ForEach(files, write); !done) return done;
  std::cout << fmt::format("{} artifacts written\n", entries.size());
  return WriteFile(folder / "manifest.json", entries.dump());
}

Expected<void> CompareArtifacts(const std::vector<CorpusFile>& files, const fs::path& folder) {
  Expected<std::string> manifest = ReadFile(folder / "manifest.json");
  if (!manifest) return Unexpected(manifest.error());
  const Expected<json> listed = ParseJson(*manifest);
  if (!listed) {
    return MakeError(listed.error().code, fmt::format("{}/manifest.json: {}", folder.string(), listed.error().message));
  }
  std::map<std::string, std::vector<json>> by_file;
  for (const json& entry : *listed) by_file[entry.at("file")].push_back(entry);
  Comparison total;
  std::mutex mutex;
  auto compare = [&](const CorpusFile& file, const std::string& text, mlir::MLIRContext& context) -> Expected<void> {
    auto found = by_file.find(file.name);
    if (found == by_file.end()) return {};
    std::vector<std::string_view> sections = SectionsOf(file, text);
    Comparison mine;
    for (const json& entry : found->second) {
      Expected<Module> module = ReadSection(file, sections.at(entry.at("section").get<size_t>()), context);
      if (!module) {
        mine.problems.push_back(module.error().message);
        continue;
      }
      std::string print = PrintedText(**module);
      CompareOne(file, **module, print, entry, folder, mine);
    }
    std::lock_guard lock(mutex);
    total.read += mine.read;
    total.same_bytes += mine.same_bytes;
    total.unsupported += mine.unsupported;
    total.problems.insert(total.problems.end(), mine.problems.begin(), mine.problems.end());
    return {};
  };
  if (Expected<void> done = ForEach(files, compare); !done) return done;
  std::ranges::sort(total.problems);
  for (const std::string& problem : total.problems) std::cout << problem << '\n';
  std::cout << fmt::format(
      "{} artifacts read like their text, {} of them are written here byte for byte, {} are not supported, {} "
      "problems\n",
      total.read, total.same_bytes, total.unsupported, total.problems.size());
  if (total.problems.empty()) return {};
  return MakeError(ExitCode::kUnexpectedResult, fmt::format("{} artifacts differ", total.problems.size()));
}

}  // namespace opbyop
