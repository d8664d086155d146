// Speed of splitting: walk + hash + deduplicate, and read + split + write, over models.
//
//   split_benchmark fixtures/models [REPEATS]
//
// Prints one line per figure against its budget; never fails on time.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "fmt/format.h"
#include "generator/canonical_hash.h"
#include "generator/model_list.h"
#include "generator/origins.h"
#include "generator/split_command.h"
#include "generator/walk.h"
#include "ir/read_module.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Figures {
  int64_t ops = 0;  // visited, each once however often it is called
  int64_t cases = 0;
  double hash_seconds = 0;
  double attribution_seconds = 0;
};

// Nothing is kept from one module to the next but the cases found, as in one split of many models.
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
  for (size_t i = 0; i < cases.size(); ++i) origins.Count(cases[i], walk->ops[i]);
  origins.Take("model");
  figures.attribution_seconds += SecondsSince(start);
  figures.ops += static_cast<int64_t>(walk->ops.size());
  return {};
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
  ExitCode code = RunSplit({.models = {models}, .output = folder, .quiet = true}, out, std::cerr);
  std::cout << fmt::format("read + split + write       {:>12.0f} ops/s   budget  55000\n", ops / SecondsSince(start));
  std::filesystem::remove_all(folder);
  return static_cast<int>(code);
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: split_benchmark MODELS [REPEATS]\n";
    return static_cast<int>(opbyop::ExitCode::kUsage);
  }
  int repeats = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 10;
  return opbyop::Run(argv[1], repeats);
}
