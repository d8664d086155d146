// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop merge DIR... -o OUT: merges results of shards, or bundles that shards were compiled into.

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "harness/bundle/merge_bundles.h"
#include "manifests/runs/merge_runs.h"
#include "support/text/count_text.h"

namespace opbyop::commands {
namespace {

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "merge", "Join the shards of a run, or the bundles that shards were compiled into.",
                          "opbyop merge node1/out node2/out -o out/nightly");
  struct Arguments {
    std::vector<std::filesystem::path> inputs;
    std::filesystem::path out;
    std::filesystem::path manifest;
    bool partial = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("DIR", arguments->inputs, "Folders with results-K-of-N.jsonl, or such files; or bundles of shards")
      ->required();
  app->add_option("-o,--output", arguments->out, "Folder for results.jsonl, or of the bundle")->required();
  app->add_option("--manifest", arguments->manifest, "The manifest of the run, if it was moved");
  app->add_flag("--partial", arguments->partial,
                "Merge even if shards are missing or did not end; their rows are then missing, and red");
  return {app, [arguments] {
            const bool bundles = harness::AreCompiledShards(arguments->inputs);
            if (bundles && (arguments->partial || !arguments->manifest.empty())) {
              return Report(
                  {ExitCode::kUsage, "--partial and --manifest apply to results only: a bundle is made of all shards"});
            }
            const std::filesystem::path out = bundles ? arguments->out : arguments->out / "results.jsonl";
            const Expected<MergedRun> merged =
                bundles ? harness::MergeBundles(arguments->inputs, out)
                        : MergeRuns({arguments->inputs, out, arguments->manifest, arguments->partial});
            if (!merged) return Report(merged.error());
            std::string line = fmt::format("{}: {} of {}", out.string(), CountText(merged->cases, "case"),
                                           CountText(merged->header.merged.size(), "shard"));
            for (const auto& [status, count] : merged->totals) line += fmt::format(", {} {}", count, status);
            for (const std::string& sentence : merged->lacking) line += "; " + sentence;
            std::cout << line << '\n';
            return merged->lacking.empty() ? ExitCode::kOk : ExitCode::kPartial;
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
