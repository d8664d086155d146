// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop run DIR --target T: every row of a manifest, through the GoogleTest binary.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "generator/whole_models.h"
#include "harness/input_set.h"
#include "manifests/demands.h"
#include "manifests/manifest.h"
#include "reports/whole_models.h"
#include "support/file.h"
#include "support/shell_quote.h"
#include "tools/commands.h"

namespace opbyop::tools {
namespace {

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

}  // namespace

Command RunCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("run", "Run the rows of a manifest on a target.");
  struct Arguments {
    std::filesystem::path folder;
    std::string target = "host";
    std::string policy;
    std::string differential;
    std::string mode = "isolated";
    std::string min_pass;
    std::string fail_on;
    std::vector<std::string> rest;
    bool fresh = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("DIR", arguments->folder,
                  "Folder with manifest.yaml; results.jsonl is written there, or to DIR/whole")
      ->required();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  app->add_option(
      "--policy", arguments->policy,
      fmt::format("How inputs are generated, names or files by commas; default: {}, and {} with --mode=whole",
                  harness::kDefaultPolicies, harness::kWholeModelPolicies));
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
  app->add_flag("--fresh", arguments->fresh, "Discard the results that are there, also those of an interrupted run");
  app->add_option("ARGS", arguments->rest, "After --: flags of `conformance` and of GoogleTest");
  return {app, [arguments] {
            const Expected<Demands> demands = ParseDemands(arguments->min_pass, arguments->fail_on);
            if (!demands) return Report(demands.error());
            if (arguments->mode == "chained" && !demands->Flags().empty()) {
              return Report({ExitCode::kUsage, "--min-pass and --fail-on are of runs with rows, not of chained ones"});
            }
            if (arguments->mode == "chained") return ProfileManifest(arguments->folder, arguments->target);
            std::filesystem::path folder = arguments->folder;
            if (arguments->mode == "whole") {
              const Expected<Manifest> split = LoadManifest(folder / "manifest.yaml");
              if (!split) return Report(split.error());
              folder /= reports::kWholeFolder;
              if (const auto written = generator::WriteWholeModels(*split, folder); !written)
                return Report(written.error());
            }
            std::vector<std::string> argv = {"--manifest=" + (folder / "manifest.yaml").string(),
                                             "--target=" + arguments->target, "--out=" + folder.string()};
            // A run that was interrupted is resumed; one that ended is started again.
            argv.emplace_back(arguments->fresh ? "--fresh" : "--resume-interrupted");
            argv.push_back("--resume-command=" + ResumeCommand());
            if (!arguments->policy.empty()) argv.push_back("--policy=" + arguments->policy);
            if (!arguments->differential.empty()) argv.push_back("--differential=" + arguments->differential);
            const std::vector<std::string> flags = demands->Flags();
            argv.insert(argv.end(), flags.begin(), flags.end());
            argv.insert(argv.end(), arguments->rest.begin(), arguments->rest.end());
            return ExecuteSibling("conformance", argv);
          }};
}

}  // namespace opbyop::tools
