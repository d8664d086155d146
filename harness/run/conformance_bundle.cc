// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A run in two halves on two machines: `--until=compile` makes a bundle, `--from=load` executes it.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "harness/bundle/make_bundle.h"
#include "harness/inputs/fresh_draw.h"
#include "harness/run/conformance_run.h"
#include "harness/run/run_header.h"
#include "harness/worker/verdict.h"
#include "manifests/results/set_name.h"
#include "manifests/runs/shard_files.h"
#include "support/files/file.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

fs::path FolderOf(const fs::path& manifest) { return manifest.has_parent_path() ? manifest.parent_path() : "."; }

}  // namespace

// Takes from the bundle what the command line does not give.
Expected<void> ConformanceRun::OpenBundle() {
  if (options_.from.empty()) return {};
  if (options_.from != kLoadStage) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("--from {}: a bundle continues from `{}`, the stage after the last one "
                                 "that compiles",
                                 options_.from, kLoadStage));
  }
  Expected<Bundle> bundle = LoadBundle(FolderOf(options_.manifest));
  if (!bundle) return Unexpected(bundle.error());
  const fs::path file = bundle->folder / bundle->target_file;
  if (!options_.target.empty() && options_.target != bundle->target) {
    return MakeError(ExitCode::kUsage, fmt::format("{} was compiled for {}, not for {}: leave --target out",
                                                   bundle->folder.string(), bundle->target, options_.target));
  }
  options_.target = fs::absolute(file).lexically_normal().string();
  if (options_.seed == 0) options_.seed = bundle->seed;
  if (options_.baseline.empty() && bundle->baseline == "none") options_.baseline = "none";
  if (options_.baseline.empty()) {
    options_.baseline = fs::absolute(bundle->folder / bundle->baseline).lexically_normal().string();
  }
  bundle_ = std::move(*bundle);
  return {};
}

Expected<void> ConformanceRun::CheckUntil() const {
  if (bundle_ && bundle_->target != target_.name) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: the target of {} is {}; compile the bundle again",
                                                      target_.path.string(), bundle_->folder.string(), target_.name));
  }
  if (!compiles_only()) return {};
  if (std::ranges::any_of(manifest_.cases, &Case::must_be_refused)) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("--until {}: {} holds programs that must be refused, which leave nothing to execute; "
                                 "run it without --until",
                                 options_.until, manifest_.path.string()));
  }
  const std::vector<std::string> stages = CompileStages(target_);
  const std::string last = stages.empty() ? "" : stages.back();
  if (options_.until != "compile" && options_.until != last) {
    return MakeError(
        ExitCode::kUsage,
        fmt::format("--until {}: a bundle contains the whole compilation: `compile`, or {}'s last stage of it, "
                    "`{}`",
                    options_.until, target_.name, last));
  }
  if (!HasDevice(target_)) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("--until {}: {} compiles only, so no machine would execute its bundle; "
                                 "run it without --until",
                                 options_.until, target_.name));
  }
  if (const Expected<void> free = CheckBundleFolder(options_.out, manifest_); !free) return free;
  // Two shards in one folder would remove each other's artifacts.
  const fs::path compiled = options_.out / kCompileFolder;
  std::vector<ShardFile> others = FindShardFiles(compiled);
  std::error_code error;
  if (fs::exists(compiled / ResultsName(1, 1), error)) others.push_back({compiled / ResultsName(1, 1), 1, 1});
  for (const ShardFile& other : others) {
    if (other.shard == options_.shard + 1 && other.shards == options_.shards) continue;
    return MakeError(
        ExitCode::kUsage,
        fmt::format("{} holds shard {} of {}, not {} of {}: each shard is compiled into a bundle of its "
                    "own, -o names its folder, and `opbyop merge` joins them",
                    options_.out.string(), other.shard, other.shards, options_.shard + 1, options_.shards));
  }
  return {};
}

