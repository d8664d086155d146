// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/find_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manifests/find_manifest_file.h"
#include "support/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// A name for files and tests: "pjrt-xla_cpu_pjrt".
std::string NameOf(const fs::path& plugin) {
  std::string name = "pjrt-" + plugin.stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '.'; }, '_');
  return name;
}

// JSON's texts are YAML's as well.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string TargetFile(const fs::path& plugin) {
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
                     kTargetSchema, Quoted(NameOf(plugin)), Quoted("the PJRT plugin " + plugin.string()), kPjrtDevice,
                     Quoted(plugin.string()));
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
  const fs::path file = fs::absolute(folder, error) / (NameOf(plugin) + ".yaml");
  if (const Expected<void> written = WriteFile(file, TargetFile(plugin)); !written) return Unexpected(written.error());
  return LoadTarget(file);
}

}  // namespace opbyop
