// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the speed of splitting models: walk + hash + deduplicate, and read + split + write. With --large it uses
// modules as large as the largest that users have.
//
//   split_benchmark fixtures/models [REPEATS]
//   split_benchmark --large
//
// Prints one line per figure with its budget; never fails because of time. Without arguments it does both, on
// fixtures/models.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <tuple>

#include "fmt/format.h"
#include "generator/program/canonical_hash.h"
#include "generator/split/model_list.h"
#include "generator/split/split_command.h"
#include "generator/walk/origins.h"
#include "generator/walk/walk.h"
#include "ir/read_module.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"

namespace opbyop::generator {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Figures {
  int64_t ops = 0;  // each visited op once, however often it is called
  int64_t cases = 0;
  double hash_seconds = 0;
  double attribution_seconds = 0;
};

// From one module to the next, only the index of cases is kept, as in one split of many models.
Expected<void> SplitInMemory(mlir::ModuleOp module, llvm::DenseMap<Digest, int32_t>& index, Figures& figures) {
  Clock::time_point start = Clock::now();
  Expected<Walk> walk = WalkProgram(module, "main");
  if (!walk) return Unexpected(walk.error());
  CanonicalHasher hasher(module);
  ConstantFolder folder(kDefaultFoldLimit);
  std::vector<int32_t> cases;
  cases.reserve(walk->ops.size());
  for (const ReachedOp& reached : walk->ops) {
    Expected<Digest> digest = hasher.HashCase(reached.op, FindInputs(reached.op, folder));
    if (!digest) return Unexpected(digest.error());
    cases.push_back(index.try_emplace(*digest, static_cast<int32_t>(index.size())).first->second);
  }
  figures.hash_seconds += SecondsSince(start);
  start = Clock::now();
  OriginTable origins(*walk);
  for (size_t i = 0; i < cases.size(); ++i) origins.Count(cases[i], walk->ops[i], {});
  origins.Take("model");
  figures.attribution_seconds += SecondsSince(start);
  figures.ops += static_cast<int64_t>(walk->ops.size());
  return {};
}

// The processor time of this process and of the children that read for it. Other work on the machine does not change
// it.
double CpuSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
  return seconds;
}

int Run(const std::string& models, int repeats) {
  Figures memory;
  Clock::time_point start = Clock::now();
  std::vector<std::unique_ptr<mlir::MLIRContext>> contexts;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  for (const ModelSource& source : ListModels({models})) {
    contexts.push_back(std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED));
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(source.file, *contexts.back());
    if (!module) {
      std::cerr << module.error().message << "\n";
      return static_cast<int>(module.error().code);
    }
    modules.push_back(std::move(*module));
  }
  double read = SecondsSince(start);
  for (int i = 0; i < repeats; ++i) {
    llvm::DenseMap<Digest, int32_t> index;
    for (auto& module : modules) {
      if (Expected<void> done = SplitInMemory(*module, index, memory); !done) {
        std::cerr << done.error().message << "\n";
        return static_cast<int>(done.error().code);
      }
    }
    memory.cases = static_cast<int64_t>(index.size());
  }
  int64_t ops = memory.ops / repeats;
  std::cout << fmt::format("{} models, {} ops, {} cases\n", modules.size(), ops, memory.cases);
  std::cout << fmt::format("read                       {:>12.0f} ops/s\n", ops / read);
  std::cout << fmt::format("walk + hash + deduplicate  {:>12.0f} ops/s   budget 100000\n",
                           memory.ops / memory.hash_seconds);
  std::cout << fmt::format("attribute                  {:>12.0f} ops/s\n", memory.ops / memory.attribution_seconds);

  std::filesystem::path folder = std::filesystem::temp_directory_path() / "opbyop_split_benchmark";
  std::filesystem::remove_all(folder);
  std::ostringstream out;
  start = Clock::now();
  double cpu = CpuSeconds();
  ExitCode code = RunSplit({.models = {models}, .output = folder, .quiet = true}, out, std::cerr);
  std::cout << fmt::format("read + split + write       {:>12.0f} ops/s   budget  55000   ({:.2f} s of CPU)\n",
                           ops / SecondsSince(start), CpuSeconds() - cpu);
  std::filesystem::remove_all(folder);
  return static_cast<int>(code);
}

