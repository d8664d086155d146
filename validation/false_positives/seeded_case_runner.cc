// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/false_positives/seeded_case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/slot/slot.h"
#include "harness/worker/case_request.h"
#include "ir/read_module.h"
#include "llvm/Support/xxhash.h"
#include "manifests/results/comparison_verdict.h"
#include "reference/bounds/compare.h"
#include "reference/bounds/precision_ratio.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/estimate.h"
#include "reference/inputs/trial.h"
#include "reference/worker/output_judge.h"
#include "support/files/npy.h"
#include "validation/trial_bench.h"

namespace opbyop {
namespace {

using reference::InputData;
using reference::Tensor;
using reference::Values;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// MLIR never frees types and attributes, so a context is replaced after this many programs.
constexpr int kProgramsPerContext = 500;
// A worker that has grown beyond this is replaced before the next case.
constexpr int64_t kWorkerRssKb = int64_t{4} << 20;
constexpr double kSaveEvery = 30;  // seconds

double Since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string DescribeFailure(const CaseRecord& record) {
  return fmt::format("{} in {}: {}", ToString(record.status), record.stage, record.diagnostic);
}

uint64_t HashOf(const std::vector<InputData>& inputs) {
  uint64_t hash = 0;
  for (const InputData& input : inputs) {
    const llvm::ArrayRef bytes(reinterpret_cast<const uint8_t*>(input.bytes.data()), input.bytes.size());
    hash = (hash ^ llvm::xxh3_64bits(bytes)) * 0x9E3779B97F4A7C15;
  }
  return hash;
}

}  // namespace

SeededCaseRunner::SeededCaseRunner(const SeededCaseRunnerSettings& settings, harness::Scratch& scratch)
    : settings_(settings), scratch_(scratch) {
  for (const Target& target : settings.targets) {
    devices_.push_back(std::make_unique<harness::TargetClient>(target, PatientTargetWorker(target)));
    devices_.back()->set_rss_limit_kb(kWorkerRssKb);
  }
}

Expected<void> SeededCaseRunner::Run(const Case& c, Progress& progress, double limit_s,
                                     const std::function<Expected<void>()>& save) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point saved = begin;
  const Expected<mlir::Operation*> entry = Load(c);
  if (!entry) return Unexpected(entry.error());
  if (const auto reason = reference::TooLarge(reference::EstimateWork(module_.get()), {})) {
    progress.skipped = *reason;
    return save();
  }
  const auto draws_same = [&](InputKind kind) {
    return reference::DrawsSameInputs(module_.get(), settings_.inputs, kind);
  };
  if (const auto same = std::ranges::find_if(settings_.earlier, draws_same); same != settings_.earlier.end()) {
    progress.skipped = fmt::format("generates the inputs of `{}`", ToString(*same));
    return save();
  }
  const Expected<harness::ScratchDir> scratch = scratch_.Make(c.id, harness::ScratchBytes(c) + (1 << 20));
  if (!scratch) return Unexpected(scratch.error());
  dir_ = scratch->path();
  drawn_.clear();
  if (const Expected<void> compiled = Compile(c, progress); !compiled) return compiled;

  const int64_t from = progress.seeds;
  const auto has_time = [&] {
    return progress.seeds == from || progress.seeds < settings_.fewest || Since(begin) < limit_s;
  };
  while (!progress.Done(settings_.seeds) && has_time()) {
    if (const Expected<void> done = RunSeed(c, *entry, static_cast<uint64_t>(progress.seeds), progress); !done) {
      progress.skipped = done.error().message;
      break;
    }
    ++progress.seeds;
    if (Since(saved) < kSaveEvery) continue;
    saved = Clock::now();
    if (const Expected<void> done = save(); !done) return done;
  }
  return save();
}

Expected<mlir::Operation*> SeededCaseRunner::Load(const Case& c) {
  module_ = nullptr;
  if (!context_ || ++programs_ % kProgramsPerContext == 0) {
    context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  }
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(settings_.folder / c.file, *context_);
  if (!module) return Unexpected(module.error());
  module_ = std::move(*module);
  return reference::EntryOf(module_.get());
}

protocol::Request SeededCaseRunner::RequestOf(protocol::Verb verb, const Case& c,
                                              const harness::TargetClient& device) const {
  protocol::Request request =
      harness::MakeCaseRequest(std::move(verb), c, fs::absolute(settings_.folder), device.target());
  request.dir = dir_ / device.target().name;
  return request;
}

