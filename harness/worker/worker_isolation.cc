// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/worker_isolation.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/files/project_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

std::string Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// Replaces {venvs} at the beginning, or {env:HOME} in "{env:HOME}/x" by the variable's value; empty if it is not set.
std::string FillVariable(const std::string& text) {
  constexpr std::string_view kVenvs = "{venvs}";
  if (text.starts_with(kVenvs)) return VenvsFolder().string() + text.substr(kVenvs.size());
  constexpr std::string_view kOpen = "{env:";
  const size_t begin = text.find(kOpen), end = text.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  const std::string value = Variable(text.substr(begin + kOpen.size(), end - begin - kOpen.size()));
  return value.empty() ? "" : text.substr(0, begin) + value + text.substr(end + 1);
}

fs::path CacheFolder() {
  if (const std::string named = Variable("XDG_CACHE_HOME"); !named.empty()) return named;
  const std::string home = Variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

}  // namespace

WorkerSpec Isolated(WorkerSpec spec, const std::vector<fs::path>& folders, const fs::path& temporary) {
  spec.supervision.writable = folders;
  if (!temporary.empty()) spec.environment.emplace("TMPDIR", temporary.string());
  return spec;
}

void GrantDeclared(const Target& target, WorkerSpec& spec) {
  spec.supervision.network = target.network;
  std::vector<fs::path>& writable = spec.supervision.writable;
  for (const std::string& text : target.writable) {
    if (const std::string folder = FillVariable(text); folder.starts_with('/')) writable.emplace_back(folder);
  }
  const bool has_commands =
      std::ranges::any_of(target.stages, [](const Stage& stage) { return !stage.command.empty(); });
  if (!has_commands) return;
  if (const fs::path caches = CacheFolder(); !caches.empty()) writable.push_back(caches);
}

WorkerSpec RestrictedTargetWorker(const Target& target, Scratch& scratch, std::string_view slot) {
  WorkerSpec spec = TargetWorkerSpec(target, ProgramFolder().string(), ProjectFolder().string());
  const std::vector<fs::path> folders = scratch.MakeSlot(slot);
  if (folders.empty()) return spec;
  spec = Isolated(std::move(spec), folders, scratch.MakeTemporary("tmp-target", slot));
  GrantDeclared(target, spec);
  return spec;
}

}  // namespace opbyop::harness