int64_t PeakMegabytes() {
  rusage own{};
  rusage children{};
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  return std::max(own.ru_maxrss, children.ru_maxrss) >> 10;
}

// A module like AlphaFold's export: functions that are called, ops that repeat, and many constants, some of them large.
// It has `functions` x `lines` lines; three of ten are constants.
std::string LargeModule(int functions, int lines) {
  std::string main = "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n";
  std::string text;
  for (int f = 0; f < functions; ++f) {
    std::string before = f == 0 ? "%x" : fmt::format("%{}", f - 1);
    main += fmt::format("  %{} = call @f{}({}) : (tensor<64x64xf32>) -> tensor<64x64xf32>\n", f, f, before);
    text += fmt::format(
        "func.func private @f{}(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{\n  %v0 = stablehlo.abs %x "
        ": tensor<64x64xf32>\n",
        f);
    int value = 0;
    for (int line = 1; line + 3 < lines; line += 3) {
      std::string elements = fmt::format("{}.5", (f * lines + line) % 499);
      // One in a hundred has contents of its own: 16 KiB in hexadecimal.
      if (line % 300 == 1 && f % 5 == 0) {
        elements = "\"0x";
        for (int i = 0; i < 64 * 64; ++i) elements += fmt::format("{:08x}", (f * 7919 + line * 31 + i) & 0x3fffffff);
        elements += '"';
      }
      text += fmt::format(
          "  %c{0} = stablehlo.constant dense<{1}> : tensor<64x64xf32>\n"
          "  %a{0} = stablehlo.{2} %v{3}, %c{0} : tensor<64x64xf32>\n"
          "  %v{4} = stablehlo.tanh %a{0} : tensor<64x64xf32>\n",
          line, elements, line % 2 == 0 ? "add" : "multiply", value, value + 1);
      ++value;
    }
    text += fmt::format("  return %v{} : tensor<64x64xf32>\n}}\n", value);
  }
  return main + fmt::format("  return %{} : tensor<64x64xf32>\n}}\n", functions - 1) + text;
}

int RunLarge() {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "opbyop_split_benchmark";
  for (auto [name, functions, lines] :
       {std::tuple("68,000 lines, 22,500 constants", 200, 340), std::tuple("100,000 ops", 1000, 153)}) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::string text = LargeModule(functions, lines);
    std::filesystem::path model = folder / "large.mlir";
    if (Expected<void> done = WriteFile(model, text); !done) {
      std::cerr << done.error().message << "\n";
      return static_cast<int>(done.error().code);
    }
    Clock::time_point start = Clock::now();
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(model, context);
    double read = SecondsSince(start);
    Figures figures;
    llvm::DenseMap<Digest, int32_t> index;
    start = Clock::now();
    if (!module || !SplitInMemory(**module, index, figures)) {
      std::cerr << (module ? "the module does not split" : module.error().message) << "\n";
      return static_cast<int>(ExitCode::kInternal);
    }
    double split = SecondsSince(start);
    *module = {};
    std::ostringstream out;
    start = Clock::now();
    double cpu = CpuSeconds();
    ExitCode code = RunSplit({.models = {model.string()}, .output = folder / "out", .quiet = true}, out, std::cerr);
    if (code != ExitCode::kOk) return static_cast<int>(code);
    std::cout << fmt::format("{} ({:.1f} MB of text, {} ops, {} cases)\n", name, text.size() / 1e6, figures.ops,
                             index.size());
    std::cout << fmt::format(
        "  read {:.2f} s, walk + hash + deduplicate {:.2f} s, read + split + write {:.2f} s ({:.2f} s of CPU), peak "
        "{} MB   budget 5 s, 4096 MB\n",
        read, split, SecondsSince(start), CpuSeconds() - cpu, PeakMegabytes());
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace opbyop::generator

int main(int argc, char** argv) {
  std::string models = argc > 1 ? argv[1] : "fixtures/models";
  if (models == "--large") return opbyop::generator::RunLarge();
  int repeats = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 10;
  int code = opbyop::generator::Run(models, repeats);
  return code != 0 || argc > 1 ? code : opbyop::generator::RunLarge();
}
