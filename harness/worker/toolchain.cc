// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/toolchain.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "manifests/formats/json.h"
#include "support/files/project_folder.h"
#include "support/process/process.h"
#include "support/text/placeholders.h"
#include "support/text/safe_text.h"

namespace opbyop::harness {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr size_t kLongest = 1000;

std::string TextOf(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? SafeLine(found->get<std::string>(), kLongest) : "";
}

}  // namespace

bool SameToolchain(const protocol::Hello& one, const protocol::Hello& other) {
  return one.name == other.name && one.version == other.version && one.properties == other.properties &&
         one.devices == other.devices && one.shardings == other.shardings;
}

std::string Describe(const protocol::Hello& hello) {
  std::string text = fmt::format("{}, version {}", hello.name, hello.version.empty() ? "unknown" : hello.version);
  for (const auto& [name, value] : hello.properties) text += fmt::format(", {} {}", name, value);
  return text;
}

Toolchain AskToolchain(const Target& target, const protocol::Hello& hello) {
  if (target.version.empty()) return {.version = hello.version};
  std::vector<std::string> argv;
  argv.reserve(target.version.size());
  for (const std::string& argument : target.version) {
    argv.push_back(
        ExpandPlaceholders(argument, {{"bin", ProgramFolder().string()}, {"root", ProjectFolder().string()}}));
  }
  // A compiler that cannot report its version is still tested; then the version in the worker's hello is used.
  const Expected<std::string> text = RunCommand(argv, kPatience);
  if (!text) return {.version = hello.version};
  const std::string printed = text->substr(0, text->find_last_not_of(" \n\t") + 1);
  if (!printed.starts_with('{')) return {.version = printed};
  const Expected<nlohmann::json> object = ParseJson(printed);
  if (!object || !object->is_object()) return {.version = printed};
  Toolchain toolchain{TextOf(*object, "toolchain"), TextOf(*object, "commit"), TextOf(*object, "card")};
  if (toolchain.version.empty()) toolchain.version = hello.version;
  // Another commit of the same LLVM version is another toolchain.
  if (!toolchain.commit->empty()) toolchain.version += ", commit " + *toolchain.commit;
  return toolchain;
}

}  // namespace opbyop::harness
