// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop merge DIR... -o OUT

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "manifests/merge_runs.h"
#include "support/counted.h"
#include "tools/commands.h"

namespace opbyop::tools {

Command MergeCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("merge", "Make one run of the shards that it was run in.");
  struct Arguments {
    std::vector<std::filesystem::path> inputs;
    std::filesystem::path out;
    std::filesystem::path manifest;
    bool partial = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("DIR", arguments->inputs, "Folders with results-K-of-N.jsonl, or such files")->required();
  app->add_option("-o,--output", arguments->out, "Folder for results.jsonl")->required();
  app->add_option("--manifest", arguments->manifest, "Where the manifest of the run lies now, if not where it was");
  app->add_flag("--partial", arguments->partial,
                "Also where shards are missing or did not end: their rows are then missing, and red");
  return {app, [arguments] {
            const std::filesystem::path results = arguments->out / "results.jsonl";
            const Expected<MergedRun> merged =
                MergeRuns({arguments->inputs, results, arguments->manifest, arguments->partial});
            if (!merged) return Report(merged.error());
            std::string line = fmt::format("{}: {} of {}", results.string(), Counted(merged->cases, "case"),
                                           Counted(merged->header.merged.size(), "shard"));
            for (const auto& [status, count] : merged->totals) line += fmt::format(", {} {}", count, status);
            for (const std::string& sentence : merged->lacking) line += "; " + sentence;
            std::cout << line << '\n';
            return merged->lacking.empty() ? ExitCode::kOk : ExitCode::kPartial;
          }};
}

}  // namespace opbyop::tools
