// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/profile_run.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "chained/capture_operands.h"
#include "chained/chain.h"
#include "chained/compiled_instructions.h"
#include "chained/machine_peaks.h"
#include "chained/profile_program.h"
#include "chained/whole_judge.h"
#include "chained/worker_device.h"
#include "generator/split/model_split.h"
#include "harness/run/run_header.h"
#include "manifests/optrace/trace_file.h"
#include "manifests/targets/find_manifest_file.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/captured.h"
#include "support/text/count_text.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;
using reference::InputData;

namespace fs = std::filesystem;
using optrace::Section;

// Each op runs once: repeated runs would delay the next op.
constexpr protocol::Repeat kOnce = {};

// Describes the device. Targets that run on this machine's CPU have its peaks, whichever compiler made their code.
optrace::TraceDevice DescribeDevice(const ProfileOptions& options, const RunHeader& machine,
                                    const protocol::Hello& hello) {
  optrace::TraceDevice device = {.name = options.target.name};
  device.peak_gflops = options.peak_gflops;
  device.peak_gb_per_s = options.peak_gb_per_s;
  if (hello.cores > 0) {
    device.name = fmt::format("{} ({})", machine.host.at("cpu"), options.target.name);
    device.cores = hello.cores;
  }
  if (device.peak_gflops > 0 && device.peak_gb_per_s > 0) {
    device.peak_source = "given on the command line";
  } else if (hello.cores > 0) {
    const MachinePeaks peaks = MeasurePeaks(hello.cores);
    device.peak_source = fmt::format(
        "measured on {} of this machine's processor, where {} runs: multiply-adds in "
        "registers, a copy of 64 MiB{}",
        hello.cores == 1 ? "one core" : fmt::format("{} cores", hello.cores), options.target.name,
        hello.cores == 1 ? "" : " on each");
    if (device.peak_gflops <= 0) device.peak_gflops = peaks.gflops;
    if (device.peak_gb_per_s <= 0) device.peak_gb_per_s = peaks.gb_per_s;
  }
  return device;
}

// The median of the timed executions, or else the time of the stage; 0 if the run did not pass.
int64_t MedianPs(const DeviceRun& run) {
  if (!run.passed()) return 0;
  if (run.timing.n > 0) return std::llround(run.timing.median_us * 1e6);
  const auto stage = std::ranges::find(run.stages, kExecuteStage, [](const DeviceStage& s) { return s.record.name; });
  return stage == run.stages.end() ? 0 : std::llround(stage->record.ms * 1e9);
}

// Measures the time to run an op of one element; 0 if the device does not run it.
int64_t MeasureCall(WorkerDevice& device) {
  constexpr std::string_view kText =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %y = stablehlo.negate %x : tensor<f32>\n"
      "  return %y : tensor<f32>\n"
      "}\n";
  const Case c = {.id = "one_element", .op = "stablehlo.negate", .inputs = {{{}, "f32"}}, .outputs = {{{}, "f32"}}};
  const float one = 1;
  const auto* bytes = reinterpret_cast<const std::byte*>(&one);
  const InputData input = {reference::ElementType::kF32, {}, {bytes, bytes + sizeof(one)}};
  return MedianPs(device.Run(c, [&] { return std::string(kText); }, {input}, [] {}));
}

// The devices that a sharded program runs on at once.
int64_t DevicesOf(const CaseMap& map) {
  int64_t devices = map.sharding() ? map.sharding()->partitions : 1;
  for (const CaseMap::Entry& entry : map.cases())
    devices = std::max(devices, entry.c.sharding ? entry.c.sharding->partitions : 1);
  return devices;
}

