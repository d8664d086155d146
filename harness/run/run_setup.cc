// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "harness/bundle/make_bundle.h"
#include "harness/run/kept_cases.h"
#include "harness/run/shard_assignment.h"
#include "harness/worker/verdict.h"
#include "manifests/cases/row_ranges.h"
#include "manifests/runs/private_text.h"
#include "manifests/runs/run_manifest.h"
#include "manifests/runs/shard_files.h"
#include "manifests/targets/find_manifest_file.h"
#include "manifests/targets/find_target.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

fs::path FolderOf(const fs::path& manifest) { return manifest.has_parent_path() ? manifest.parent_path() : "."; }

// Finds the values that the results must not show.
void FindPrivateValues(RunSetup& run) {
  std::set<std::string> shown = VariablesNamedBy(run.target.path);
  std::string names = NamesOf(run.manifest) + NamesOf(run.target);
  if (run.second_target) {
    shown.merge(VariablesNamedBy(run.second_target->path));
    names += NamesOf(*run.second_target);
  }
  std::error_code error;
  names += fs::absolute(run.results_path, error).string() + "\n" + run.options.policy + "\n" + run.options.target;
  run.private_values = PrivateValues::OfThisProgram(shown);
  run.private_values.AllowNamesIn(names);
  HideIn(run.private_values, run.manifest);
  if (run.baseline) HideIn(run.private_values, *run.baseline);
}

// Keeps the cases of this shard.
Expected<void> KeepShard(RunSetup& run) {
  const bool dealt = run.compiled && run.compiled->header().shards > 1;
  if (run.options.shards <= 1 || dealt) return {};
  const Expected<Balance> balance = FindBalance(run.options.balance);
  if (!balance) return Unexpected(balance.error());
  run.balance = balance->name;
  const std::vector<uint32_t> shard_of = AssignShards(run.all_cases, run.options.shards, *balance);
  std::vector<const Case*> kept;
  for (size_t i = 0; i < run.all_cases.size(); ++i) {
    if (shard_of[i] == run.options.shard) kept.push_back(run.all_cases[i]);
  }
  run.all_cases = std::move(kept);
  return {};
}

Expected<void> LoadTargets(RunSetup& run) {
  // A bundle gets its own copy of the target, once its folder is known to be a bundle.
  const fs::path beside = FolderOf(run.options.manifest);
  Expected<Target> target = FindTarget(run.options.target, run.compiles_only() ? beside : run.options.out);
  if (!target) return Unexpected(target.error());
  run.target = std::move(*target);
  if (run.options.batch > 0) run.target.batch = run.options.batch;
  if (run.options.differential.empty()) return {};
  Expected<Target> second = FindTarget(run.options.differential, run.options.out);
  if (!second) return Unexpected(second.error());
  run.second_target = std::move(*second);
  return {};
}

Expected<void> LoadBaselineFile(const std::vector<Row>& rows, RunSetup& run) {
  if (run.options.baseline == "none") return {};
  const bool named = !run.options.baseline.empty();
  const Expected<fs::path> file = FindManifestFile(
      "baselines", named ? run.options.baseline : BaselineName(DeclaringTarget(run.target), run.manifest));
  if (!file && named) return Unexpected(file.error());
  if (!file) return {};
  Expected<Baseline> baseline = LoadBaseline(*file);
  if (!baseline) return Unexpected(baseline.error());
  if (const Expected<void> good = CheckBaseline(*baseline, rows); !good) return Unexpected(good.error());
  run.baseline = std::move(*baseline);
  run.baseline_file = *file;
  return {};
}

Expected<void> LockManifest(RunSetup& run) {
  const fs::path folder = FolderOf(run.options.manifest);
  Expected<FileLock> lock = FileLock::Take(folder / kSplitLock, FileLock::Mode::kShared);
  // If the folder is absent, its missing manifest is reported later. If it cannot be written, `split` cannot change it.
  if (!lock && lock.error().code != ExitCode::kUsage) return {};
  if (!lock) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} is being written by `opbyop split`: wait for its end", folder.string()));
  }
  run.manifest_lock.emplace(std::move(*lock));
  return {};
}

// Prepares for a manifest that has whole models or layers.
void PrepareForModels(RunSetup& run) {
  for (Stage& stage : run.target.stages) WidenForModel(stage.limits);
  if (run.second_target) {
    for (Stage& stage : run.second_target->stages) WidenForModel(stage.limits);
  }
}

