// How fast the reference evaluates: single ops, whole models, or given programs. Prints figures beside their budgets.
//
//   reference_benchmark              // ops, then fixtures/models where the working folder has it
//   reference_benchmark --models     // these alone
//   reference_benchmark FILE...      // "FILE SECONDS" a line, the best of several runs, inputs seeded
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/evaluator.h"
#include "reference/inputs.h"

namespace opbyop {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

double CpuSeconds() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A field of /proc/self/status: "VmRSS" is resident now, "VmHWM" was at the peak.
double ResidentGigabytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) * 1024 / 1e9;
  }
  return 0;
}

void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

struct Timing {
  double wall = 0;  // seconds of the fastest run
  double cpu = 0;
  double argument_bytes = 0;  // as the program's types store them
};

Expected<Timing> Time(mlir::ModuleOp module, bool bounds, double budget) {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  Values arguments;
  Timing best;
  {
    Expected<std::vector<InputData>> made = MakeInputs(module, InputKind::kDomain, 1);
    if (!made) return Unexpected(made.error());
    for (InputData& input : *made) {
      const auto bytes = std::move(input.bytes);
      best.argument_bytes += static_cast<double>(bytes.size());
      Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, bytes);
      if (!tensor) return Unexpected(tensor.error());
      arguments.emplace_back(std::move(*tensor));
    }
  }
  const auto begin = Clock::now();
  do {
    Evaluator evaluator(
        module, {.bounds = bounds, .threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))});
    const auto start = Clock::now();
    const double cpu = CpuSeconds();
    const Expected<Values> results = evaluator.CallFunction(*entry, arguments);
    if (!results) return Unexpected(results.error());
    const double wall = Seconds(start);
    if (best.wall == 0 || wall < best.wall) {
      best.wall = wall;
      best.cpu = CpuSeconds() - cpu;
    }
  } while (Seconds(begin) < budget);
  return best;
}

struct Program {
  const char* what;
  const char* unit;  // of the amount
  double amount;     // of work, in millions
  const char* text;
};

constexpr Program kPrograms[] = {
    {"dot_general 128^3 f32", "M multiply-adds", 2.097152,
     R"(func.func @main(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
})"},
    {"dot_general 1024^3 bf16", "M multiply-adds", 1073.741824,
     R"(func.func @main(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16>
  return %0 : tensor<1024x1024xbf16>
})"},
    {"convolution 56x56x64 by 3x3x64x64 f32", "M multiply-adds", 115.605504,
     R"(func.func @main(%a: tensor<1x56x56x64xf32>, %b: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
})"},
    {"add f32", "M elements", 1,
     R"(func.func @main(%a: tensor<1000000xf32>, %b: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %0 = stablehlo.add %a, %b : tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
})"},
    {"tanh f32", "M elements", 1, R"(func.func @main(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %0 = stablehlo.tanh %a : tensor<1000000xf32>
  return %0 : tensor<1000000xf32>
})"},
    {"reduce add over rows f32", "M elements", 1, R"(func.func @main(%a: tensor<1000x1000xf32>) -> tensor<1000xf32> {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
})"},
    {"transpose f32", "M elements", 1, R"(func.func @main(%a: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
})"},
    {"sort f32", "M elements", 0.1, R"(func.func @main(%a: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<100000xf32>) -> tensor<100000xf32>
  return %0 : tensor<100000xf32>
})"},
};

int Fail(const Error& error) {
  std::fprintf(stderr, "reference_benchmark: %s\n", error.message.c_str());
  return static_cast<int>(error.code);
}

int Ops() {
  std::printf("%-42s %12s %12s   %s\n", "one op", "value, ms", "+ bound, ms", "rate of the value");
  for (const Program& program : kPrograms) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const auto module = ReadModuleFromBytes(program.text, program.what, context);
    if (!module) return Fail(module.error());
    const Expected<Timing> value = Time(module->get(), false, 0.5);
    if (!value) return Fail(value.error());
    const Expected<Timing> bounded = Time(module->get(), true, 0.5);
    if (!bounded) return Fail(bounded.error());
    std::printf("%-42s %12.3f %12.3f   %.0f %s/s\n", program.what, value->wall * 1e3, bounded->wall * 1e3,
                program.amount / value->wall, program.unit);
    std::fflush(stdout);
  }
  return 0;
}

// Of evaluating a model: the peak of what is resident beyond the program itself, arguments included.
Expected<std::string> Memory(mlir::ModuleOp module, bool bounds) {
  ::malloc_trim(0);  // what earlier runs left in the heap
  const double before = ResidentGigabytes("VmRSS");
  ForgetPeak();
  const Expected<Timing> timing = Time(module, bounds, 0);
  if (!timing) return Unexpected(timing.error());
  const double peak = ResidentGigabytes("VmHWM") - before;
  return fmt::format("{:.2f} GB, {:.1f} times the arguments", peak, peak * 1e9 / timing->argument_bytes);
}

int Models() {
  for (const char* name : {"resnet50", "bert_base", "gpt2", "llama_2layer"}) {
    const std::filesystem::path file = fmt::format("fixtures/models/{}.mlirbc", name);
    if (!std::filesystem::exists(file)) continue;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const auto module = ReadModule(file, context);
    if (!module) return Fail(module.error());
    const Expected<Timing> timing = Time(module->get(), false, 0);
    if (!timing) return Fail(timing.error());
    const Expected<std::string> plain = Memory(module->get(), false);
    if (!plain) return Fail(plain.error());
    const Expected<std::string> bounded = Memory(module->get(), true);
    if (!bounded) return Fail(bounded.error());
    std::printf("%-42s %10.2f s, %.2f s of CPU   budget 10 s; peak %s, with bounds %s, budget 3\n",
                fmt::format("{} forward", name).c_str(), timing->wall, timing->cpu, plain->c_str(), bounded->c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  using namespace opbyop;
  if (argc == 2 && std::string_view(argv[1]) == "--models") return Models();
  for (int i = 1; i < argc; ++i) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const auto module = ReadModule(argv[i], context);
    if (!module) return Fail(module.error());
    const Expected<Timing> timing = Time(module->get(), false, 0.5);
    if (!timing) return Fail(timing.error());
    std::printf("%s %.9f\n", argv[i], timing->wall);
  }
  if (argc > 1) return 0;
  if (const int failed = Ops(); failed != 0) return failed;
  return Models();
}
