// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how fast the reference evaluates single ops, whole models, or given programs. Prints figures next to their
// budgets.
//
//   reference_benchmark              // ops, then fixtures/models if the working folder has it
//   reference_benchmark --models     // only the models
//   reference_benchmark --functions  // ns of one core per value, to judge functions of f32: as a case, and in bulk
//   reference_benchmark FILE...      // one line "FILE SECONDS" per file: the best of several runs with seeded inputs
//   reference_benchmark --memory FILE | --memory-with-bounds FILE      // memory of a process that does nothing else
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/bounds/compare.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {
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

// Reads a field of /proc/self/status, in gigabytes: "VmRSS" is the current resident memory, "VmHWM" its peak.
double ResidentGigabytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) * 1024 / 1e9;
  }
  return 0;
}

struct RunTime {
  double wall = 0;  // seconds of the fastest run
  double cpu = 0;
  double argument_bytes = 0;  // as the program's types store them
};

Expected<RunTime> Time(mlir::ModuleOp module, bool bounds, double budget) {
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  Values arguments;
  RunTime best;
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
  const char* unit;  // unit of `amount`
  double amount;     // amount of work, in millions
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
    {"dot_general 128x4096 by 4096x4096 bf16", "M multiply-adds", 2147.483648,
     R"(func.func @main(%a: tensor<128x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<128x4096xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<128x4096xbf16>
  return %0 : tensor<128x4096xbf16>
})"},
    {"dot_general 1x4096 by 4096x4096 bf16", "M multiply-adds", 16.777216,
     R"(func.func @main(%a: tensor<1x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<1x4096xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<1x4096xbf16>
  return %0 : tensor<1x4096xbf16>
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
    const Expected<RunTime> value = Time(module->get(), false, 0.5);
    if (!value) return Fail(value.error());
    const Expected<RunTime> bounded = Time(module->get(), true, 0.5);
    if (!bounded) return Fail(bounded.error());
    std::printf("%-42s %12.3f %12.3f   %.0f %s/s\n", program.what, value->wall * 1e3, bounded->wall * 1e3,
                program.amount / value->wall, program.unit);
    std::fflush(stdout);
  }
  return 0;
}

// Measures the peak of resident memory while a model is evaluated, without that of the parsed program. Arguments count.
Expected<std::string> Memory(const std::filesystem::path& file, bool bounds) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModule(file, context);
  if (!module) return Unexpected(module.error());
  const double before = ResidentGigabytes("VmRSS");
  const Expected<RunTime> timing = Time(module->get(), bounds, 0);
  if (!timing) return Unexpected(timing.error());
  const double peak = ResidentGigabytes("VmHWM") - before;
  const double live = EstimateWork(module->get()).live_bytes / 1e9;
  return fmt::format("{:.2f} GB, {:.1f} times the {:.2f} GB alive at once ({:.2f} GB of it arguments)", peak,
                     peak / live, live, timing->argument_bytes / 1e9);
}

// Measures the memory in a separate process, because a heap that was used before keeps some memory.
std::string MemoryAlone(const std::filesystem::path& file, bool bounds) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::FILE* out =
      ::popen(fmt::format("'{}' --memory{} '{}'", self, bounds ? "-with-bounds" : "", file.string()).c_str(), "r");
  std::array<char, 256> line = {};
  const bool read = out != nullptr && std::fgets(line.data(), line.size(), out) != nullptr;
  if (out != nullptr) ::pclose(out);
  std::string text = read ? line.data() : "not measured";
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// This many values fit the cache of a core, together with their results and bounds (commands/exhaust/chunk_judge.cc).
constexpr int64_t kBulk = int64_t{1} << 14;

