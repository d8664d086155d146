// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/exhaustive_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "generator/split/split_command.h"
#include "harness/run/results_writer.h"
#include "harness/run/run_header.h"
#include "manifests/cases/manifest.h"
#include "manifests/runs/private_text.h"
#include "manifests/targets/find_manifest_file.h"
#include "support/files/file.h"
#include "support/files/program_identity.h"
#include "support/files/project_folder.h"
#include "support/files/sha256.h"
#include "support/text/count_text.h"
#include "support/text/shell_quote.h"

namespace opbyop::exhaustive {
namespace {

using reference::Info;
using reference::NameOf;

namespace fs = std::filesystem;

constexpr std::string_view kPolicy = "exhaustive";

int BitsOf(const Function& function) { return std::countr_zero(function.Values()); }

// Writes the functions as models, one op each, and their manifest.
Expected<Manifest> WriteCases(const ExhaustiveOptions& options) {
  generator::SplitCommand split{.output = options.output, .quiet = true};
  for (const Function& function : options.functions) {
    const fs::path file = options.output / "functions" / (function.Name() + ".mlir");
    const auto elements = static_cast<int64_t>(ChunkPlan(function.Values(), options.chunk).size());
    if (const Expected<void> written = WriteFile(file, ProgramOf(function, elements)); !written) {
      return Unexpected(written.error());
    }
    split.models.push_back(file.string());
  }
  std::ostringstream said, errors;
  if (const ExitCode code = generator::RunSplit(split, said, errors); code != ExitCode::kOk) {
    return MakeError(code, errors.str());
  }
  return LoadManifest(options.output / "manifest.yaml");
}

Expected<std::vector<FunctionTask>> TasksOf(const ExhaustiveOptions& options, const Manifest& manifest) {
  std::map<std::string, const Case*> cases;
  for (const Case& c : manifest.cases) {
    for (const std::string& model : ModelsOf(c)) cases[model] = &c;
  }
  std::vector<FunctionTask> tasks;
  uint64_t chunks = 0;
  for (const Function& function : options.functions) {
    const auto found = cases.find(function.Name());
    if (found == cases.end()) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}: has no case of {}", manifest.path.string(), function.Name()));
    }
    FunctionTask task{function, *found->second, ChunkPlan(function.Values(), options.chunk), {}};
    task.chunks = options.at ? std::vector<uint64_t>{task.plan.ChunkOf(*options.at)} : task.plan.Of(options.part);
    if (options.at && *options.at >= function.Values()) {
      return MakeError(ExitCode::kUsage,
                       fmt::format("{:#x} is no bit pattern of a {}", *options.at, NameOf(function.type)));
    }
    chunks += task.chunks.size();
    tasks.push_back(std::move(task));
  }
  if (chunks == 0) {
    return MakeError(ExitCode::kNothingToDo, fmt::format("part {}/{} has no chunk: a type of few values is one chunk; "
                                                         "take fewer parts, or smaller chunks",
                                                         options.part.part, options.part.parts));
  }
  return tasks;
}

// Starts as many workers as may use the device at once.
Expected<std::vector<std::unique_ptr<WorkerChunkDevice>>> StartDevices(const ExhaustiveOptions& options, int jobs) {
  std::vector<std::unique_ptr<WorkerChunkDevice>> devices;
  for (int i = 0; i < (options.target.device.parallel ? jobs : 1); ++i) {
    Expected<std::unique_ptr<WorkerChunkDevice>> device =
        WorkerChunkDevice::Start(options.target, options.output / "cases");
    if (!device) return Unexpected(device.error());
    devices.push_back(std::move(*device));
  }
  return devices;
}

// A digest of the target and of the programs that compile for it and judge it, any of which may change between runs.
std::string ProgramsOf(const Target& target) {
  return Sha256Hex(fmt::format("{}\n{}\n{}", ReadFile(target.path).value_or(""), ProgramIdentity("/proc/self/exe"),
                               ProgramIdentity(ProgramFolder() / "opbyop-worker")));
}

