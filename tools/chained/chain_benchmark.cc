// What recording costs: chained runs of a model with recording off and on, in turns, in one process and one worker.
//
//   build/bin/chain_benchmark [MODEL] [ROUNDS]      default: the tutorial network and MobileNet, 5 rounds
//
// The budget is for a run as `opbyop profile` makes it by default: ops repeated until their median is known, and
// compared. Runs of ten repeats each, compared and only timed, show the price bare.

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "generator/model_list.h"
#include "harness/options.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reports/optrace/trace_file.h"
#include "tools/capture_operands.h"
#include "tools/chained/chain.h"
#include "tools/chained/worker_device.h"

namespace opbyop {
namespace {

// What kind of run is measured.
struct Kind {
  const char* name;
  Repeat repeat;
  bool compare;
  bool budgeted;
};

const Kind kKinds[] = {
    {"as by default", WorkerDeviceOptions().repeat, true, true},
    {"ten runs an op, compared", {.min = 10, .max = 10, .warmup = 1}, true, false},
    {"ten runs an op, timed only", {.min = 10, .max = 10, .warmup = 1}, false, false},
};

struct Cost {
  double wall_ms = 0;
  double cpu_ms = 0;  // of this process and its worker: what a busy machine does not blur
};

double CpuMs() {
  struct timespec own = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  double ns = static_cast<double>(own.tv_sec) * 1e9 + static_cast<double>(own.tv_nsec);
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (std::string pid; children >> pid;) {
      double on_cpu = 0;
      std::ifstream("/proc/" + pid + "/schedstat") >> on_cpu;
      ns += on_cpu;
    }
  }
  return ns / 1e6;
}

// What one chained run takes.
Expected<Cost> RunOnce(CaseMap& map, const ProgramPlan& plan, const std::vector<InputData>& inputs,
                       WorkerDevice& device, const std::filesystem::path& folder, bool compare, bool record) {
  device.options().spans = record;
  const int64_t begin = NowNs();
  const double cpu = CpuMs();
  std::unique_ptr<optrace::TraceWriter> writer;
  TraceSink sink;
  if (record) {
    auto created = optrace::TraceWriter::Create(folder / "optrace.ndjson", {.devices = {{.name = "host"}}});
    if (!created) return Unexpected(created.error());
    writer = std::move(*created);
    sink = [&](std::span<const optrace::Record> records) { return writer->Write(records); };
  }
  ChainRecorder recorder(plan, sink, begin);
  const auto outputs = RunChain(map, plan, inputs, device, recorder, {.compare = compare, .target = "host"});
  if (!outputs) return Unexpected(outputs.error());
  if (const Expected<void> done = recorder.Finish(0); !done) return Unexpected(done.error());
  return Cost{static_cast<double>(NowNs() - begin) / 1e6, CpuMs() - cpu};
}

Expected<void> Measure(const std::string& path, int rounds, const Kind& kind) {
  const ModelSource source = ListModels({path}).front();
  if (source.error) return Unexpected(*source.error);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModule(source.file, context);
  if (!module) return Unexpected(module.error());
  SplitOptions split;
  split.walk.inside_regions = split.vary_constants = true;
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
  auto device = WorkerDevice::Start(*target, {.cases = folder / "cases", .repeat = kind.repeat});
  if (!device) return Unexpected(device.error());
  std::vector<double> wall[2], cpu[2];  // without and with recording
  for (int round = -1; round < rounds; ++round) {
    for (const bool record : {round % 2 == 0, round % 2 != 0}) {
      const Expected<Cost> cost = RunOnce(*map, *plan, *inputs, **device, folder, kind.compare, record);
      if (!cost) return Unexpected(cost.error());
      if (round < 0) continue;  // this one compiled
      wall[record].push_back(cost->wall_ms);
      cpu[record].push_back(cost->cpu_ms);
    }
  }
  std::filesystem::remove_all(folder);
  // Other work on the machine only ever adds.
  const auto more = [](const std::vector<double>* values) {
    return 100 * (std::ranges::min(values[1]) / std::ranges::min(values[0]) - 1);
  };
  fmt::print(
      "{}, {}: {} ops, best of {} rounds: {:.1f} ms ({:.1f} ms of CPU) without recording, {:+.2f} % ({:+.2f} %) with "
      "it{}\n",
      source.name, kind.name, plan->ops().size(), rounds, std::ranges::min(wall[0]), std::ranges::min(cpu[0]),
      more(wall), more(cpu), kind.budgeted ? "; budget 2 %" : "");
  return {};
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  std::vector<std::string> models = {"fixtures/models/ffnn.mlirbc", "fixtures/models/mobilenet_v3_small.mlirbc"};
  if (argc > 1) models = {argv[1]};
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  for (const std::string& model : models) {
    for (const opbyop::Kind& kind : opbyop::kKinds) {
      const opbyop::Expected<void> done = opbyop::Measure(model, rounds, kind);
      if (done) continue;
      fmt::print(stderr, "chain_benchmark: {}\n", done.error().message);
      return static_cast<int>(done.error().code);
    }
  }
  return 0;
}
