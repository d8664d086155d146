// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how fast files are read: the best of several repeats, without the time to start a process or make a context.
//
//   read_benchmark [FILE]...      # text, bytecode or artifacts; default: the committed models
//
// Prints a line per file: seconds, kind and name. validation/peers/read_baseline.py compares them with jaxlib's reader.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "ir/artifact_info.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"

namespace opbyop {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> Models() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("fixtures/models")) {
    if (entry.path().extension() == ".mlirbc") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

// Reads at least kLeast times, and as often as fits into kSeconds.
Expected<double> BestSeconds(const std::string& bytes, const std::string& name) {
  constexpr int kLeast = 5;
  constexpr double kSeconds = 0.3;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  double best = 0;
  double total = 0;
  for (int i = 0; i < kLeast || total < kSeconds; ++i) {
    Clock::time_point start = Clock::now();
    auto module = ReadModuleFromBytes(bytes, name, context);
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!module) return Unexpected(module.error());
    best = i == 0 ? seconds : std::min(best, seconds);
    total += seconds;
  }
  return best;
}

int Run(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    Expected<std::string> bytes = ReadFile(file);
    Expected<ArtifactInfo> info = bytes ? InspectArtifact(*bytes) : Expected<ArtifactInfo>(Unexpected(bytes.error()));
    Expected<double> seconds = info ? BestSeconds(*bytes, file) : Expected<double>(Unexpected(info.error()));
    if (!seconds) {
      std::cerr << seconds.error().message << '\n';
      return static_cast<int>(seconds.error().code);
    }
    std::cout << fmt::format("{:.6f}\t{}\t{}\n", *seconds, ToString(info->kind), file) << std::flush;
  }
  return 0;
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  return opbyop::Run(files.empty() ? opbyop::Models() : files);
}
