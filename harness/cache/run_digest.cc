// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/cache/run_digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <set>

#include "manifests/formats/yaml_leaves.h"
#include "manifests/targets/find_plugin.h"
#include "support/files/file.h"
#include "support/files/program_identity.h"
#include "support/files/sha256.h"
#include "support/text/placeholders.h"

extern char** environ;

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using Decides = std::map<std::string, std::string>;

// Keys of a target file that do not affect how its cases end.
constexpr std::array<std::string_view, 3> kProse = {"description", "requirements", "finding"};

// Variables that compilers and runtimes are known to read: a name, or a prefix of names.
constexpr std::array<std::string_view, 12> kEnvironment = {"IREE_", "JAX_",    "LD_LIBRARY_PATH", "LD_PRELOAD",
                                                           "MLIR_", "OMP_",    "OPBYOP_PYTHON",   "PJRT_",
                                                           "TF_",   "TTMLIR_", "TT_METAL_",       "XLA_"};

Decides LeavesOf(const fs::path& file) {
  const Expected<std::string> text = ReadFile(file);
  return text ? YamlLeaves(*text) : Decides();
}

void AddFile(const std::string& name, const fs::path& file, Decides& decides) {
  for (auto& [path, value] : LeavesOf(file)) {
    if (std::ranges::find(kProse, path) == kProse.end()) decides[name + "." + path] = value;
  }
}

// Returns each NAME of `opening`NAME} in the target file.
std::set<std::string> NamedVariables(const Decides& leaves, std::string_view opening) {
  std::set<std::string> names;
  for (const auto& [path, value] : leaves) {
    for (size_t at = value.find(opening); at != std::string::npos; at = value.find(opening, at + 1)) {
      const size_t begin = at + opening.size();
      const size_t end = value.find('}', begin);
      if (end != std::string::npos) names.insert(value.substr(begin, end - begin));
    }
  }
  return names;
}

void AddEnvironment(const Decides& target_leaves, Decides& decides) {
  std::set<std::string> named = NamedVariables(target_leaves, "{env:");
  const std::set<std::string> files = NamedVariables(target_leaves, "{env_file:");
  named.insert(files.begin(), files.end());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    const bool known = std::ranges::any_of(kEnvironment, [&](std::string_view key) { return name.starts_with(key); });
    if (known || named.contains(name))
      decides["environment." + name] = text.substr(std::min(name.size() + 1, text.size()));
    if (files.contains(name)) {
      const Expected<std::string> bytes = ReadFile(decides["environment." + name]);
      decides["environment." + name + ".file"] = bytes ? Sha256Hex(*bytes) : "";
    }
  }
}

bool IsScript(const fs::path& file) { return file.extension() == ".py" || file.extension() == ".sh"; }

// Hashes the sources that a worker script may load: for a script of this project all below device/, else all in its
// folder.
std::string ScriptSources(const fs::path& script, const fs::path& project) {
  const fs::path devices = project / "device";
  const bool own = script.lexically_normal().string().starts_with((devices / "").lexically_normal().string());
  const fs::path folder = own ? devices : script.parent_path();
  std::map<std::string, fs::path> files;  // in an order that is the same everywhere
  std::error_code error;
  const auto take = [&](const fs::directory_entry& entry) {
    if (IsScript(entry.path())) files.emplace(entry.path().lexically_relative(folder).string(), entry.path());
  };
  if (own) {
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) take(entry);
  } else {
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) take(entry);
  }
  std::string text;
  for (const auto& [name, file] : files) text += name + " " + ProgramIdentity(file) + "\n";
  return "sources " + Sha256Hex(text);
}

fs::path FindProgram(const std::string& name) {
  const char* path = ::getenv("PATH");
  if (name.find('/') != std::string::npos || path == nullptr) return name;
  const std::string_view folders = path;
  std::error_code error;
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const fs::path file = fs::path(folders.substr(at, end - at)) / name;
    if (fs::is_regular_file(file, error)) return file;
    at = end + 1;
  }
  return name;
}

// Returns the identity of the program and of every file in its arguments. The target file is left out: its values are
// part of the digest one by one.
std::string IdentityOf(const std::vector<std::string>& argv, const fs::path& target_file, const fs::path& project) {
  std::vector<std::string> identities;
  std::error_code error;
  for (size_t i = 0; i < argv.size(); ++i) {
    const fs::path file = i == 0 ? FindProgram(argv[0]) : fs::path(argv[i]);
    if (!fs::is_regular_file(file, error) || file == target_file) continue;
    identities.push_back(IsScript(file) ? ScriptSources(file, project) : ProgramIdentity(file));
  }
  return fmt::format("{}", fmt::join(identities, ", "));
}

}  // namespace

Decides DecidingFactsOf(const DecidingParts& parts) {
  const Target& target = *parts.target;
  Decides decides = {
      {"manifest", parts.manifest->hash},
      {"mode", parts.manifest->is_whole() ? "whole" : "isolated"},
      {"stages", fmt::format("{}", fmt::join(parts.stages, ", "))},
      {"policy", NamesOf(parts.policies)},
      {"seed", std::to_string(parts.seed)},
      {"repeat", fmt::format("{} to {} times in {} ms", parts.repeat.min, parts.repeat.max, parts.repeat.budget_ms)},
      {"executions", std::to_string(parts.executions)},
      {"retries", std::to_string(parts.retries)},
      {"batch", std::to_string(target.batch)},
      {"toolchain", parts.toolchain},
      {"harness", ProgramIdentity("/proc/self/exe")},
      {"reference", IdentityOf(parts.reference_worker, "", parts.project)},
      {"worker", IdentityOf(parts.target_worker, target.path, parts.project)}};
  if (!target.device.worker.empty()) {
    std::vector<std::string> argv;
    for (const std::string& argument : target.device.worker) {
      argv.push_back(ExpandPlaceholders(argument, {{"root", parts.project.string()}}));
    }
    decides["device.worker"] = IdentityOf(argv, target.path, parts.project);
  }
  if (!parts.half.empty()) decides["half"] = parts.half;
  if (parts.devices != 1) decides["devices"] = fmt::to_string(parts.devices);
  AddFile("target", target.path, decides);
  // The path of the plugin depends on the machine; only its build counts.
  if (const Expected<fs::path> plugin = FindPlugin(target); plugin && !target.plugin.empty()) {
    decides["plugin"] = ProgramIdentity(*plugin);
    decides.erase("target.plugin");
  }
  bool captured = false;
  for (const RunPolicy& policy : parts.policies) {
    AddFile("policy." + policy.name, policy.file, decides);
    captured |= decides["policy." + policy.name + ".inputs"] == "captured";
  }
  if (parts.second_target != nullptr) AddFile("differential", parts.second_target->path, decides);
  if (captured) {
    decides["captured"] = ProgramIdentity(parts.manifest->path.parent_path() / "captured/index.json");
  }
  AddEnvironment(LeavesOf(target.path), decides);
  return decides;
}

std::string DigestOf(const Decides& decides) {
  std::string text;
  for (const auto& [name, value] : decides)
    text += fmt::format("{} {} {} {}\n", name.size(), name, value.size(), value);
  return Sha256Hex(text);
}

}  // namespace opbyop::harness