// Returns the processor time per value, in ns, to judge `values` values of f32, spread over all bit patterns, `block`
// at a time.
Expected<double> JudgeFunction(const char* op, int64_t values, int64_t block, bool bulk) {
  const std::string text = fmt::format(
      "func.func @main(%a: tensor<{0}xf32>) -> tensor<{0}xf32> {{\n  %0 = \"{1}\"(%a) : (tensor<{0}xf32>) -> "
      "tensor<{0}xf32>\n  return %0 : tensor<{0}xf32>\n}}\n",
      block, op);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, op, context);
  if (!module) return Unexpected(module.error());
  const Expected<mlir::Operation*> entry = EntryOf(**module);
  if (!entry) return Unexpected(entry.error());
  double seconds = 0;
  for (int64_t at = 0; at < values; at += block) {
    std::vector<uint32_t> codes(static_cast<size_t>(block));
    for (int64_t i = 0; i < block; ++i) {
      codes[static_cast<size_t>(i)] = static_cast<uint32_t>((at + i) * ((int64_t{1} << 32) / values));
    }
    const auto run = [&](bool bounds) -> Expected<Tensor> {
      Values arguments;
      Expected<Tensor> argument = TensorFromBytes(ElementType::kF32, {block}, std::as_bytes(std::span(codes)));
      if (!argument) return argument;
      arguments.emplace_back(std::move(*argument));
      Evaluator evaluator(**module, {.bounds = bounds});
      const Expected<Values> results = evaluator.CallFunction(*entry, std::move(arguments));
      if (!results) return Unexpected(results.error());
      return (*results)[0].tensor();
    };
    const Expected<Tensor> device = run(false);
    if (!device) return Unexpected(device.error());
    const std::vector<std::byte> output = TensorToBytes(*device);
    const double before = CpuSeconds();
    const Expected<Tensor> expected = run(true);
    if (!expected) return Unexpected(expected.error());
    const bool accepted =
        bulk ? ErrorsIfAccepted(*expected, output).has_value() : CompareOutput(0, *expected, output)->accepted;
    seconds += CpuSeconds() - before;
    if (!accepted) return MakeError(ExitCode::kInternal, fmt::format("{} is refused its own results", op));
  }
  return seconds * 1e9 / static_cast<double>(values);
}

int Functions() {
  constexpr int64_t kValues = int64_t{1} << 22;
  constexpr int64_t kCase = int64_t{1} << 20;
  std::printf("%-34s %16s %16s   %s\n", "function of f32", "as a case, ns", "in bulk, ns", "2^32 in bulk");
  for (const char* op : {"stablehlo.sqrt", "stablehlo.exponential", "stablehlo.log", "stablehlo.tanh", "stablehlo.sine",
                         "chlo.erf", "chlo.erf_inv", "chlo.lgamma", "chlo.digamma", "chlo.bessel_i1e"}) {
    const Expected<double> whole = JudgeFunction(op, kValues, kCase, false);
    if (!whole) return Fail(whole.error());
    const Expected<double> bulk = JudgeFunction(op, kValues, kBulk, true);
    if (!bulk) return Fail(bulk.error());
    std::printf("%-34s %16.1f %16.1f   %.0f s of CPU\n", op, *whole, *bulk, *bulk * 0x1p32 * 1e-9);
    std::fflush(stdout);
  }
  return 0;
}

int Models() {
  for (const char* name : {"resnet50", "bert_base", "gpt2", "llama_2layer"}) {
    const std::filesystem::path file = fmt::format("fixtures/models/{}.mlirbc", name);
    if (!std::filesystem::exists(file)) continue;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const auto module = ReadModule(file, context);
    if (!module) return Fail(module.error());
    const Expected<RunTime> timing = Time(module->get(), false, 0);
    if (!timing) return Fail(timing.error());
    fmt::print("{:<42} {:10.2f} s, {:.2f} s of CPU; budget 10 s\n", fmt::format("{} forward", name), timing->wall,
               timing->cpu);
    fmt::print("  peak {}; budget 3\n", MemoryAlone(file, false));
    fmt::print("  with bounds {}; budget 3\n", MemoryAlone(file, true));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace opbyop::reference

int main(int argc, char** argv) {
  using namespace opbyop;
  using namespace opbyop::reference;
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (argc == 2 && what == "--models") return Models();
  if (argc == 2 && what == "--functions") return Functions();
  if (argc == 3 && (what == "--memory" || what == "--memory-with-bounds")) {
    const Expected<std::string> memory = Memory(argv[2], what == "--memory-with-bounds");
    if (!memory) return Fail(memory.error());
    fmt::print("{}\n", *memory);
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const auto module = ReadModule(argv[i], context);
    if (!module) return Fail(module.error());
    const Expected<RunTime> timing = Time(module->get(), false, 0.5);
    if (!timing) return Fail(timing.error());
    std::printf("%s %.9f\n", argv[i], timing->wall);
  }
  if (argc > 1) return 0;
  if (const int failed = Ops(); failed != 0) return failed;
  return Models();
}