// Takes from the bundle what the command line does not give.
Expected<void> OpenBundle(RunSetup& run) {
  if (run.options.from.empty()) return {};
  if (run.options.from != kLoadStage) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("--from {}: a bundle continues from `{}`, the stage after the last one "
                                 "that compiles",
                                 run.options.from, kLoadStage));
  }
  Expected<Bundle> bundle = LoadBundle(FolderOf(run.options.manifest));
  if (!bundle) return Unexpected(bundle.error());
  const fs::path file = bundle->folder / bundle->target_file;
  if (!run.options.target.empty() && run.options.target != bundle->target) {
    return MakeError(ExitCode::kUsage, fmt::format("{} was compiled for {}, not for {}: leave --target out",
                                                   bundle->folder.string(), bundle->target, run.options.target));
  }
  run.options.target = fs::absolute(file).lexically_normal().string();
  if (run.options.seed == 0) run.options.seed = bundle->seed;
  if (run.options.baseline.empty() && bundle->baseline == "none") run.options.baseline = "none";
  if (run.options.baseline.empty()) {
    run.options.baseline = fs::absolute(bundle->folder / bundle->baseline).lexically_normal().string();
  }
  run.bundle = std::move(*bundle);
  return {};
}

Expected<void> CheckUntil(const RunSetup& run) {
  if (run.bundle && run.bundle->target != run.target.name) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: the target of {} is {}; compile the bundle again", run.target.path.string(),
                                 run.bundle->folder.string(), run.target.name));
  }
  if (!run.compiles_only()) return {};
  if (std::ranges::any_of(run.manifest.cases, &Case::must_be_refused)) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("--until {}: {} holds programs that must be refused, which leave nothing to execute; "
                                 "run it without --until",
                                 run.options.until, run.manifest.path.string()));
  }
  const std::vector<std::string> stages = CompileStages(run.target);
  const std::string last = stages.empty() ? "" : stages.back();
  if (run.options.until != "compile" && run.options.until != last) {
    return MakeError(
        ExitCode::kUsage,
        fmt::format("--until {}: a bundle contains the whole compilation: `compile`, or {}'s last stage of it, "
                    "`{}`",
                    run.options.until, run.target.name, last));
  }
  if (!HasDevice(run.target)) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("--until {}: {} compiles only, so no machine would execute its bundle; "
                                 "run it without --until",
                                 run.options.until, run.target.name));
  }
  if (const Expected<void> free = CheckBundleFolder(run.options.out, run.manifest); !free) return free;
  // Two shards in one folder would remove each other's artifacts.
  const fs::path compiled = run.options.out / kCompileFolder;
  std::vector<ShardFile> others = FindShardFiles(compiled);
  std::error_code error;
  if (fs::exists(compiled / ResultsName(1, 1), error)) others.push_back({compiled / ResultsName(1, 1), 1, 1});
  for (const ShardFile& other : others) {
    if (other.shard == run.options.shard + 1 && other.shards == run.options.shards) continue;
    return MakeError(
        ExitCode::kUsage,
        fmt::format("{} holds shard {} of {}, not {} of {}: each shard is compiled into a bundle of its "
                    "own, -o names its folder, and `opbyop merge` joins them",
                    run.options.out.string(), other.shard, other.shards, run.options.shard + 1, run.options.shards));
  }
  return {};
}

// Takes over the shard of a bundle that was compiled as one shard of a run.
Expected<void> AdoptShard(RunSetup& run) {
  const RunHeader& header = run.compiled->header();
  if (header.shards <= 1) return {};
  const bool same = run.options.shard + 1 == header.shard && run.options.shards == header.shards;
  if (run.options.shards > 1 && !same) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} is shard {} of {} as it was compiled: execute it without --shard, or join all "
                                 "of them first with `opbyop merge`",
                                 run.bundle->folder.string(), header.shard, header.shards));
  }
  std::tie(run.options.shard, run.options.shards) = std::pair(header.shard - 1, header.shards);
  run.balance = header.balance;
  return {};
}

Expected<std::vector<RunPolicy>> PoliciesOf(const RunSetup& run) {
  if (!run.options.policy.empty()) return FindPolicies(run.options.policy);
  if (!run.bundle) return FindPolicies(kDefaultPolicies);
  std::vector<RunPolicy> policies;
  for (const Bundle::PolicyFile& each : run.bundle->policies) {
    const fs::path file = fs::absolute(run.bundle->folder / each.file).lexically_normal();
    Expected<RunPolicy> policy = FindPolicy(file.string());
    if (!policy) return Unexpected(policy.error());
    // A baseline refers to the policy by the name that the command line gave.
    const bool is_file = each.given.find('/') != std::string::npos || each.given.ends_with(".yaml");
    if (!is_file) policy->given = each.given;
    policies.push_back(std::move(*policy));
  }
  return policies;
}

}  // namespace

