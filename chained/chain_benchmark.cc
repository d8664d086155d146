// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the cost of recording: chained runs of a model with recording off and on, in turns, in one process.
//
//   build/bin/chain_benchmark [MODEL] [ROUNDS]      default: the tutorial network, MobileNet and Llama, 5 rounds
//
// With recording off, the chain and the comparisons are the same, but the worker is asked for no spans, and nothing is
// printed or written. The budget is for a run with the defaults of `opbyop profile`: each op compiled, repeated until
// its median is known, and compared. Runs on a worker that has already compiled the model show the cost relative to
// execution alone: with ten repeats of each op, compared and only timed.

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chained/capture_operands.h"
#include "chained/chain.h"
#include "chained/worker_device.h"
#include "generator/split/model_list.h"
#include "ir/read_module.h"
#include "manifests/optrace/trace_file.h"
#include "manifests/targets/find_manifest_file.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::chained {
namespace {

using generator::CaseMap;

// The kind of run that is measured.
struct Kind {
  const char* name;
  protocol::Repeat repeat;
  bool compare;
  bool compile;  // whether every run has a new worker, which compiles; else one worker compiled everything before
};

const Kind kKinds[] = {
    {"as by default", WorkerDeviceOptions().repeat, true, true},
    {"compiled before", WorkerDeviceOptions().repeat, true, false},
    {"ten runs an op, compared", {.min = 10, .max = 10, .warmup = 1}, true, false},
    {"ten runs an op, timed only", {.min = 10, .max = 10, .warmup = 1}, false, false},
};

struct Cost {
  std::vector<double> steps_ms;  // from one request of the device to the next
  double open_ms = 0;            // creating the file of the record, once a run; not part of any step
  double meanwhile_ms = 0;       // CPU time of this process while the worker is busy: formatting and writing the record
};

double ClockMs(clockid_t clock) {
  struct timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Notes when the device is asked, and the work that is done meanwhile.
class TimedDevice : public ChainDevice {
 public:
  explicit TimedDevice(ChainDevice& device) : device_(device) {}
  std::optional<DeviceRun> Prepare(const Case& c, const std::function<std::string()>& text) override {
    begins_.push_back(NowNs());
    return device_.Prepare(c, text);
  }
  DeviceRun Run(const Case& c, const std::function<std::string()>& text,
                const std::vector<reference::InputData>& inputs, const std::function<void()>& meanwhile) override {
    begins_.push_back(NowNs());
    return device_.Run(c, text, inputs, [&] {
      const double begin = ClockMs(CLOCK_THREAD_CPUTIME_ID);
      meanwhile();
      ms_ += ClockMs(CLOCK_THREAD_CPUTIME_ID) - begin;
    });
  }
  double ms() const { return ms_; }
  // The time that each request took; the last one is measured until now.
  std::vector<double> StepsMs() const {
    std::vector<double> steps;
    for (size_t i = 0; i < begins_.size(); ++i) {
      steps.push_back(static_cast<double>((i + 1 < begins_.size() ? begins_[i + 1] : NowNs()) - begins_[i]) / 1e6);
    }
    return steps;
  }

 private:
  ChainDevice& device_;
  std::vector<int64_t> begins_;
  double ms_ = 0;
};

// The times of one chained run.
Expected<Cost> RunOnce(CaseMap& map, const ProgramPlan& plan, const std::vector<reference::InputData>& inputs,
                       WorkerDevice& worker, const std::filesystem::path& folder, bool compare, bool record) {
  worker.options().spans = record;
  TimedDevice device(worker);
  std::unique_ptr<optrace::TraceWriter> writer;
  TraceSink sink;
  const int64_t opens = NowNs();
  if (record) {
    auto created = optrace::TraceWriter::Create(folder / "optrace.ndjson", {.devices = {{.name = "host"}}});
    if (!created) return Unexpected(created.error());
    writer = std::move(*created);
    sink = [&](std::span<const optrace::Record> records) { return writer->Write(records); };
  }
  const int64_t begin = NowNs();
  ChainRecorder recorder(plan, sink, begin);
  const auto outputs = RunChain(map, plan, inputs, device, recorder, {.compare = compare, .target = "host"});
  if (!outputs) return Unexpected(outputs.error());
  if (const Expected<void> done = recorder.Finish({}); !done) return Unexpected(done.error());
  return Cost{device.StepsMs(), static_cast<double>(begin - opens) / 1e6, device.ms()};
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

// For all steps of a run: their time without recording, the additional time with it, and the standard error of that.
struct Price {
  double off_ms = 0, more_ms = 0, standard_error_ms = 0;
};

// steps[recorded][round][step]. The two runs of a round follow each other directly. The median of their differences is
// taken step by step, as compile times vary by a tenth from one run to the next.
Price PriceOf(const std::vector<std::vector<double>> (&steps)[2]) {
  Price price;
  const size_t rounds = steps[0].size();
  double variance = 0;
  for (size_t i = 0; i < steps[0][0].size(); ++i) {
    std::vector<double> off, more;
    for (size_t round = 0; round < rounds; ++round) {
      off.push_back(steps[0][round][i]);
      more.push_back(steps[1][round][i] - steps[0][round][i]);
    }
    const double median = Median(more);
    price.off_ms += Median(off);
    price.more_ms += median;
    for (double& m : more) m = std::fabs(m - median);
    // The standard error of a median, estimated from the median deviation, as for a normal distribution.
    const double error = 1.2533 * 1.4826 * Median(more);
    variance += error * error / static_cast<double>(rounds);
  }
  price.standard_error_ms = std::sqrt(variance);
  return price;
}

Expected<void> Measure(const std::string& path, int rounds, const Kind& kind) {
  const generator::ModelSource source = generator::ListModels({path}).front();
  if (source.error) return Unexpected(*source.error);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModule(source.file, context);
  if (!module) return Unexpected(module.error());
  generator::SplitOptions split;
  split.walk.inside_regions = true;
  Expected<CaseMap> map = CaseMap::Make(module->get(), split);
  if (!map) return Unexpected(map.error());
  const Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
  if (!plan) return Unexpected(plan.error());
  const auto inputs = ModelInputs(map->module(), {.model = source.name, .ranges = source.ranges});
  if (!inputs) return Unexpected(inputs.error());
  const Expected<std::filesystem::path> file = FindManifestFile("targets", "host");
  if (!file) return Unexpected(file.error());
  const Expected<Target> target = LoadTarget(*file);
  if (!target) return Unexpected(target.error());
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("opbyop-chain-benchmark-{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::unique_ptr<WorkerDevice> device;
  std::vector<std::vector<double>> steps[2];  // without and with recording
  std::vector<double> beside, open;
  for (int round = -1; round < rounds; ++round) {
    for (const bool record : {round % 2 == 0, round % 2 != 0}) {
      if (!device || kind.compile) {
        device.reset();
        auto started = WorkerDevice::Start(*target, {.cases = folder / "cases", .repeat = kind.repeat});
        if (!started) return Unexpected(started.error());
        device = std::move(*started);
      }
      const Expected<Cost> cost = RunOnce(*map, *plan, *inputs, *device, folder, kind.compare, record);
      if (!cost) return Unexpected(cost.error());
      if (round < 0) continue;  // the first round warms up
      steps[record].push_back(cost->steps_ms);
      if (!record) continue;
      beside.push_back(cost->meanwhile_ms);
      open.push_back(cost->open_ms);
    }
  }
  std::filesystem::remove_all(folder);
  const auto ops = static_cast<double>(plan->ops().size());
  const Price price = PriceOf(steps);
  fmt::print(
      "{}, {}: {:.0f} ops, {} rounds: {:.1f} µs an op, {:+.1f} µs ({:+.2f} % +- {:.2f} %) recorded, and {:.1f} µs "
      "while the device works; the file, once a run, {:.0f} µs{}\n",
      source.name, kind.name, ops, rounds, 1e3 * price.off_ms / ops, 1e3 * price.more_ms / ops,
      100 * price.more_ms / price.off_ms, 100 * price.standard_error_ms / price.off_ms, 1e3 * Median(beside) / ops,
      1e3 * Median(open), kind.compile ? "; budget 2 %" : "");
  std::fflush(stdout);
  return {};
}

}  // namespace
}  // namespace opbyop::chained

int main(int argc, char** argv) {
  std::vector<std::string> models = {"fixtures/models/ffnn.mlirbc", "fixtures/models/mobilenet_v3_small.mlirbc",
                                     "fixtures/models/llama_2layer.mlirbc"};
  if (argc > 1) models = {argv[1]};
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  for (const std::string& model : models) {
    for (const opbyop::chained::Kind& kind : opbyop::chained::kKinds) {
      const opbyop::Expected<void> done = opbyop::chained::Measure(model, rounds, kind);
      if (done) continue;
      fmt::print(stderr, "chain_benchmark: {}\n", done.error().message);
      return static_cast<int>(done.error().code);
    }
  }
  return 0;
}
