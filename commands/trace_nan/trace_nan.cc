// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop trace-nan MODEL [--target T]: finds where the first NaN or infinity of a model comes from.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "chained/capture_operands.h"
#include "chained/nan_trace.h"
#include "chained/profile_program.h"
#include "chained/worker_device.h"
#include "commands/command.h"
#include "commands/execute.h"
#include "harness/worker/scratch.h"
#include "manifests/targets/find_target.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/worker/npy_argument.h"
#include "support/text/count_text.h"
#include "support/text/progress_line.h"

namespace opbyop::commands {
namespace {

using chained::NanTrace;
using reference::InputData;

namespace fs = std::filesystem;

struct TraceNanArguments {
  std::string model;
  std::string target;  // empty: only the reference
  std::vector<fs::path> inputs;
  chained::ProfileOptions options;
};

Expected<std::vector<InputData>> InputsOf(const TraceNanArguments& arguments, generator::CaseMap& map) {
  if (arguments.inputs.empty()) {
    const chained::ProfileOptions& options = arguments.options;
    return chained::ModelInputs(map.module(),
                                {.seed = options.seed, .model = options.model.name, .ranges = options.model.ranges});
  }
  const Expected<std::vector<reference::Tensor>> tensors = reference::ReadArguments(arguments.inputs, map.entry());
  if (!tensors) return Unexpected(tensors.error());
  std::vector<InputData> inputs;
  for (const reference::Tensor& tensor : *tensors) {
    inputs.push_back({tensor.type(), tensor.shape(), reference::TensorToBytes(tensor)});
  }
  return inputs;
}

void Print(const std::string& who, const NanTrace& trace) {
  std::cout << fmt::format("{} ({} executed", who, CountText(trace.executed, "op"));
  if (trace.substituted > 0) {
    std::cout << fmt::format(", {} of them by the reference, because the target did not", trace.substituted);
  }
  std::cout << ")\n";
  if (trace.infinity) std::cout << "first infinity: " << Describe(*trace.infinity);
  if (trace.nan) std::cout << "first NaN: " << Describe(*trace.nan);
  if (trace.first() == nullptr && trace.stopped.empty()) std::cout << "no op makes a NaN or an infinity\n";
  if (!trace.stopped.empty()) std::cout << "stopped: " << trace.stopped << '\n';
  std::cout << std::endl;
}

// Returns kUnexpectedResult if an op makes a NaN or an infinity, kPartial if none was found but the program did not
// end.
ExitCode CodeOf(const std::vector<const NanTrace*>& traces) {
  const auto found = [](const NanTrace* trace) { return trace->first() != nullptr; };
  if (std::ranges::any_of(traces, found)) return ExitCode::kUnexpectedResult;
  const auto stopped = [](const NanTrace* trace) { return !trace->stopped.empty(); };
  return std::ranges::any_of(traces, stopped) ? ExitCode::kPartial : ExitCode::kOk;
}

ExitCode TraceNan(TraceNanArguments& arguments) {
  chained::ProfileOptions& options = arguments.options;
  const std::vector<generator::ModelSource> models = generator::ListModels({arguments.model});
  if (models.size() != 1) {
    return Report(
        {ExitCode::kUsage, fmt::format("{} holds {} models; name the file of one", arguments.model, models.size())});
  }
  options.model = models.front();
  if (options.model.error) return Report(*options.model.error);
  if (!arguments.target.empty()) {
    Expected<Target> target = FindTarget(arguments.target, ".");
    if (!target) return Report(target.error());
    options.target = std::move(*target);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const Model program = chained::ProgramOf(options);
  const auto module = chained::ReadProgram(program, options, context);
  if (!module) return Report(module.error());
  Expected<generator::CaseMap> map =
      chained::MapCases(module->get(), program, nullptr, options.target, Shards::kGlobal);
  if (!map) return Report(map.error());
  const Expected<chained::ProgramPlan> plan = chained::ProgramPlan::Make(*map);
  if (!plan) return Report(plan.error());
  const Expected<std::vector<InputData>> inputs = InputsOf(arguments, *map);
  if (!inputs) return Report(inputs.error());

  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::cout << (arguments.inputs.empty() ? fmt::format("inputs: `domain`, seed {}\n", options.seed)
                                         : fmt::format("inputs: {}\n", CountText(inputs->size(), "file")));
  const Expected<NanTrace> reference = chained::TraceReference(*map, *plan, *inputs, threads);
  if (!reference) return Report(reference.error());
  for (const std::string& input : reference->of_inputs) std::cout << input << '\n';
  Print("reference", *reference);
  if (arguments.target.empty()) return CodeOf({&*reference});

  const auto scratch = harness::Scratch::Open();
  if (!scratch) return Report(scratch.error());
  const Expected<harness::ScratchDir> folder = (*scratch)->Make("trace-nan", 0);
  if (!folder) return Report(folder.error());
  const auto device =
      chained::WorkerDevice::Start(options.target, {.cases = folder->path(), .repeat = {}, .spans = false});
  if (!device) return Report(device.error());
  ProgressLine line(stderr, ProgressLine::StyleOf(stderr));
  const chained::ChainOptions chain = {
      .target = options.target.name, .threads = threads, .progress = [&](const chained::ChainProgress& progress) {
        if (line.due()) {
          line.Show(ShareText(progress.done, progress.total) + " " + progress.what);
        }
      }};
  const Expected<NanTrace> of_target = chained::TraceDevice(*map, *plan, *inputs, **device, chain);
  line.Clear();
  if (!of_target) return Report(of_target.error());
  Print(options.target.name, *of_target);
  std::cout << Agreement(*reference, *of_target, options.target.name) << '\n';
  return CodeOf({&*reference, &*of_target});
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "trace-nan",
                          "Find the first op of a model whose result has a NaN or an infinity although its operands "
                          "have none.",
                          "opbyop trace-nan model.mlirbc --target xla");
  auto arguments = std::make_shared<TraceNanArguments>();
  chained::ProfileOptions& options = arguments->options;
  app->add_option("MODEL", arguments->model, "File of a model, as for `split`")->required();
  app->add_option("--target", arguments->target,
                  "Name or file of a target on which the model is run too, each op on the target's own "
                  "results");
  app->add_option("--input", arguments->inputs,
                  "An argument as .npy, in order, as for `eval`; default: the inputs of `capture`");
  app->add_option("--entry", options.entry, "Function to trace")->default_str("main");
  AddShapeOption(*app, options.shapes);
  app->add_option("--seed", options.seed, "Seed of the model's inputs")->capture_default_str();
  app->add_option("--max-executions", options.max_executions,
                  "A program that executes more ops is unsupported; every call and every known iteration of "
                  "a loop counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  return InReadingChild({app, [arguments] { return TraceNan(*arguments); }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
