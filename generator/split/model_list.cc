// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/model_list.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "generator/program/case_id.h"
#include "generator/split/split_again.h"
#include "ir/artifact_info.h"
#include "ir/hlo/hlo_file.h"
#include "ir/program_file.h"
#include "ir/sections.h"
#include "support/files/file.h"
#include "support/text/safe_text.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelsFile = "models.yaml";
constexpr std::string_view kModelsSchema = "opbyop-models/1";

Error BadList(const fs::path& path, int line, std::string_view problem) {
  return Error{ExitCode::kBadInput, fmt::format("{}:{}: {}", path.string(), line, problem)};
}

// Returns "" if the key is absent.
std::string Text(const YAML::Node& node, const char* key) {
  YAML::Node value = node[key];
  return value && value.IsScalar() ? value.Scalar() : "";
}

Expected<std::vector<ModelSource>> ReadModelsFile(const fs::path& path) {
  Expected<std::string> text = ReadFile(path);
  if (!text) return Unexpected(text.error());
  if (const size_t bad = FirstNonUtf8(*text); bad != std::string::npos) {
    const auto line = std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(bad), '\n') + 1;
    return Unexpected(BadList(path, static_cast<int>(line), "holds bytes that are no UTF-8"));
  }
  std::vector<ModelSource> sources;
  try {
    YAML::Node root = YAML::Load(*text);
    if (!root.IsMap()) return Unexpected(BadList(path, 1, "not a list of models; expected `schema:` and `models:`"));
    std::string schema = Text(root, "schema");
    if (schema != kModelsSchema) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("{}: schema '{}', this version reads '{}'", path.string(), schema, kModelsSchema));
    }
    for (const YAML::Node& entry : root["models"]) {
      int line = entry.Mark().line + 1;
      if (!entry.IsMap()) return Unexpected(BadList(path, line, "a model is no mapping of `name:` and `file:`"));
      ModelSource source{Text(entry, "name"), Text(entry, "file"), Text(entry, "frontend"), Text(entry, "sha256"), {}};
      if (source.name.empty() || source.file.empty()) {
        return Unexpected(BadList(path, line, "a model has no `name:` or no `file:`"));
      }
      if (source.frontend.empty()) source.frontend = "unknown";
      source.file = path.parent_path() / source.file;
      for (const YAML::Node& argument : entry["arguments"]) {
        const YAML::Node range = argument.IsMap() ? argument["range"] : YAML::Node(YAML::NodeType::Undefined);
        int64_t low = 0, high = 0;
        const bool stated = range && range.IsSequence() && range.size() == 2 &&
                            YAML::convert<int64_t>::decode(range[0], low) &&
                            YAML::convert<int64_t>::decode(range[1], high) && low <= high;
        source.ranges.push_back(stated ? InputRange({low, high}) : std::nullopt);
      }
      sources.push_back(std::move(source));
    }
  } catch (const YAML::Exception& error) {
    return Unexpected(BadList(path, error.mark.line + 1, fmt::format("not YAML: {}", error.msg)));
  }
  return sources;
}

bool IsModelFile(const fs::path& path) {
  return path.extension() == ".mlir" || path.extension() == ".mlirbc" || path.extension() == ".bc" ||
         IsHloDump(path.filename().string());
}

// True for the text of a dump that is there as a message too, which has every constant.
bool IsDumpedTwice(const fs::path& text) {
  fs::path message = text;
  std::error_code ignored;
  return text.extension() == ".txt" && fs::exists(message.replace_extension(".hlo.pb"), ignored);
}

std::string NameOf(const fs::path& file) {
  const std::string name = file.filename().string();
  return IsHloDump(name) ? std::string(HloStem(name)) : file.stem().string();
}

// Removes the MLIR into which XLA's compiler turns a program that is dumped beside it: "module_0001.jit_f.*.mlir".
void RemoveStages(std::vector<ModelSource>& sources) {
  std::set<std::string> programs;
  for (const ModelSource& source : sources) {
    const std::string name = source.file.filename().string();
    if (IsHloDump(name)) programs.insert(fmt::format("{}.", HloStem(name)));
  }
  std::erase_if(sources, [&](const ModelSource& source) {
    const std::string name = source.file.filename().string();
    return !IsHloDump(name) && std::ranges::any_of(programs, [&](const auto& stem) { return name.starts_with(stem); });
  });
}