// Takes over the shard of a bundle that was compiled as one shard of a run.
Expected<void> ConformanceRun::AdoptShard() {
  const RunHeader& header = compiled_->header();
  if (header.shards <= 1) return {};
  const bool same = options_.shard + 1 == header.shard && options_.shards == header.shards;
  if (options_.shards > 1 && !same) {
    return MakeError(ExitCode::kUsage, fmt::format("{} is shard {} of {} as it was compiled: execute it without "
                                                   "--shard, or join all of them first with `opbyop merge`",
                                                   bundle_->folder.string(), header.shard, header.shards));
  }
  std::tie(options_.shard, options_.shards) = std::pair(header.shard - 1, header.shards);
  balance_ = header.balance;
  return {};
}

Expected<std::vector<RunPolicy>> ConformanceRun::Policies() const {
  if (!options_.policy.empty()) return FindPolicies(options_.policy);
  if (!bundle_) return FindPolicies(kDefaultPolicies);
  std::vector<RunPolicy> policies;
  for (const Bundle::PolicyFile& each : bundle_->policies) {
    const fs::path file = fs::absolute(bundle_->folder / each.file).lexically_normal();
    Expected<RunPolicy> policy = FindPolicy(file.string());
    if (!policy) return Unexpected(policy.error());
    // A baseline refers to the policy by the name that the command line gave.
    const bool is_file = each.given.find('/') != std::string::npos || each.given.ends_with(".yaml");
    if (!is_file) policy->given = each.given;
    policies.push_back(std::move(*policy));
  }
  return policies;
}

Expected<void> ConformanceRun::BeginBundle() {
  if (!compiles_only()) return {};
  return IsBundle(options_.out) ? Expected<void>() : harness::BeginBundle(options_.out);
}

// `kept` are the records of an earlier run that is resumed. A case whose artifact is missing is compiled again.
Expected<void> ConformanceRun::FillBundle(std::vector<CaseRecord>& kept) {
  std::erase_if(
      kept, [&](const CaseRecord& record) { return CompiledRun::MayExecute(record) && !artifacts_->Check(record); });
  artifacts_->KeepOnly(kept);
  const Expected<void> made = MakeBundle({.folder = options_.out,
                                          .manifest = &manifest_,
                                          .target = &target_,
                                          .policies = context_.policies,
                                          .seed = options_.seed,
                                          .fresh_seed = FreshSeedOfBundle(!kept.empty()),
                                          .baseline = baseline_file_});
  if (made) NotePrivateFiles();
  return made;
}

// The run starts with its compilation: all of its shards get this seed, wherever they are executed.
std::string ConformanceRun::FreshSeedOfBundle(bool goes_on) const {
  if (manifest_.is_whole() || FreshPolicy(context_.policies) == nullptr) return "";
  if (!options_.fresh_seed.empty()) return options_.fresh_seed;
  // A run that is resumed on another day keeps its seed.
  const Expected<Bundle> before = LoadBundle(options_.out);
  if (goes_on && before && !before->fresh_seed.empty()) return before->fresh_seed;
  return FreshSeedText(FreshSeedOfDay(NowMicroseconds()));
}

// Names files of the bundle that hold private values. The other half needs the files as they are, so nothing is
// replaced.
void ConformanceRun::NotePrivateFiles() {
  std::error_code error;
  for (const char* part : {"target", "policies", "baseline.yaml"}) {
    std::vector<fs::path> files = {options_.out / part};
    for (const auto& entry : fs::directory_iterator(options_.out / part, error)) files.push_back(entry.path());
    for (const fs::path& file : files) {
      const Expected<std::string> text = ReadFile(file);
      if (!text) continue;
      std::string shown = *text;
      private_values_.HideUncountedIn(shown);
      if (shown == *text) continue;
      note_ += fmt::format(
          "{}{} holds the value of an environment variable and is part of the bundle: name the variable "
          "there, as {{env:NAME}}",
          note_.empty() ? "" : "; ", file.string());
    }
  }
}

// Drops results of artifacts that have been compiled again since: those cases are executed again.
void ConformanceRun::DropStale(std::vector<CaseRecord>& kept) const {
  std::erase_if(kept, [&](const CaseRecord& record) {
    const CaseRecord* compiled = compiled_->Find(record.id);
    return compiled == nullptr || compiled->artifact_sha256 != record.artifact_sha256 ||
           compiled->program_sha256 != record.program_sha256;
  });
}

}  // namespace opbyop::harness