RunHeader MakeHeader(const ExhaustiveOptions& options, const Manifest& manifest, const protocol::Hello& hello) {
  RunHeader header = harness::MachineHeader();
  header.argv = options.command;
  header.target = options.target.name;
  header.target_file = options.target.path.string();
  header.toolchain = hello.version;
  header.stages = options.target.StageNames();
  header.manifest = "manifest.yaml";
  header.manifest_hash = manifest.hash;
  header.policy = kPolicy;
  return header;
}

// The command that runs the chunk with the first mismatch again; without a mismatch, all chunks.
std::string ReproOf(const ExhaustiveOptions& options, const Function& function, const Tally& tally) {
  std::string text =
      fmt::format("{} exhaust {} --type {} --target {}", CommandName("opbyop"), ShellQuote(function.Spelling()),
                  NameOf(function.type), ShellQuote(NameFromAnywhere("targets", options.target.path.string())));
  if (tally.first) text += fmt::format(" --at {:#x} -o out/again", tally.first->code);
  return text;
}

std::string MismatchText(const Function& function, const Tally& tally) {
  return fmt::format("{} of {} beyond the bound ({}), first {}", Grouped(tally.mismatches),
                     CountText(tally.values, "value"), tally.rule, Describe(*tally.first, BitsOf(function)));
}

CaseRecord RecordOf(const ExhaustiveOptions& options, const FunctionTask& task, const FunctionOutcome& outcome) {
  const Tally& tally = outcome.tally;
  CaseRecord record{
      .id = task.c.id, .status = outcome.status, .stage = outcome.stage, .diagnostic = outcome.diagnostic};
  record.stages = outcome.stages;
  record.attempts = outcome.attempts;
  record.start = outcome.start;
  record.wall_ms = outcome.seconds * 1e3;
  record.repro = ReproOf(options, task.function, tally);
  if (outcome.done > 0) {
    Comparison comparison = tally.ToComparison(task.function.result);
    if (static_cast<uint64_t>(tally.values) < task.function.Values()) {
      comparison.rule += fmt::format(", {} of {} values", Grouped(tally.values),
                                     Grouped(static_cast<int64_t>(task.function.Values())));
    }
    record.comparisons.push_back(std::move(comparison));
  }
  if (record.status == Status::kPass) {
    record.stage = kCompareStage;
    if (tally.mismatches > 0) {
      record.status = Status::kFail;
      record.diagnostic = tally.first ? MismatchText(task.function, tally) : "bytes that are no booleans";
    } else if (tally.values == tally.unbounded) {
      record.status = Status::kInconclusive;
      record.diagnostic = "the specification leaves every value open";
    }
    record.stages.push_back({std::string(kCompareStage), record.status, 0, record.diagnostic});
  }
  record.sets = {{std::string(kPolicy), 0, record.status, record.stage, record.diagnostic, tally.unbounded}};
  return record;
}

std::string Cell(double value) { return fmt::format("{:.3g}", value); }

}  // namespace

