// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/find_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "manifests/formats/yaml.h"
#include "manifests/targets/find_manifest_file.h"
#include "support/files/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// Returns a name for files and tests: "pjrt-xla_cpu_pjrt".
std::string NameOf(const fs::path& plugin) {
  std::string name = "pjrt-" + plugin.stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '.'; }, '_');
  return name;
}

// A JSON text is also a YAML text.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string DescriptionOf(const fs::path& plugin) { return "the PJRT plugin " + plugin.string(); }

// Returns a target file without declarations.
std::string UsualFile(const fs::path& plugin) {
  return fmt::format(R"(schema: {}
name: {}
description: {}
worker: ["{{bin}}/opbyop-pjrt-worker", "--target={{file}}"]
hello_timeout_s: 120
device: {{kind: {}, parallel: true}}
plugin: {}
stages:
  - {{name: parse, timeout_s: 10}}
  - {{name: compile, timeout_s: 120}}
  - {{name: load}}
  - {{name: execute}}
)",
                     kTargetSchema, Quoted(NameOf(plugin)), Quoted(DescriptionOf(plugin)), kPjrtDevice,
                     Quoted(plugin.string()));
}

// Returns the target file of `model` for another plugin of the same name. JSON is YAML as well.
Expected<std::string> FileLike(const Target& model, const fs::path& plugin) {
  Expected<YamlMap> map = LoadYaml(model.path);
  if (!map) return Unexpected(map.error());
  nlohmann::json file = map->ToJson();
  // Keep texts that YAML would otherwise read as numbers or booleans: NO, 0x10.
  if (!model.environment.empty()) file["environment"] = model.environment;
  if (!model.flags.empty()) file["flags"] = model.flags;
  if (!model.topology.empty()) file["topology"] = model.topology;
  // The plugin exists, so it need not be installed.
  for (const char* key : {"requirements", "install"}) file.erase(key);
  file["name"] = NameOf(plugin);
  file["description"] = DescriptionOf(plugin);
  file["plugin"] = plugin.string();
  return file.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Returns the project's targets, without files that cannot be read.
std::vector<Target> AllTargets() {
  std::vector<Target> found;
  for (const fs::path& file : TargetFiles().value_or(std::vector<fs::path>())) {
    if (Expected<Target> target = LoadTarget(file)) found.push_back(std::move(*target));
  }
  return found;
}

// Returns those whose plugin has this file name.
std::vector<Target> TargetsWith(const fs::path& plugin) {
  std::vector<Target> found = AllTargets();
  std::erase_if(found, [&](const Target& target) { return fs::path(target.plugin).filename() != plugin.filename(); });
  return found;
}

std::vector<std::string> Names(const std::vector<Target>& targets) {
  std::vector<std::string> names;
  for (const Target& target : targets) names.push_back(target.name);
  return names;
}

// The same for a target that was given by its plugin's path; none for any other.
std::vector<Target> TargetsWithSamePlugin(const Target& target) {
  const fs::path plugin = target.plugin;
  return plugin.empty() || target.name != NameOf(plugin) ? std::vector<Target>() : TargetsWith(plugin);
}

}  // namespace

Expected<Target> FindTarget(const std::string& name, const fs::path& folder) {
  if (!name.starts_with(kPluginPrefix)) {
    const Expected<fs::path> file = FindManifestFile("targets", name);
    if (!file) return Unexpected(file.error());
    return LoadTarget(*file);
  }
  std::error_code error;
  const fs::path plugin = fs::absolute(name.substr(kPluginPrefix.size()), error).lexically_normal();
  if (!fs::is_regular_file(plugin, error)) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: no PJRT plugin {}: name the shared library that the vendor's "
                                                     "package installs",
                                                     name, plugin.string()));
  }
  const std::vector<Target> alike = TargetsWith(plugin);
  const Expected<std::string> text = alike.size() == 1 ? FileLike(alike.front(), plugin) : UsualFile(plugin);
  if (!text) return Unexpected(text.error());
  const fs::path file = fs::absolute(folder, error) / (NameOf(plugin) + ".yaml");
  if (const Expected<void> written = WriteFile(file, *text); !written) return Unexpected(written.error());
  return LoadTarget(file);
}

Expected<std::vector<fs::path>> TargetFiles() {
  // "host" is in every set of targets.
  const Expected<fs::path> host = FindManifestFile("targets", "host");
  if (!host) return Unexpected(host.error());
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(host->parent_path(), error)) {
    if (file.path().extension() == ".yaml") files.push_back(file.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string DeclaringTarget(const Target& target) {
  const std::vector<Target> alike = TargetsWithSamePlugin(target);
  return alike.size() == 1 ? alike.front().name : target.name;
}

std::string DeclarationsNote(const Target& target) {
  const std::vector<Target> alike = TargetsWithSamePlugin(target);
  if (alike.empty()) return "";
  if (alike.size() == 1) return "declarations of target " + alike.front().name;
  return fmt::format("nothing is declared for {}; targets of a plugin of this name: {}",
                     fs::path(target.plugin).filename().string(), fmt::join(Names(alike), ", "));
}

std::string PlatformNote(const Target& target, const std::string& platform) {
  const fs::path plugin = target.plugin;
  if (platform.empty() || target.name != NameOf(plugin) || !TargetsWith(plugin).empty()) return "";
  std::vector<Target> alike = AllTargets();
  std::erase_if(alike, [&](const Target& other) { return other.platform != platform; });
  if (alike.empty()) return "";
  return fmt::format(
      "nothing is declared for {}, which is a plugin of platform {}, as the plugins of these targets: {}",
      plugin.filename().string(), platform, fmt::join(Names(alike), ", "));
}

std::string EnvironmentNote(const fs::path& plugin, const std::map<std::string, std::string>& environment) {
  const std::vector<Target> alike = TargetsWith(plugin);
  std::set<std::string> lacking;
  for (const Target& target : alike) {
    for (const auto& [name, value] : target.environment) {
      if (!environment.contains(name) && std::getenv(name.c_str()) == nullptr) lacking.insert(name);
    }
  }
  if (lacking.empty()) return "";
  return fmt::format("{} may wait for a device for minutes: not set {} {}, which these targets set: {}",
                     plugin.filename().string(), lacking.size() == 1 ? "is" : "are", fmt::join(lacking, ", "),
                     fmt::join(Names(alike), ", "));
}

}  // namespace opbyop