Expected<RunSetup> RunSetup::Load(Options given) {
  RunSetup run;
  run.options = std::move(given);
  const Expected<Selector> selector = Selector::Parse(run.options.select);
  if (!selector) return Unexpected(selector.error());
  if (run.options.manifest.empty()) {
    Expected<fs::path> found = FindDefaultManifest();
    if (!found) return Unexpected(found.error());
    run.options.manifest = *found;
  }
  if (const Expected<void> opened = OpenBundle(run); !opened) return Unexpected(opened.error());
  if (const Expected<void> loaded = LoadTargets(run); !loaded) return Unexpected(loaded.error());
  if (const Expected<void> locked = LockManifest(run); !locked) return Unexpected(locked.error());
  // A bundle has the cases that it was compiled from.
  Expected<Manifest> manifest =
      run.bundle ? LoadManifest(run.options.manifest) : LoadCases(run.options.manifest, run.target);
  if (!manifest) return Unexpected(manifest.error());
  run.options.manifest = manifest->path;
  run.manifest = std::move(*manifest);
  if (const Expected<void> good = CheckUntil(run); !good) return Unexpected(good.error());
  if (run.compiles_only()) run.artifacts.emplace(run.options.out, ArtifactSuffix(run.target));
  if (run.bundle) {
    Expected<CompiledRun> compiled = CompiledRun::Load(*run.bundle, run.manifest);
    if (!compiled) return Unexpected(compiled.error());
    run.compiled = std::move(*compiled);
    if (const Expected<void> adopted = AdoptShard(run); !adopted) return Unexpected(adopted.error());
  }

  Expected<std::vector<RunPolicy>> policies = PoliciesOf(run);
  if (!policies) return Unexpected(policies.error());
  run.policies = std::move(*policies);

  // 100,000 hashes take 8 MB and are only needed for the cache.
  if (run.options.cache.empty()) {
    for (Case& c : run.manifest.cases) std::string().swap(c.hash);
  }
  if (run.manifest.has_models()) PrepareForModels(run);
  const std::string prefix = run.target.name + "/";
  for (const Model& model : run.manifest.models) {
    if (model.stage.starts_with(prefix)) run.made_by[model.name] = model.stage.substr(prefix.size());
  }

  std::vector<Row> rows = Rows(run.manifest);
  run.stages = HasDevice(run.target) ? run.target.StageNames() : CompileStages(run.target);
  if (const Expected<void> loaded = LoadBaselineFile(rows, run); !loaded) return Unexpected(loaded.error());
  // A bundle may hold only some of the rows.
  std::set<std::string> in_bundle;
  if (run.compiled) {
    const auto named = ParseRows(run.compiled->header().selected, rows.size());
    for (size_t i = rows.size(); i-- > 0;) {
      const bool selected = run.compiled->header().selected.empty() || (named && (*named)[i]);
      if (selected) in_bundle.insert(rows[i].c->id);
      if (!selected) rows.erase(rows.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const Case& c : run.manifest.cases) {
    if (!run.compiled || in_bundle.contains(c.id)) run.all_cases.push_back(&c);
  }
  if (const Expected<void> dealt = KeepShard(run); !dealt) return Unexpected(dealt.error());
  const std::set<const Case*> in_shard(run.all_cases.begin(), run.all_cases.end());
  std::erase_if(rows,
                [&](const Row& row) { return !in_shard.contains(row.c) || !selector->Matches(*row.c, row.model); });
  run.rows = std::move(rows);
  const std::string name = ResultsName(run.options.shard + 1, run.options.shards);
  run.results_path = run.compiles_only() ? run.options.out / kCompileFolder / name : run.options.out / name;
  FindPrivateValues(run);
  return run;
}

int TargetJobs(const Target& target, int asked, int cores) {
  const bool held = target.device.kind == kWorkerDevice && !target.device.parallel;
  return held ? 1 : asked > 0 ? asked : cores;
}

std::string RunSetup::StageOf(const Case& c) const { return StageThatMade(made_by, c); }

std::vector<std::string> RunSetup::StagesOf(const Row& row) const {
  // A program that must be refused has no stage that it must pass.
  if (row.c->must_be_refused()) return {};
  return StagesAfter(StageOf(*row.c), stages);
}

}  // namespace opbyop::harness