Expected<std::vector<FunctionResult>> RunExhaustively(const ExhaustiveOptions& options) {
  if (options.target.device.own_inputs) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: the tools of target {} generate its inputs", options.target.name));
  }
  const fs::path results = options.output / "results.jsonl";
  Expected<FileLock> lock = harness::LockResults(results);
  if (!lock) return Unexpected(lock.error());
  const Expected<Manifest> manifest = WriteCases(options);
  if (!manifest) return Unexpected(manifest.error());
  const Expected<std::vector<FunctionTask>> tasks = TasksOf(options, *manifest);
  if (!tasks) return Unexpected(tasks.error());
  const int jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const Expected<std::vector<std::unique_ptr<WorkerChunkDevice>>> devices = StartDevices(options, jobs);
  if (!devices) return Unexpected(devices.error());
  const protocol::Hello& hello = devices->front()->hello();
  Expected<Journal> journal = Journal::Open(
      options.output / "chunks.jsonl", {options.target.name, hello.version, ProgramsOf(options.target)}, options.fresh);
  if (!journal) return Unexpected(journal.error());
  const PrivateValues hidden = PrivateValues::OfThisProgram(VariablesNamedBy(options.target.path));
  RunHeader header = MakeHeader(options, *manifest, hello);
  HideIn(hidden, header);
  Expected<std::unique_ptr<harness::ResultsWriter>> writer =
      harness::ResultsWriter::Create(std::move(*lock), results, header, {});
  if (!writer) return Unexpected(writer.error());

  RunnerOptions runner_options{.jobs = jobs, .arithmetic = options.target.arithmetic, .journal = &*journal};
  for (const auto& device : *devices) runner_options.devices.push_back(device.get());
  ChunkRunner runner(std::move(runner_options));
  FunctionProgress progress;
  for (const FunctionTask& task : *tasks) progress.values += task.chunks.size() * task.plan.size();
  std::vector<std::pair<uint64_t, uint64_t>> seen(tasks->size());  // chunks that were done, values that were run
  runner.on_chunk = [&](size_t t, const FunctionOutcome& outcome) {
    const FunctionTask& task = (*tasks)[t];
    progress.function = &task.function;
    progress.outcome = &outcome;
    progress.chunks = task.chunks.size();
    progress.values_done += (outcome.done - seen[t].first) * task.plan.size();
    progress.values_run += static_cast<uint64_t>(outcome.values_run) - seen[t].second;
    seen[t] = {outcome.done, static_cast<uint64_t>(outcome.values_run)};
    options.progress(progress);
  };
  std::optional<Error> unwritten;
  runner.on_end = [&](size_t t, const FunctionOutcome& outcome) {
    CaseRecord record = RecordOf(options, (*tasks)[t], outcome);
    HideIn(hidden, record);
    const Expected<void> done = (*writer)->Append(record);
    if (!done && !unwritten) unwritten = done.error();
    (void)(*writer)->SyncIfDue();
  };
  Expected<std::vector<FunctionOutcome>> outcomes = runner.Run(*tasks);
  if (!outcomes) return Unexpected(outcomes.error());
  if (unwritten) return Unexpected(*unwritten);
  std::vector<FunctionResult> all;
  double wall = 0;
  for (size_t t = 0; t < tasks->size(); ++t) {
    wall += (*outcomes)[t].seconds;
    CaseRecord record = RecordOf(options, (*tasks)[t], (*outcomes)[t]);
    all.push_back({(*tasks)[t].function, std::move((*outcomes)[t]), std::move(record), (*tasks)[t].function.Values()});
  }
  if (const Expected<void> finished = (*writer)->Finish(wall); !finished) return Unexpected(finished.error());
  return all;
}

std::string ResultTable(const std::vector<FunctionResult>& results) {
  size_t width = 8;
  for (const FunctionResult& result : results) width = std::max(width, result.function.Name().size());
  std::string text =
      fmt::format("{:<{}}  {:<12}  {:>13}  {:>11}  {:>9}  {:>9}  {:>13}  {:>8}  {}\n", "function", width, "status",
                  "values", "open", "worst ULP", "of bound", "failing", "M/s", "bound; first failure");
  for (const FunctionResult& result : results) {
    const FunctionOutcome& outcome = result.outcome;
    const Tally& tally = outcome.tally;
    const std::string rate =
        outcome.values_run > 0 && outcome.seconds > 0
            ? fmt::format("{:.1f}", static_cast<double>(outcome.values_run) / outcome.seconds / 1e6)
            : "";
    std::string last = tally.rule;
    if (tally.first) last += "; " + Describe(*tally.first, BitsOf(result.function));
    if (outcome.status != Status::kPass) last = fmt::format("{}: {}", outcome.stage, outcome.diagnostic);
    text += fmt::format("{:<{}}  {:<12}  {:>13}  {:>11}  {:>9}  {:>9}  {:>13}  {:>8}  {}\n", result.function.Name(),
                        width, ToString(result.record.status), Grouped(tally.values), Grouped(tally.open),
                        Cell(tally.max_ulp), Cell(tally.bound_ratio), Grouped(tally.mismatches), rate, last);
  }
  return text;
}

}  // namespace opbyop::exhaustive
