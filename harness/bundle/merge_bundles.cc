// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/merge_bundles.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/bundle/make_bundle.h"
#include "manifests/cases/manifest.h"
#include "manifests/runs/bundle.h"
#include "manifests/runs/shard_files.h"
#include "support/files/file.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

bool IsExecuted(const fs::path& bundle) {
  std::error_code error;
  return fs::exists(bundle / ResultsName(1, 1), error) || !FindShardFiles(bundle).empty();
}

// Loads the bundles, which may differ only in their fresh seeds.
Expected<std::vector<Bundle>> LoadAll(const std::vector<fs::path>& folders) {
  std::vector<Bundle> bundles;
  for (const fs::path& folder : folders) {
    Expected<Bundle> bundle = LoadBundle(folder);
    if (!bundle) return Unexpected(bundle.error());
    // No inputs have been drawn yet: shards that were compiled on different days take the seed of the first.
    if (!bundles.empty()) bundle->fresh_seed = bundles.front().fresh_seed;
    if (!bundles.empty() && ToJson(*bundle) != ToJson(bundles.front())) {
      return MakeError(ExitCode::kUsage, fmt::format("{} is of another run than {}: their {} differ", folder.string(),
                                                     folders.front().string(), kBundleFile));
    }
    bundles.push_back(std::move(*bundle));
  }
  return bundles;
}

// Copies what all shards have in common.
Expected<void> CopyCommon(const Bundle& bundle, const fs::path& out) {
  std::error_code error;
  for (const char* name : {"cases", "captured", "target", "policies"}) {
    if (!fs::exists(bundle.folder / name, error)) continue;
    if (const Expected<void> copied = CopyFolder(bundle.folder / name, out / name); !copied) return copied;
  }
  std::vector<std::string> files = {"manifest.yaml"};
  if (bundle.baseline != "none") files.push_back(bundle.baseline);
  for (const std::string& name : files) {
    const Expected<std::string> bytes = ReadFile(bundle.folder / name);
    if (!bytes) return Unexpected(bytes.error());
    if (const Expected<void> written = WriteFile(out / name, *bytes); !written) return written;
  }
  return {};
}

}  // namespace

bool AreCompiledShards(const std::vector<fs::path>& folders) {
  return !folders.empty() &&
         std::ranges::all_of(folders, [](const fs::path& folder) { return IsBundle(folder) && !IsExecuted(folder); });
}

Expected<MergedRun> MergeBundles(const std::vector<fs::path>& folders, const fs::path& out) {
  const Expected<std::vector<Bundle>> bundles = LoadAll(folders);
  if (!bundles) return Unexpected(bundles.error());
  MergeOptions options{.inputs = {}, .out = out / kCompileFolder / ResultsName(1, 1), .manifest = {}, .partial = false};
  for (const Bundle& bundle : *bundles) {
    options.inputs.push_back(bundle.folder / kCompileFolder);
    Manifest manifest;
    manifest.path = bundle.folder / "manifest.yaml";
    if (const Expected<void> free = CheckBundleFolder(out, manifest); !free) return Unexpected(free.error());
  }
  if (IsExecuted(out)) {
    return MakeError(ExitCode::kUsage, out.string() + " holds a bundle that was executed: -o names another folder");
  }
  // Nothing is written if the shards do not belong together. If the merger is killed, the folder says that it is
  // unfinished.
  Expected<void> done = CheckShards(options);
  if (!done) return Unexpected(done.error());
  std::error_code error;
  fs::remove_all(out / kArtifactFolder, error);
  done = BeginBundle(out);
  if (done) done = CopyCommon(bundles->front(), out);
  for (const Bundle& bundle : *bundles) {
    const fs::path artifacts = bundle.folder / kArtifactFolder;
    if (done && fs::exists(artifacts, error)) done = CopyFolder(artifacts, out / kArtifactFolder);
  }
  if (!done) return Unexpected(done.error());
  options.manifest = out / "manifest.yaml";
  Expected<MergedRun> merged = MergeRuns(options);
  if (!merged) return merged;
  if (done = WriteFile(out / kBundleFile, ToJson(bundles->front())); !done) return Unexpected(done.error());
  return merged;
}

}  // namespace opbyop::harness