std::vector<ModelSource> ListFolder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kModelsFile, ignored)) {
    Expected<std::vector<ModelSource>> sources = ReadModelsFile(folder / kModelsFile);
    if (sources) return *sources;
    return {{folder.filename().string(), folder / kModelsFile, "unknown", "", sources.error()}};
  }
  std::vector<ModelSource> sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_regular_file(ignored) && IsModelFile(entry.path()) && !IsDumpedTwice(entry.path())) {
      sources.push_back({NameOf(entry.path()), entry.path()});
    }
  }
  RemoveStages(sources);
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  if (sources.empty()) {
    sources.push_back({folder.filename().string(), folder, "unknown", "",
                       Error{ExitCode::kNoInput,
                             fmt::format("{}: no models.yaml, no .mlir, .mlirbc or .bc file, no "
                                         "dump of HLO before optimizations and no functions/*.bytecode in this folder",
                                         folder.string())}});
  }
  return sources;
}

// Lists that were read, by path, because a command may name many files next to one list.
using Lists = std::map<fs::path, Expected<std::vector<ModelSource>>>;

ModelSource ListFile(const fs::path& file, Lists& lists) {
  std::error_code ignored;
  fs::path list = file.parent_path() / kModelsFile;
  auto known = lists.find(list);
  if (known == lists.end() && fs::exists(list, ignored)) known = lists.emplace(list, ReadModelsFile(list)).first;
  if (known != lists.end()) {
    const Expected<std::vector<ModelSource>>& sources = known->second;
    if (sources) {
      for (const ModelSource& source : *sources) {
        if (source.file.filename() == file.filename()) {
          return {source.name, file, source.frontend, source.sha256, {}, source.ranges};
        }
      }
    }
  }
  return {NameOf(file), file};
}

// Makes the names valid parts of test names: over [A-Za-z0-9_], and each used once.
void MakeNamesUnique(std::vector<ModelSource>& sources) {
  std::set<std::string> taken;
  for (ModelSource& source : sources) {
    std::string name = Identifier(source.name);
    if (name.empty()) name = "model";
    source.name = name;
    for (int n = 2; !taken.insert(source.name).second; ++n) source.name = fmt::format("{}_{}", name, n);
  }
}

}  // namespace

std::vector<ModelSource> ListModels(const std::vector<std::string>& arguments) {
  std::vector<ModelSource> sources;
  Lists lists;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    fs::path path = argument;
    std::string name;
    if (size_t at = argument.find('='); at != std::string::npos && !fs::exists(path, ignored)) {
      name = argument.substr(0, at);
      path = argument.substr(at + 1);
    }
    if (IsSplitFolder(path)) {
      for (ModelSource& source : ListCases(path)) sources.push_back(std::move(source));
      continue;
    }
    const Expected<fs::path> file = ProgramFile(path);
    if (!file && file.error().code == ExitCode::kNoInput) {
      for (ModelSource& source : ListFolder(path)) sources.push_back(std::move(source));
      continue;
    }
    ModelSource source = file ? ListFile(*file, lists) : ModelSource{.file = path, .error = file.error()};
    if (fs::is_directory(path, ignored)) {
      source.name = fs::canonical(path, ignored).filename().string();
      source.frontend = "torch-xla";
    }
    if (!name.empty()) source.name = name;
    sources.push_back(std::move(source));
  }
  MakeNamesUnique(sources);
  return sources;
}

std::vector<ModelSource> EachSection(const std::vector<ModelSource>& sources) {
  std::vector<ModelSource> all;
  for (const ModelSource& source : sources) {
    std::error_code absent;
    if (!source.error && fs::exists(source.file, absent) && !fs::is_regular_file(source.file, absent)) {
      ModelSource& refused = all.emplace_back(source);
      refused.error = Error{ExitCode::kUsage, fmt::format("{}: sections are read one by one, which a file allows and "
                                                          "this does not: store it in a file",
                                                          source.file.string())};
      continue;
    }
    const Expected<std::string> text = ReadFile(source.file);
    const Expected<ArtifactInfo> info = text ? InspectArtifact(*text) : Unexpected(text.error());
    const bool is_text = info && info->kind == ArtifactKind::kText;
    const std::vector<Section> sections = is_text ? SectionsOf(*text) : std::vector<Section>();
    if (sections.size() < 2) {
      all.push_back(source);
      continue;
    }
    for (size_t i = 0; i < sections.size(); ++i) {
      if (IsEmpty(sections[i])) continue;
      ModelSource& one = all.emplace_back(source);
      one.name = fmt::format("{}_{}", source.name, i + 1);
      one.section = static_cast<int64_t>(i) + 1;
    }
  }
  MakeNamesUnique(all);
  return all;
}

std::string TextOfSection(std::string bytes, int64_t section) {
  if (section == 0) return bytes;
  std::vector<Section> sections = SectionsOf(bytes);
  const auto index = static_cast<size_t>(section) - 1;
  return index < sections.size() ? std::move(sections[index].text) : std::string();
}

}  // namespace opbyop::generator
