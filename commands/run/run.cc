// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop run DIR --target T: runs every row of a manifest, through the GoogleTest binary.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/build_tree.h"
#include "commands/command.h"
#include "commands/execute.h"
#include "commands/history_option.h"
#include "generator/split/whole_models.h"
#include "harness/run/options.h"
#include "history/database/history_place.h"
#include "manifests/cases/manifest.h"
#include "manifests/runs/bundle.h"
#include "manifests/targets/find_target.h"
#include "reports/summary/whole_models.h"
#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/text/shell_quote.h"

namespace opbyop::commands {
namespace {

constexpr std::string_view kBalanceByHistory = "history";

// The command to resume an interrupted run: what the user typed, without --fresh.
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

// "bundle-host"; for a shard "bundle-host-1-of-3".
std::string BundleName(const std::string& target, const harness::Options& options) {
  std::string name = "bundle-" + std::filesystem::path(target).stem().string();
  if (options.shards > 1) name += fmt::format("-{}-of-{}", options.shard + 1, options.shards);
  return name;
}

// The error for a file: a run takes the folder that a split makes of a model.
Error IsFile(const std::filesystem::path& file, const std::string& target) {
  const auto run = [&](const std::string& folder) {
    return ShellCommand({"opbyop", "run", folder, "--target", target});
  };
  if (file.filename() == "manifest.yaml") {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    return {ExitCode::kUsage, fmt::format("{} is a file; a run takes its folder:\n  {}", file.string(), run(folder))};
  }
  const std::string out = "out/" + (file == "-" ? "stdin" : file.stem().string());
  return {ExitCode::kUsage,
          fmt::format("{} is a file; a run takes the folder with the cases of a model:\n  {}\n  {}", file.string(),
                      ShellCommand({"opbyop", "split", file.string(), "-o", out}), run(out))};
}

struct Asked {
  std::string balance, target, mode;
  std::filesystem::path bundle;  // used if the target's name is empty
  std::filesystem::path folder;  // for output files
};

Expected<std::string> TargetName(const Asked& asked) {
  if (asked.target.empty()) {
    const Expected<Bundle> bundle = LoadBundle(asked.bundle);
    return bundle ? Expected<std::string>(bundle->target) : Unexpected(bundle.error());
  }
  const Expected<Target> target = FindTarget(asked.target, asked.folder);
  return target ? Expected<std::string>(target->name) : Unexpected(target.error());
}

// A worker is linked with none of the shared libraries, or is built with the verbs.
Expected<void> BuildIfAbsent(const std::string& name) {
  const std::filesystem::path program = ProgramFolder() / name;
  std::error_code error;
  return std::filesystem::exists(program, error) ? Expected<void>() : BuildIfNeeded(program);
}

// Builds the target's worker if this build tree lacks it. What is wrong with the target is for `conformance` to say.
Expected<void> BuildWorkerOf(const std::string& name, const std::filesystem::path& folder) {
  constexpr std::string_view kOwn = "{bin}/";
  if (name.starts_with("pjrt:")) return BuildIfAbsent("opbyop-pjrt-worker");
  const Expected<Target> target = FindTarget(name, folder);
  if (!target || target->worker.empty() || !target->worker.front().starts_with(kOwn)) return {};
  return BuildIfAbsent(target->worker.front().substr(kOwn.size()));
}

// Finds the file for `conformance`'s --balance; for a history, writes one with the durations that it knows.
ExitCode FindBalance(const Asked& asked, std::string& file) {
  std::string where = asked.balance;
  if (where == kBalanceByHistory) {
    const char* named = std::getenv("OPBYOP_HISTORY");
    where = named ? named : kDefaultHistory;
  } else if (!history::IsHistory(where)) {
    file = asked.balance;
    return ExitCode::kOk;
  }
  const Expected<std::string> target = TargetName(asked);
  if (!target) return Report(target.error());
  file = (asked.folder / "balance.jsonl").string();
  return RunSibling(kOpbyop,
                    {"history", "durations", "--db", where, "--target", *target, "--mode", asked.mode, "-o", file});
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "run", "Run the rows of a manifest on a target.", "opbyop run out/ops --target xla");
  struct Arguments {
    std::filesystem::path folder;
    std::string mode = "isolated";
    std::string balance;
    std::filesystem::path output;
    std::vector<std::string> rest;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("DIR", arguments->folder,
                  "Folder with manifest.yaml; results.jsonl is written there, or to DIR/whole")
      ->required();
  app->add_option(
      "-o,--output", arguments->output,
      "Folder of the results, default DIR; with --until that of the bundle, default DIR/bundle-TARGET, of a "
      "shard DIR/bundle-TARGET-K-of-N");
  app->add_option("--mode", arguments->mode,
                  "isolated: each op alone; whole: each model in one piece, results in DIR/whole; chained: each model "
                  "op by op on its own intermediates, recorded in DIR/chained/MODEL/ (see `profile`)")
      ->check(CLI::IsMember({"isolated", "whole", "chained"}))
      ->capture_default_str();
  const auto limits = AddReadingLimits(*app);
  constexpr std::array<std::string_view, 6> kSetHere = {"manifest",       "out",    "report", "resume-interrupted",
                                                        "resume-command", "balance"};
  const auto flags = std::make_shared<const harness::PassedFlags>(*app, kSetHere);
  app->add_option(
         "--balance", arguments->balance,
         "How --shard assigns the cases: `history`, the --db of a history, or the folder of an earlier run, by the "
         "durations in it; `cost`, by estimated time; `hash`, by id; default: cost")
      ->envname("OPBYOP_BALANCE");
  app->add_option("ARGS", arguments->rest, "After --: flags of GoogleTest");
  return {
      app, [arguments, flags, limits] {
        const harness::Options& given = flags->options();
        const bool chained = arguments->mode == "chained";
        const bool halves = !given.until.empty() || !given.from.empty();
        if (chained && halves) {
          return Report({ExitCode::kUsage, "--until and --from apply to runs with rows, not to chained runs"});
        }
        if (chained && !arguments->output.empty()) {
          return Report({ExitCode::kUsage, "-o applies to runs with rows; a chained run is recorded in DIR/chained"});
        }
        if (given.from.empty() && IsBundle(arguments->folder)) {
          return Report({ExitCode::kUsage, arguments->folder.string() + " is a bundle: --from load executes it"});
        }
        const std::string target = given.from.empty() && given.target.empty() ? "host" : given.target;
        if (chained && given.shards > 1) {
          return Report({ExitCode::kUsage, "--shard applies to runs with rows, not to chained runs"});
        }
        if (chained && !given.demands.Flags().empty()) {
          return Report({ExitCode::kUsage, "--min-pass and --fail-on apply to runs with rows, not to chained runs"});
        }
        if (chained) {
          const Expected<Manifest> split = LoadManifest(arguments->folder / "manifest.yaml");
          if (!split) return Report(split.error());
          PassOn(*limits);
          return ExecuteSibling(kOpbyop, {"profile", arguments->folder.string(), "--target", target, "-n", "5"});
        }
        std::filesystem::path folder = arguments->folder;
        std::error_code absent;
        if (folder == "-" || std::filesystem::is_regular_file(folder, absent)) return Report(IsFile(folder, target));
        if (arguments->mode == "whole" && given.from.empty()) {
          const Expected<Manifest> split = LoadManifest(folder / "manifest.yaml");
          if (!split) return Report(split.error());
          folder /= reports::kWholeFolder;
          const ExitCode code = WorkInReadingChild(*limits, [&] {
            const auto written = generator::WriteWholeModels(*split, folder);
            return written ? ExitCode::kOk : Report(written.error());
          });
          if (code != ExitCode::kOk) return code;
        }
        const std::filesystem::path manifest = folder / "manifest.yaml";
        std::filesystem::path out = folder;
        if (!given.until.empty()) out /= BundleName(target, given);
        if (!arguments->output.empty()) out = arguments->output;
        std::vector<std::string> argv = flags->Given();
        argv.insert(argv.end(), {"--manifest=" + manifest.string(), "--out=" + out.string(),
                                 "--resume-command=" + ResumeCommand()});
        // A run that was interrupted is resumed; one that ended is started again.
        const bool says_how = given.fresh || given.resume || !given.rerun.empty();
        if (!says_how) argv.push_back("--resume-interrupted");
        const bool sharded = given.shards > 1 || std::getenv("GTEST_TOTAL_SHARDS") != nullptr;
        if ((sharded || given.plan) && !arguments->balance.empty()) {
          std::string balance;
          const ExitCode code = FindBalance({.balance = arguments->balance,
                                             .target = target,
                                             .mode = arguments->mode,
                                             .bundle = folder,
                                             .folder = given.until.empty() ? out : folder},
                                            balance);
          if (code != ExitCode::kOk) return code;
          argv.push_back("--balance=" + balance);
        }
        argv.insert(argv.end(), arguments->rest.begin(), arguments->rest.end());
        PassOn(*limits);
        if (const Expected<void> built = BuildWorkerOf(target, folder); !built) return Report(built.error());
        return ExecuteSibling("conformance", argv);
      }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
