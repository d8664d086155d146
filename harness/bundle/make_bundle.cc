// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/make_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/bundle/artifact_store.h"
#include "manifests/runs/bundle.h"
#include "support/files/file.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

Expected<void> Copy(const fs::path& from, const fs::path& to) {
  const Expected<std::string> bytes = ReadFile(from);
  return bytes ? WriteFile(to, *bytes) : Unexpected(bytes.error());
}

// Adds the files that `text` names by {target_dir}, relative to that folder.
void AddNamedFiles(const std::string& text, std::set<fs::path>& files) {
  constexpr std::string_view kFolder = "{target_dir}/";
  for (size_t at = text.find(kFolder); at != std::string::npos; at = text.find(kFolder, at + 1)) {
    const size_t begin = at + kFolder.size();
    const size_t end = std::min(text.find_first_of(" \t\n'\";|&<>(){}", begin), text.size());
    if (end > begin) files.insert(fs::path(text.substr(begin, end - begin)).lexically_normal());
  }
}

bool IsScript(const fs::path& file) { return file.extension() == ".py" || file.extension() == ".sh"; }

// Copies the target's file and what its device commands need from its folder: a script may load the files next to it.
Expected<void> CopyTarget(const Target& target, const fs::path& to) {
  const fs::path folder = fs::absolute(target.path).parent_path();
  if (const Expected<void> copied = Copy(target.path, to / target.path.filename()); !copied) return copied;
  std::set<fs::path> files;
  for (const std::string& text : target.device.worker) AddNamedFiles(text, files);
  for (const Stage& stage : target.stages) {
    if (stage.is_compile_stage()) continue;
    for (const std::string& text : stage.command) AddNamedFiles(text, files);
    for (const auto& [name, text] : stage.environment) AddNamedFiles(text, files);
  }
  std::error_code error;
  for (const fs::path& file : std::set<fs::path>(files)) {
    if (!IsScript(file)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator((folder / file).parent_path(), error)) {
      if (IsScript(entry.path())) files.insert(file.parent_path() / entry.path().filename());
    }
  }
  for (const fs::path& file : files) {
    if (*file.begin() == "..") {
      return MakeError(ExitCode::kUsage,
                       fmt::format("{}: a command of the device names {}, which is not below the file's folder: a "
                                   "bundle cannot carry it",
                                   target.path.string(), (fs::path("{target_dir}") / file).string()));
    }
    const fs::path from = folder / file;
    if (!fs::exists(from, error))
      continue;  // may be created on the device machine; if not, the command that needs it fails there
    const Expected<void> copied = fs::is_directory(from, error) ? CopyFolder(from, to / file) : Copy(from, to / file);
    if (!copied) return copied;
    fs::permissions(to / file, fs::status(from, error).permissions(), error);
  }
  return {};
}

}  // namespace

Expected<void> CopyFolder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (!error) return {};
  return MakeError(ExitCode::kNoInput,
                   fmt::format("{}: cannot be copied to {}: {}", from.string(), to.string(), error.message()));
}

Expected<void> CheckBundleFolder(const fs::path& folder, const Manifest& manifest) {
  std::error_code error;
  if (fs::equivalent(folder, fs::absolute(manifest.path).parent_path(), error)) {
    return MakeError(ExitCode::kUsage, folder.string() + " holds the manifest: -o names another folder for the bundle");
  }
  if (!fs::exists(folder, error) || IsBundle(folder)) return {};
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error)) return {};
  return MakeError(ExitCode::kUsage,
                   folder.string() + " holds other files than a bundle's: -o names another folder for the bundle");
}

Expected<void> BeginBundle(const fs::path& folder) { return WriteFile(folder / kBundleFile, UnfinishedBundle()); }

Expected<void> MakeBundle(const BundleParts& parts) {
  const fs::path from = fs::absolute(parts.manifest->path).parent_path();
  Bundle bundle{.folder = parts.folder,
                .target = parts.target->name,
                .target_file = (fs::path("target") / parts.target->path.filename()).string(),
                .manifest_hash = parts.manifest->hash,
                .policies = {},
                .seed = parts.seed,
                .fresh_seed = parts.fresh_seed,
                .baseline = parts.baseline.empty() ? "none" : "baseline.yaml",
                .artifact_suffix = ArtifactSuffix(*parts.target)};
  if (const Expected<void> copied = Copy(parts.manifest->path, parts.folder / "manifest.yaml"); !copied) return copied;
  for (const Case& c : parts.manifest->cases) {
    if (const Expected<void> copied = Copy(from / c.file, parts.folder / c.file); !copied) return copied;
  }
  const bool captured = std::ranges::any_of(
      parts.policies, [](const RunPolicy& policy) { return policy.inputs == InputKind::kCaptured; });
  std::error_code error;
  if (captured && fs::exists(from / "captured", error)) {
    if (const Expected<void> copied = CopyFolder(from / "captured", parts.folder / "captured"); !copied) return copied;
  }
  const fs::path target = (parts.folder / bundle.target_file).parent_path();
  if (const Expected<void> copied = CopyTarget(*parts.target, target); !copied) return copied;
  for (const RunPolicy& policy : parts.policies) {
    const fs::path file = fs::path("policies") / (policy.name + ".yaml");
    if (const Expected<void> copied = Copy(policy.file, parts.folder / file); !copied) return copied;
    bundle.policies.push_back({policy.given, file.string()});
  }
  if (!parts.baseline.empty()) {
    if (const Expected<void> copied = Copy(parts.baseline, parts.folder / bundle.baseline); !copied) return copied;
  }
  return WriteFile(parts.folder / kBundleFile, ToJson(bundle));
}

}  // namespace opbyop::harness