int64_t ClockResolutionPs() {
  struct timespec resolution = {};
  ::clock_getres(CLOCK_MONOTONIC, &resolution);
  return (resolution.tv_sec * 1'000'000'000 + resolution.tv_nsec) * 1000;
}

optrace::Header HeaderOf(const ProfileOptions& options, WorkerDevice& device, int64_t devices) {
  const protocol::Hello& hello = device.hello();
  const RunHeader machine = harness::MachineHeader();
  optrace::Header header = MakeHeader(options, machine, hello.version);
  header.devices = {DescribeDevice(options, machine, hello)};
  header.devices.front().call_ps = MeasureCall(device);
  const optrace::TraceDevice first = header.devices.front();
  for (int64_t id = 1; id < devices; ++id) header.devices.emplace_back(first).id = id;
  header.warmup = options.overlap ? kOnce.warmup : options.repeat.warmup;
  header.overlap = options.overlap;
  header.iterations = options.iterations;
  header.resolution_ps = ClockResolutionPs();
  return header;
}

// Stores, in a folder next to the trace, the operands on which an op of each case was wrong first: the case may fail on
// no others.
class WrongOperands {
 public:
  explicit WrongOperands(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder / "captured", ignored);  // of an earlier run
    if (auto index = reference::CapturedIndex::Load(folder)) index_ = std::move(*index);
  }

  void Keep(const Case& c, const std::vector<InputData>& inputs) {
    int64_t elements = 0;
    for (const InputData& input : inputs) elements += reference::SizeOf(input.shape);
    if (!index_ || inputs.empty() || elements > kMostElements || index_->Find(c.id) != nullptr) return;
    std::vector<std::string> names;
    for (const InputData& input : inputs) {
      Expected<reference::Stored> stored = reference::StoreCaptured(index_->folder(), input);
      if (!stored) return;
      names.push_back(std::move(stored->name));
    }
    index_->Set(c.id, std::move(names));
    (void)index_->Save();
  }

 private:
  static constexpr int64_t kMostElements = int64_t{1} << 22;  // the limit of `opbyop reduce`

  std::optional<reference::CapturedIndex> index_;
};

struct WholeRun {
  int64_t ps = 0;  // of one run; 0 if it did not pass
  optrace::Clock clock = optrace::Clock::kHost;
  CaseRecord verdict;
};

// Records the instructions of the model in one piece, if the device has a profiler.
void RecordInstructions(const ProgramPlan& plan, const DeviceRun& run, ChainRecorder& recorder) {
  constexpr std::string_view kNone = "the model in one piece has no record of its instructions";
  if (!run.why_no_profile.empty()) recorder.Warn(fmt::format("{}: {}", kNone, run.why_no_profile));
  const bool has_profile = !run.profile.xspace.empty();
  Expected<std::vector<optrace::Instruction>> instructions =
      has_profile ? InstructionsOf(plan, run.profile) : InstructionsOf(run.pieces);
  if (!instructions) {
    recorder.Warn(fmt::format("{}: {}", kNone, instructions.error().message));
    return;
  }
  if (has_profile && instructions->empty()) recorder.Warn(fmt::format("{}: the profiler's trace has none", kNone));
  for (optrace::Instruction& each : *instructions) recorder.Record(std::move(each));
}

// Runs the model in one piece. Compares nothing if `options.compare` is false.
WholeRun RunWhole(CaseMap& map, const ProgramPlan& plan, const std::vector<InputData>& inputs, WorkerDevice& device,
                  ChainRecorder& recorder, const ChainOptions& options) {
  int64_t begin = NowNs();
  Case whole = WholeModel(map);
  std::vector<TensorType> types;
  types.reserve(inputs.size());
  for (const InputData& input : inputs) types.push_back({input.shape, std::string(reference::NameOf(input.type))});
  whole.inputs = std::move(types);
  // Runs a slow model only once: for such times, the first run counts (device/repetition.h).
  constexpr int64_t kMostRuns = 5;
  constexpr double kBudgetMs = 5000;
  device.options().repeat = {.min = 1, .max = kMostRuns, .budget_ms = kBudgetMs};
  device.options().profile = true;
  const Form form = !whole.sharding ? Form::kDropped : device.partitioner() == "shardy" ? Form::kAsIs : Form::kGspmd;
  const DeviceRun run = device.Run(whole, [&] { return TextWithOpNames(map.module(), plan, form); }, inputs, [] {});
  recorder.RecordHost(-1, Section::kOverview, "whole model", begin);
  if (!run.passed()) {
    recorder.Warn(fmt::format("the model in one piece: {} in {}: {}; the sum of its ops cannot be compared with it",
                              ToString(run.status), run.stage, run.diagnostic));
    return {.verdict = {.id = whole.id, .status = run.status, .stage = run.stage, .diagnostic = run.diagnostic}};
  }
  WholeRun done = {.ps = MedianPs(run), .verdict = {.id = whole.id, .status = Status::kPass}};
  recorder.WarnOfHostClock("the model in one piece", run.why_host_clock);
  if (run.timing.device_clock) done.clock = optrace::Clock::kDevice;
  RecordInstructions(plan, run, recorder);
  if (!options.compare) return done;
  // Some command line tools draw their own inputs. Their outputs are judged on those inputs.
  begin = NowNs();
  done.verdict = JudgeWhole(map.module(), whole, run.inputs.empty() ? inputs : run.inputs, run.outputs, options);
  recorder.RecordHost(-1, Section::kCompare, "whole model against the reference", begin);
  return done;
}

}  // namespace

