// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop run DIR --target T: every row of a manifest, through the GoogleTest binary.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "generator/kept_attributes.h"
#include "generator/whole_models.h"
#include "harness/input_set.h"
#include "history/database.h"
#include "history/durations.h"
#include "manifests/bundle.h"
#include "manifests/demands.h"
#include "manifests/find_target.h"
#include "manifests/manifest.h"
#include "manifests/shard_files.h"
#include "reports/whole_models.h"
#include "support/file.h"
#include "support/shell_quote.h"
#include "tools/commands.h"
#include "tools/history_verbs.h"

namespace opbyop::tools {
namespace {

constexpr std::string_view kBalanceByHistory = "history";

// What the user typed, without --fresh: it goes on with an interrupted run.
std::string ResumeCommand() {
  const Expected<std::string> typed = ReadFile("/proc/self/cmdline");
  std::vector<std::string> argv;
  for (size_t at = 0; typed && at < typed->size();) {
    const size_t end = std::min(typed->find('\0', at), typed->size());
    std::string argument = typed->substr(at, end - at);
    if (argument != "--fresh") argv.push_back(std::move(argument));
    at = end + 1;
  }
  return ShellCommand(argv);
}

// "bundle-host", of a shard "bundle-host-1-of-3".
std::string BundleName(const std::string& target, const std::string& shard) {
  std::string name = "bundle-" + std::filesystem::path(target).stem().string();
  if (const auto parts = ParseShard(shard); parts && parts->second > 1) {
    name += fmt::format("-{}-of-{}", parts->first, parts->second);
  }
  return name;
}

// Where the target wants attributes that the cases of `manifest` had in their models, `manifest` becomes that of the
// cases with them.
ExitCode TakeKeptCases(const std::string& target_name, const ReadingLimits& limits, std::filesystem::path& manifest) {
  const Expected<Target> target = FindTarget(target_name, manifest.parent_path());
  if (!target) return Report(target.error());
  if (target->keep_attributes.empty()) return ExitCode::kOk;
  const Expected<Manifest> split = LoadManifest(manifest);
  if (!split) return Report(split.error());
  if (!generator::KeepsAny(*split, target->keep_attributes)) return ExitCode::kOk;
  const std::filesystem::path kept = generator::KeptFolder(*split, *target);
  manifest = kept / "manifest.yaml";
  return WorkInReadingChild(limits, [&] {
    const auto written = generator::WriteKeptCases(*split, target->keep_attributes, kept);
    return written ? ExitCode::kOk : Report(written.error());
  });
}

// A run is of cases, in the folder that a split makes of the model.
Error IsModel(const std::filesystem::path& file, const std::string& target) {
  const std::string out = "out/" + file.stem().string();
  return {ExitCode::kUsage, fmt::format("{} is a file; a run takes the folder with the cases of a model:\n  {}\n  {}",
                                        file.string(), ShellCommand({"opbyop", "split", file.string(), "-o", out}),
                                        ShellCommand({"opbyop", "run", out, "--target", target}))};
}

struct Asked {
  std::string balance, target, mode;
  std::filesystem::path bundle;  // where the target's name is empty
  std::filesystem::path folder;  // for what is written
};

Expected<std::string> TargetName(const Asked& asked) {
  if (asked.target.empty()) {
    const Expected<Bundle> bundle = LoadBundle(asked.bundle);
    return bundle ? Expected<std::string>(bundle->target) : Unexpected(bundle.error());
  }
  const Expected<Target> target = FindTarget(asked.target, asked.folder);
  return target ? Expected<std::string>(target->name) : Unexpected(target.error());
}

// What `conformance` takes for --balance: of a history a file with the durations that it knows.
Expected<std::string> BalanceOf(const Asked& asked) {
  std::string where = asked.balance;
  if (where == kBalanceByHistory) {
    const char* named = std::getenv("OPBYOP_HISTORY");
    where = named ? named : kDefaultHistory;
  } else if (!history::IsHistory(where)) {
    return asked.balance;
  }
  const auto db = history::OpenDatabase(where, history::Access::kRead);
  if (!db) return Unexpected(db.error());
  const Expected<std::string> target = TargetName(asked);
  if (!target) return target;
  const Expected<std::string> text = history::DurationsText(**db, *target, asked.mode);
  if (!text) return text;
  std::string file = (asked.folder / "balance.jsonl").string();
  const Expected<void> written = WriteFile(file, *text);
  if (!written) return Unexpected(written.error());
  return file;
}

}  // namespace

Command RunCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("run", "Run the rows of a manifest on a target.");
  struct Arguments {
    std::filesystem::path folder;
    std::string target;
    std::string policy;
    std::string fresh_seed;
    std::string differential;
    std::string mode = "isolated";
    std::string until;
    std::string from;
    std::string shard;
    std::string balance;
    std::string cache;
    std::string rerun;
    std::string reports;
    std::filesystem::path output;
    std::string min_pass;
    std::string fail_on;
    std::vector<std::string> rest;
    bool fresh = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("DIR", arguments->folder,
                  "Folder with manifest.yaml; results.jsonl is written there, or to DIR/whole")
      ->required();
  app->add_option(
      "--target", arguments->target,
      "Name or file of the target; default: host, and with --from the one that the bundle was compiled for");
  app->add_option("--until", arguments->until,
                  "`compile`: end before the device and leave a bundle, a folder to copy to the machine that has it");
  app->add_option("--from", arguments->from, "`load`: DIR is a bundle; execute and judge what was compiled");
  app->add_option("-o,--output", arguments->output,
                  "With --until the bundle's folder, default DIR/bundle-TARGET, of a shard DIR/bundle-TARGET-K-of-N; "
                  "with --from the results', default DIR");
  app->add_option(
      "--policy", arguments->policy,
      fmt::format("How inputs are generated, names or files by commas; default: {}", harness::kDefaultPolicies));
  app->add_option("--fresh-seed", arguments->fresh_seed,
                  "Seed of one further draw of `edge`, the same for all shards; `none`: no such draw; default: that of "
                  "the results that are gone on with, else the date, YYYYMMDD");
  app->add_option("--differential", arguments->differential,
                  "Target that also runs what fails in execute or compare, on the same inputs");
  app->add_option("--second-opinion", arguments->differential, "The older name of --differential")->group("");
  app->add_option("--mode", arguments->mode,
                  "isolated: each op alone; whole: each model in one piece, results in DIR/whole; chained: each model "
                  "op by op on its own intermediates, recorded in DIR/chained/MODEL/ (see `profile`)")
      ->check(CLI::IsMember({"isolated", "whole", "chained"}))
      ->capture_default_str();
  app->add_option("--min-pass", arguments->min_pass, "Red unless so many rows pass: a number, or a share such as 95%");
  app->add_option("--fail-on", arguments->fail_on, "Statuses that are red too: unsupported,inconclusive,skipped");
  app->add_option("--shard", arguments->shard,
                  "K/N: part K of N of the cases, into results-K-of-N.jsonl; `opbyop merge` joins the parts");
  app->add_option("--balance", arguments->balance,
                  "How --shard deals the cases out: `history` or a history's --db, by the durations that it knows; the "
                  "folder of an earlier run, by its; `cost`, by what they compute; `hash`, by id; default: cost")
      ->envname("OPBYOP_BALANCE");
  app->add_option("--cache", arguments->cache,
                  "Folder of results of earlier runs, shared: those of cases for which nothing has changed are taken "
                  "over, `none`: are not; default: $OPBYOP_CACHE");
  app->add_option("--rerun", arguments->rerun,
                  "Keep the results that are there, but of what is red (failed), has none (missing), or has changed")
      ->check(CLI::IsMember({"failed", "missing", "changed"}));
  app->add_option("--reports", arguments->reports, "`off`: results alone, no OpTest JSON, JUnit, summary and page")
      ->check(CLI::IsMember({"on", "off"}));
  app->add_flag("--fresh", arguments->fresh, "Discard the results that are there, also those of an interrupted run");
  app->add_option("ARGS", arguments->rest, "After --: flags of `conformance` and of GoogleTest");
  const auto limits = AddReadingLimits(*app);
  return {
      app, [arguments, limits] {
        const Expected<Demands> demands = ParseDemands(arguments->min_pass, arguments->fail_on);
        if (!demands) return Report(demands.error());
        const bool halves = !arguments->until.empty() || !arguments->from.empty();
        if (arguments->mode == "chained" && halves) {
          return Report({ExitCode::kUsage, "--until and --from are of runs with rows, not of chained ones"});
        }
        if (!arguments->output.empty() && !halves) {
          return Report({ExitCode::kUsage, "-o goes with --until or --from; the results of a whole run lie in DIR"});
        }
        if (arguments->from.empty() && IsBundle(arguments->folder)) {
          return Report({ExitCode::kUsage, arguments->folder.string() + " is a bundle: --from load executes it"});
        }
        if (arguments->from.empty() && arguments->target.empty()) arguments->target = "host";
        if (arguments->mode == "chained" && !arguments->shard.empty()) {
          return Report({ExitCode::kUsage, "--shard is of runs with rows, not of chained ones"});
        }
        if (arguments->mode == "chained" && !demands->Flags().empty()) {
          return Report({ExitCode::kUsage, "--min-pass and --fail-on are of runs with rows, not of chained ones"});
        }
        if (arguments->mode == "chained") {
          return WorkInReadingChild(*limits, [&] { return ProfileManifest(arguments->folder, arguments->target); });
        }
        std::filesystem::path folder = arguments->folder;
        std::error_code absent;
        if (std::filesystem::is_regular_file(folder, absent)) return Report(IsModel(folder, arguments->target));
        if (arguments->mode == "whole" && arguments->from.empty()) {
          const Expected<Manifest> split = LoadManifest(folder / "manifest.yaml");
          if (!split) return Report(split.error());
          folder /= reports::kWholeFolder;
          const ExitCode code = WorkInReadingChild(*limits, [&] {
            const auto written = generator::WriteWholeModels(*split, folder);
            return written ? ExitCode::kOk : Report(written.error());
          });
          if (code != ExitCode::kOk) return code;
        }
        std::filesystem::path manifest = folder / "manifest.yaml";
        if (arguments->from.empty()) {
          const ExitCode code = TakeKeptCases(arguments->target, *limits, manifest);
          if (code != ExitCode::kOk) return code;
        }
        std::filesystem::path out = folder;
        if (!arguments->until.empty()) {
          out /= BundleName(arguments->target, arguments->shard);
        }
        if (!arguments->output.empty()) out = arguments->output;
        std::vector<std::string> argv = {"--manifest=" + manifest.string(), "--out=" + out.string()};
        if (!arguments->target.empty()) argv.push_back("--target=" + arguments->target);
        if (!arguments->until.empty()) argv.push_back("--until=" + arguments->until);
        if (!arguments->from.empty()) argv.push_back("--from=" + arguments->from);
        // A run that was interrupted is resumed; one that ended is started again.
        if (arguments->fresh && !arguments->rerun.empty()) {
          return Report({ExitCode::kUsage, "--fresh discards what --rerun would keep: give one of them"});
        }
        argv.push_back(arguments->fresh            ? "--fresh"
                       : !arguments->rerun.empty() ? "--rerun=" + arguments->rerun
                                                   : "--resume-interrupted");
        if (!arguments->cache.empty()) argv.push_back("--cache=" + arguments->cache);
        if (!arguments->reports.empty()) argv.push_back("--reports=" + arguments->reports);
        argv.push_back("--resume-command=" + ResumeCommand());
        if (!arguments->shard.empty()) argv.push_back("--shard=" + arguments->shard);
        const bool sharded = !arguments->shard.empty() || std::getenv("GTEST_TOTAL_SHARDS") != nullptr;
        if (sharded && !arguments->balance.empty()) {
          const Expected<std::string> balance = BalanceOf({.balance = arguments->balance,
                                                           .target = arguments->target,
                                                           .mode = arguments->mode,
                                                           .bundle = folder,
                                                           .folder = arguments->until.empty() ? out : folder});
          if (!balance) return Report(balance.error());
          argv.push_back("--balance=" + *balance);
        }
        if (!arguments->policy.empty()) argv.push_back("--policy=" + arguments->policy);
        if (!arguments->fresh_seed.empty()) argv.push_back("--fresh-seed=" + arguments->fresh_seed);
        if (!arguments->differential.empty()) argv.push_back("--differential=" + arguments->differential);
        const std::vector<std::string> flags = demands->Flags();
        argv.insert(argv.end(), flags.begin(), flags.end());
        argv.insert(argv.end(), arguments->rest.begin(), arguments->rest.end());
        return ExecuteSibling("conformance", argv);
      }};
}

}  // namespace opbyop::tools