Expected<void> SeededCaseRunner::Compile(const Case& c, Progress& progress) {
  for (const auto& device : devices_) {
    const std::string& target = device->target().name;
    Tally& tally = progress.targets[target];
    if (!tally.status.empty()) continue;
    if (const Expected<void> started = device->Start(); !started) return started;
    std::error_code failed;
    fs::create_directories(dir_ / target, failed);
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const std::string name = fmt::format("input_{}.npy", i);
      fs::create_symlink(dir_ / name, dir_ / target / name, failed);
    }
    CaseRecord compiled{.id = c.id};
    device->Compile(RequestOf(protocol::CompileVerb{}, c, *device), compiled);
    if (compiled.status != Status::kPass) tally.status = DescribeFailure(compiled);
  }
  return {};
}

Expected<Values> SeededCaseRunner::ArgumentsOf(const std::vector<InputData>& inputs) const {
  Values arguments;
  for (const InputData& input : inputs) {
    const std::string name = fmt::format("input_{}.npy", arguments.size());
    const Expected<void> written =
        WriteNpy(dir_ / name, {input.shape, std::string(reference::NameOf(input.type))}, input.bytes);
    if (!written) return Unexpected(written.error());
    Expected<Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    arguments.emplace_back(std::move(*tensor));
  }
  return arguments;
}

Expected<void> SeededCaseRunner::RunSeed(const Case& c, mlir::Operation* entry, uint64_t seed, Progress& progress) {
  Expected<reference::GeneratedInputs> drawn =
      reference::GenerateInputs(module_.get(), settings_.inputs, c.id, harness::InputSeed(c.id, seed), {});
  if (!drawn) return Unexpected(drawn.error());
  if (!drawn->unfit.empty()) return MakeError(ExitCode::kBadInput, drawn->unfit);
  if (!drawn_.insert(HashOf(drawn->inputs)).second) {
    ++progress.alike;
    return {};
  }
  Expected<Values> arguments = ArgumentsOf(drawn->inputs);
  if (!arguments) return Unexpected(arguments.error());
  drawn->inputs.clear();
  for (const auto& device : devices_) {
    if (!progress.targets[device->target().name].status.empty()) continue;
    device->BeginExecute(c, RequestOf(protocol::ExecuteVerb{}, c, *device));
  }
  // The reference evaluates while the targets run.
  reference::EvalOptions options{.bounds = true,
                                 .exact_integers = settings_.inputs == InputKind::kExactInt,
                                 .deviations = settings_.inputs == InputKind::kDomain};
  const Expected<Values> results = reference::Evaluator(module_.get(), options).CallFunction(entry, *arguments);
  for (const auto& device : devices_) {
    Tally& tally = progress.targets[device->target().name];
    if (!tally.status.empty()) continue;
    CaseRecord executed{.id = c.id};
    device->EndExecute(c, executed);
    if (executed.status != Status::kPass) {
      tally.status = DescribeFailure(executed);
    } else if (results) {
      reference::AlternativeResults others(
          reference::AlternativesOf(device->target().arithmetic, options), [&](const reference::Alternative& way) {
            return reference::Evaluator(module_.get(), way.options).CallFunction(entry, *arguments);
          });
      Judge(*results, others, seed, device->target(), tally);
    }
  }
  if (!results) return Unexpected(results.error());
  return {};
}

void SeededCaseRunner::Judge(const Values& results, reference::AlternativeResults& others, uint64_t seed,
                             const Target& target, Tally& tally) const {
  ++tally.runs;
  const reference::OutputCriteria criteria{.alternatives = &others};
  std::vector<Comparison> comparisons;
  std::string why;
  for (size_t i = 0; i < results.size() && why.empty(); ++i) {
    if (!results[i].is_tensor()) continue;
    const Tensor& expected = results[i].tensor();
    const Expected<NpyFile> got = ReadNpy(dir_ / target.name / fmt::format("output_{}.npy", i));
    if (!got) {
      why = got.error().message;
      continue;
    }
    // Most results are right, and this check of them is fast.
    const bool same_shape = got->shape() == expected.shape();
    if (const auto ratio = same_shape ? reference::RatioIfAccepted(expected, got->bytes()) : std::nullopt) {
      const double precision = reference::PrecisionRatio(expected, got->bytes());
      tally.ratio = std::max(tally.ratio, *ratio);
      tally.precision = std::max(tally.precision, precision);
      if (precision <= 1) continue;
    }
    Expected<Comparison> comparison =
        reference::JudgeOutput(static_cast<int64_t>(i), expected, got->shape(), got->bytes(), criteria);
    if (comparison) {
      comparisons.push_back(std::move(*comparison));
    } else {
      why = comparison.error().message;
    }
  }
  if (why.empty()) why = VerdictOf(comparisons).diagnostic;
  if (why.empty()) {
    tally.flushed += others.evaluated();
    return;
  }
  ++tally.refused;
  if (tally.first.empty()) tally.first = fmt::format("seed {}: {}", seed, why);
}

}  // namespace opbyop
