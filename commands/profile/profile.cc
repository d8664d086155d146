// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop profile MODEL|DIR --target T: runs the model op by op on the target, records the run, and summarizes the record.

#include <fmt/format.h>

#include <memory>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/profile/profile_console.h"
#include "manifests/targets/find_target.h"

namespace opbyop::commands {
namespace {

using chained::ProfileOptions;

namespace fs = std::filesystem;

struct ProfileArguments {
  std::string model;
  std::string target = "host";
  size_t count = 10;
  bool no_compare = false;
  bool no_whole = false;
  bool estimate = false;
  CLI::Option* entry = nullptr;
  ProfileOptions options;
};

ExitCode ProfileSplit(ProfileArguments arguments) {
  ProfileOptions& options = arguments.options;
  if (!options.output.empty() || !options.shapes.empty() || arguments.estimate || arguments.entry->count() > 0) {
    return Report({ExitCode::kUsage,
                   fmt::format("{} is a split, whose models are profiled as they were split, into {}: leave out -o, "
                               "--entry, --shape and --estimate, or name the file of a model",
                               arguments.model, (fs::path(arguments.model) / "chained").string())});
  }
  Expected<Target> target = FindTarget(arguments.target, arguments.model);
  if (!target) return Report(target.error());
  options.target = std::move(*target);
  return ProfileManifest(arguments.model, options, arguments.count);
}

ExitCode ProfileOne(ProfileArguments arguments) {
  ProfileOptions& options = arguments.options;
  options.compare = !arguments.no_compare;
  options.whole_model = !arguments.no_whole;
  if (fs::is_regular_file(fs::path(arguments.model) / "manifest.yaml")) return ProfileSplit(std::move(arguments));
  const std::vector<generator::ModelSource> models = generator::ListModels({arguments.model});
  if (models.size() != 1) {
    return Report({ExitCode::kUsage, fmt::format("{} holds {} models; a profile takes one: name its file",
                                                 arguments.model, models.size())});
  }
  options.model = models.front();
  if (options.output.empty()) options.output = fs::path("out/profile") / options.model.name;
  Expected<Target> target = FindTarget(arguments.target, options.output);
  if (!target) return Report(target.error());
  options.target = std::move(*target);
  return ProfileAndReport(options, arguments.count, arguments.estimate);
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "profile",
                          "Run a model op by op on a target and show where its time goes and how wrong its results "
                          "are.",
                          "opbyop profile model.mlirbc --target xla -o out/profile");
  auto arguments = std::make_shared<ProfileArguments>();
  ProfileOptions& options = arguments->options;
  app->add_option("MODEL", arguments->model,
                  "File of a model, as for `split`; or the folder of a split: each of its models, in DIR/chained/MODEL")
      ->required();
  app->add_option("--target", arguments->target, "Name or file of the target")->capture_default_str();
  arguments->entry = app->add_option("--entry", options.entry, "Function to profile")->default_str("main");
  AddShapeOption(*app, options.shapes);
  app->add_option("-o,--output", options.output, "Folder for optrace.ndjson and profile.html; out/profile/MODEL");
  app->add_option("--max-executions", options.max_executions,
                  "A program that executes more ops is unsupported; every call and every known iteration of "
                  "a loop counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_option("-n", arguments->count, "Operators in the printed table")->capture_default_str();
  CLI::Option* const iterations = app->add_option("--iterations", options.iterations,
                                                  "Passes over the whole model; outputs of the first are compared")
                                      ->check(CLI::Range(1, 1000))
                                      ->capture_default_str();
  CLI::Option* const of_repeats[] = {
      app->add_option("--warmup", options.repeat.warmup, "Runs of every op before those that are timed")
          ->capture_default_str(),
      app->add_option("--repeat", options.repeat.max, "The most timed runs of an op")->capture_default_str(),
      app->add_option("--relative-error", options.repeat.relative_error,
                      "An op is run until its median is known to within this share (95 % confidence)")
          ->capture_default_str(),
      app->add_option("--budget-ms", options.repeat.budget_ms, "The most milliseconds for the runs of one op")
          ->capture_default_str()};
  CLI::Option* const overlap =
      app->add_flag("--overlap", options.overlap,
                    "While an op runs, transfer the inputs of the next op, and run that op if all its inputs "
                    "are there");
  for (CLI::Option* option : of_repeats) overlap->excludes(option);
  CLI::Option* const of_runs[] = {
      iterations, overlap, app->add_option("--seed", options.seed, "Seed of the model's inputs")->capture_default_str(),
      app->add_option("--elements", options.shown_elements, "Elements of each output to show next to the reference's")
          ->capture_default_str(),
      app->add_flag("--no-compare", arguments->no_compare, "Only measure times; do not compare with the reference")};
  app->add_option("--peak-gflops", options.peak_gflops, "Peak of the device; measured if the device is this machine");
  app->add_option("--peak-gb-per-s", options.peak_gb_per_s,
                  "Peak of the device's memory; measured if the device is this machine");
  app->add_flag("--no-whole-model", arguments->no_whole, "Do not also run the model in one piece");
  CLI::Option* const estimate = app->add_flag("--estimate", arguments->estimate,
                                              "Run nothing; take the times that the target's compiler estimates");
  // Options that have no meaning for an estimate.
  for (CLI::Option* option : of_repeats) estimate->excludes(option);
  for (CLI::Option* option : of_runs) estimate->excludes(option);
  return InReadingChild({app, [app, arguments] {
                           arguments->options.command = TypedCommand(*app);
                           return ProfileOne(*arguments);
                         }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