Expected<ProfileResult> ProfileModel(const ProfileOptions& options) {
  const auto say = [&](const std::string& text) {
    if (options.say) options.say(text);
  };
  if (options.model.error) return Unexpected(*options.model.error);
  const Expected<fs::path> policy_file = FindManifestFile("policies", "domain");
  if (!policy_file) return Unexpected(policy_file.error());
  Expected<Policy> policy = LoadPolicy(*policy_file);
  if (!policy) return Unexpected(policy.error());

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const Model program = ProgramOf(options);
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadProgram(program, options, context);
  if (!module) return Unexpected(module.error());
  const int64_t start = NowNs();
  Expected<std::unique_ptr<WorkerDevice>> device =
      WorkerDevice::Start(options.target, {.cases = options.cases.empty() ? options.output / "cases" : options.cases,
                                           .repeat = options.overlap ? kOnce : options.repeat,
                                           .overlap = options.overlap});
  if (!device) return Unexpected(device.error());
  if (options.overlap && !(*device)->hello().ahead) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: target {} starts no op before the current one has ended: its worker's "
                                 "hello does not say `ahead` (docs/worker-protocol.md)",
                                 options.target.name));
  }
  const int64_t ready = NowNs();
  const std::string why_not_divided = WhyNotDivided(module->get(), program, (*device)->hello());
  Expected<CaseMap> map = MapCases(module->get(), program, options.manifest, options.target,
                                   why_not_divided.empty() ? Shards::kSharded : Shards::kGlobal);
  if (!map) return Unexpected(map.error());
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  if (!plan) return Unexpected(plan.error());
  const Expected<std::vector<InputData>> inputs =
      ModelInputs(map->module(), {.seed = options.seed, .model = options.model.name, .ranges = options.model.ranges});
  if (!inputs) return Unexpected(inputs.error());

  const int64_t devices = DevicesOf(*map);
  std::error_code ignored;
  fs::create_directories(options.output, ignored);
  ProfileResult result = {.trace = options.output / "optrace.ndjson"};
  auto writer =
      optrace::TraceWriter::Create(result.trace, HeaderOf(options, **device, devices), PrivateValuesOf(options));
  if (!writer) return Unexpected(writer.error());
  say(fmt::format("{}: {}, {} of them distinct, on {}", options.model.name, CountText(plan->ops().size(), "op"),
                  map->cases().size(), options.target.name));

  ChainRecorder recorder(
      *plan, [&](std::span<const optrace::Record> records) { return (*writer)->Write(records); }, start);
  recorder.RecordHost(-1, Section::kOverview, "Runtime Setup", start, ready);
  if (!why_not_divided.empty()) {
    recorder.Warn(fmt::format("each op runs on whole tensors, on one device: {}", why_not_divided));
  }
  WrongOperands wrong(options.output / kWrongOperands);
  const ChainOptions chain = {
      .iterations = options.iterations,
      .compare = options.compare,
      .target = options.target.name,
      .policy = std::move(*policy),
      .arithmetic = options.target.arithmetic,
      .shown_elements = options.shown_elements,
      .threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
      .stop = options.stop,
      .progress = options.progress,
      .failed = [&](const Case& c, const std::vector<InputData>& given) { wrong.Keep(c, given); }};
  const Expected<std::vector<InputData>> outputs = RunChain(*map, *plan, *inputs, **device, recorder, chain);
  result.complete = outputs.has_value();
  if (!outputs) {
    result.diagnostic = outputs.error().message;
    recorder.Warn("the run stopped: " + result.diagnostic);
  }
  ChainRecorder::WholeRun whole;
  if (outputs && options.whole_model) {
    say("the model in one piece");
    WholeRun run = RunWhole(*map, *plan, *inputs, **device, recorder, chain);
    whole.ps = run.ps;
    whole.clock = run.clock;
    // If outputs are not compared, only a failure is a verdict.
    if (options.compare || run.verdict.status != Status::kPass) {
      whole.status = run.verdict.status;
      whole.verdict = WholeText(run.verdict);
      result.whole = std::move(run.verdict);
    }
  }
  if (const Expected<void> finished = recorder.Finish(whole, result.complete ? kNotTaken : "it stopped before");
      !finished)
    return Unexpected(finished.error());
  result.totals = recorder.totals();
  return result;
}

}  // namespace opbyop::chained
