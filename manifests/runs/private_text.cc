// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/private_text.h"

#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "manifests/formats/yaml_leaves.h"
#include "support/files/file.h"
#include "support/files/project_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

void AddNamedIn(std::string_view text, std::set<std::string>& names) {
  for (const std::string_view opening : {"{env:", "{env_file:"}) {
    for (size_t at = text.find(opening); at != std::string_view::npos; at = text.find(opening, at + 1)) {
      const size_t begin = at + opening.size();
      const size_t end = text.find('}', begin);
      if (end != std::string_view::npos) names.emplace(text.substr(begin, end - begin));
    }
  }
}

void AddLine(std::string_view name, std::string& lines) { lines.append(name).append("\n"); }

}  // namespace

std::set<std::string> VariablesNamedBy(const fs::path& target_file) {
  std::set<std::string> names;
  const Expected<std::string> text = ReadFile(target_file);
  if (!text) return names;
  constexpr std::string_view kEnvironment = "environment.";
  for (const auto& [path, value] : YamlLeaves(*text)) {
    AddNamedIn(value, names);
    // "environment.NAME" for the whole target, "stages.lower.environment.NAME" for a stage.
    const size_t key = path.find(kEnvironment);
    if (key == 0 || (key != std::string::npos && path[key - 1] == '.'))
      names.insert(path.substr(key + kEnvironment.size()));
  }
  return names;
}

std::string NamesOf(const Manifest& manifest) {
  std::string names;
  std::error_code error;
  AddLine(fs::absolute(manifest.path, error).string(), names);
  AddLine(fs::current_path(error).string(), names);
  AddLine(ProjectFolder().string(), names);
  for (const Model& model : manifest.models) AddLine(model.name + " " + model.stage + " " + model.entry, names);
  for (const Case& c : manifest.cases) AddLine(c.id + " " + c.op + " " + c.target, names);
  return names;
}

std::string NamesOf(const RunHeader& header) {
  std::string names;
  for (const std::string* name : {&header.run_id, &header.target, &header.target_file, &header.manifest,
                                  &header.manifest_relative, &header.policy}) {
    AddLine(*name, names);
  }
  for (const std::string& stage : header.stages) AddLine(stage, names);
  return names;
}

std::string NamesOf(const Target& target) {
  std::string names = target.name + "\n" + target.path.string() + "\n" + target.device.kind + "\n";
  for (const std::string& stage : target.StageNames()) AddLine(stage, names);
  return names;
}

void HideIn(const PrivateValues& values, CaseRecord& record, Count count) {
  const auto hide = [&](std::string& text) {
    if (count == Count::kYes) {
      values.HideIn(text);
    } else {
      values.HideUncountedIn(text);
    }
  };
  hide(record.diagnostic);
  hide(record.repro);
  hide(record.partitioning);
  hide(record.first_attempt.diagnostic);
  hide(record.fixed.diagnostic);
  hide(record.differential.diagnostic);
  for (StageRecord& stage : record.stages) hide(stage.diagnostic);
  for (InputSetRecord& set : record.sets) hide(set.diagnostic);
  for (std::string& line : record.stderr_tail) hide(line);
  if (!record.stderr_tail.empty()) values.HideEndAtTheBeginningOf(record.stderr_tail.front());
  for (std::vector<Comparison>* comparisons : {&record.comparisons, &record.differential.comparisons}) {
    for (Comparison& comparison : *comparisons) hide(comparison.relaxed);
  }
  for (std::vector<Placement>* placements : {&record.placements.inputs, &record.placements.outputs}) {
    for (Placement& placement : *placements) {
      hide(placement.memory);
      hide(placement.layout);
    }
  }
}

void HideIn(const PrivateValues& values, RunHeader& header) {
  for (std::string* text : {&header.target_file, &header.toolchain, &header.compile_only, &header.git_sha,
                            &header.filter, &header.balance}) {
    values.HideIn(*text);
  }
  for (std::string& argument : header.argv) values.HideIn(argument);
  for (auto* map : {&header.host, &header.properties, &header.compiled, &header.decides}) {
    for (auto& [name, value] : *map) values.HideIn(value);
  }
  for (MergedShard& shard : header.merged) values.HideIn(shard.cpu);
}

void HideIn(const PrivateValues& values, Manifest& manifest) {
  for (Model& model : manifest.models) {
    for (std::string* text : {&model.source, &model.frontend, &model.producer, &model.error}) values.HideIn(*text);
    for (std::string& shape : model.shapes) values.HideIn(shape);
  }
  for (Case& c : manifest.cases) {
    for (auto& [name, value] : c.attributes) values.HideIn(value);
    for (Origin& origin : c.origins) {
      values.HideIn(origin.framework_op);
      for (auto* list : {&origin.locations, &origin.module_path, &origin.regions}) {
        for (std::string& text : *list) values.HideIn(text);
      }
      for (PlacedAttribute& attribute : origin.attributes) values.HideIn(attribute.value);
    }
  }
}

void HideIn(const PrivateValues& values, Baseline& baseline) {
  for (BaselineEntry& entry : baseline.entries) {
    for (std::string* text : {&entry.reason, &entry.issue, &entry.owner, &entry.since}) values.HideIn(*text);
  }
}

}  // namespace opbyop
