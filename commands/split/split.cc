// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop split MODEL... -o DIR

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "commands/command.h"
#include "commands/execute.h"
#include "commands/split/convert_hlo.h"
#include "commands/split/lower.h"
#include "generator/split/split_command.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {
namespace {

enum class Propagator { kRules, kShardy };

ExitCode Split(generator::SplitCommand& command, const std::vector<std::string>& shapes, const std::string& granularity,
               std::string after, std::string target, Propagator propagator) {
  const Expected<Granularity> parsed = Granularity::Parse(granularity);
  if (!parsed) return Report(Error{parsed.error().code, "--granularity: " + parsed.error().message});
  if (propagator == Propagator::kShardy) {
    if (!after.empty() || command.options.shards != Shards::kSharded || parsed->kind == Granularity::Kind::kModel) {
      return Report(Error{ExitCode::kUsage,
                          "--propagation shardy: the ops of a model are sharded; leave --after, --shards and "
                          "--granularity model out"});
    }
    after = "propagation";
    target = (ProjectFolder() / "device/xla/shardy.yaml").string();
  }
  if (parsed->kind == Granularity::Kind::kModel && !after.empty()) {
    return Report(Error{ExitCode::kUsage, "--granularity model: a model runs through all stages; leave --after out"});
  }
  if (command.options.shards == Shards::kLocal && (parsed->kind != Granularity::Kind::kOp || !after.empty())) {
    return Report(
        Error{ExitCode::kUsage,
              "--shards local: single ops get the shapes of one device; leave --granularity and --after out"});
  }
  command.options.granularity = *parsed;
  for (const std::string& text : shapes) {
    Expected<generator::ShapeArgument> shape = generator::ParseShapeArgument(text);
    if (!shape) return Report(shape.error());
    command.shapes.push_back(std::move(*shape));
  }
  HloConverter converter;
  command.converter = [&](const generator::ModelSource& source) { return converter.Convert(source); };
  if (after.empty()) return generator::RunSplit(command, std::cout, std::cerr);
  Expected<std::unique_ptr<Lowerer>> lowerer = Lowerer::Start(target, after);
  if (!lowerer) return Report(lowerer.error());
  command.stage = (*lowerer)->Label();
  command.lowering = [&](const generator::ModelSource& source) { return (*lowerer)->Lower(source.name, source.file); };
  return generator::RunSplit(command, std::cout, std::cerr);
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "split", "Write one file per distinct op of the models, and their manifest.",
                          "opbyop split model.mlirbc -o out/ops");
  auto command = std::make_shared<generator::SplitCommand>();
  app->add_option(
         "MODEL", command->models,
         "Files (text, bytecode, portable artifact, HLO), NAME=FILE, folders of models or of XLA's dumps, or a folder "
         "that `split` wrote")
      ->required();
  app->add_option("-o,--output", command->output, "Folder for manifest.yaml and cases/")->required();
  app->add_option("--entry", command->options.entry, "Function to split")->capture_default_str();
  app->add_option("--fold-limit", command->options.fold_limit,
                  "Constants up to this many bytes are folded into their op; larger ones become arguments")
      ->capture_default_str();
  AddChoice<bool>(*app, "--regions", command->options.walk.inside_regions, {{"whole", false}, {"inside", true}},
                  "inside: the ops in the bodies of while, if, case and async_start are cases beside the op itself; "
                  "whole: such an op is one case");
  AddChoice<Composites>(
      *app, "--composites", command->options.walk.composites,
      {{"whole", Composites::kWhole}, {"inside", Composites::kInside}, {"inline", Composites::kInline}},
      "inside: the ops of a decomposition are cases beside the composite; whole: a composite is one case; inline: the "
      "ops replace it");
  auto granularity = std::make_shared<std::string>("op");
  app->add_option("--granularity", *granularity,
                  "Cases beside those of single ops. window:K: each op with the K-1 ops that its operands come from; "
                  "module[:DEPTH]: the ops of a module of the framework; layer: what a model repeats, and what is "
                  "between; model: all of it")
      ->type_name("op|window:K|module[:DEPTH]|layer|model")
      ->capture_default_str();
  AddChoice<Shards>(*app, "--shards", command->options.shards,
                    {{"sharded", Shards::kSharded}, {"local", Shards::kLocal}, {"global", Shards::kGlobal}},
                    "sharded: each op of a sharded model is compiled for all of its devices, with the shardings that "
                    "its tensors have there; local: it has the shapes of one device, without the collectives between "
                    "devices; global: it has the shapes of whole tensors, on one device");
  auto propagation = std::make_shared<Propagator>(Propagator::kRules);
  AddChoice<Propagator>(*app, "--propagation", *propagation,
                        {{"rules", Propagator::kRules}, {"shardy", Propagator::kShardy}},
                        "Who finds the shardings that a model does not state. rules: opbyop, by the rule of each op; "
                        "shardy: Shardy of jaxlib");
  AddConstantsFlags(*app, command->options.vary_constants,
                    "Keep the constants of an op that has no other operands, so that the compiler computes it; "
                    "without this flag they become arguments, and the op runs on the device");
  auto shapes = std::make_shared<std::vector<std::string>>();
  app->add_option("--shape", *shapes,
                  "ARGUMENT=SHAPE: compile the program for this shape; x=4x8xf32, 0=4x8, x=?x8; may be "
                  "repeated")
      ->allow_extra_args(false)
      ->take_all();
  auto after = std::make_shared<std::string>();
  app->add_option("--after", *after, "Split the IR that the models have after this stage of --target");
  auto target = std::make_shared<std::string>("host");
  app->add_option("--target", *target, "Name or file of the target of --after")->capture_default_str();
  app->add_flag("--split-input-file", command->split_input_file,
                "Split each section between `// -----` as a model of its own");
  app->add_flag("--allow-unregistered", command->allow_unregistered,
                "Keep operations of MHLO too, in generic form; those of other unknown dialects are always "
                "kept");
  app->add_flag("-q,--quiet", command->quiet, "Do not print a line for each model");
  const auto limits = AddReadingLimits(*app);
  return {app, [command, shapes, granularity, after, target, limits, propagation] {
            command->reading = *limits;
            return Split(*command, *shapes, *granularity, *after, *target, *propagation);
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
