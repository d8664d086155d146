// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the cases per second of the host target at small shapes, and the time of each stage.
//
//   build/bin/host_benchmark manifests/targets/host.yaml [CASE.mlir...]
//
// Measures CPU time, not wall time: the figure is per core. Without files, it runs a few small ops of real models.
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "device/host/artifact.h"
#include "device/host/host_target.h"
#include "support/dtype.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace {

double CpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

class StageClock : public opbyop::device::StageListener {
 public:
  void Begin(std::string_view) override { begin_ = CpuMilliseconds(); }
  void End(std::string_view stage, const opbyop::device::StageResult&) override {
    total[std::string(stage)] += CpuMilliseconds() - begin_;
  }
  std::map<std::string, double> total;

 private:
  double begin_ = 0;
};

constexpr const char* kSamples[] = {
    "func.func @main(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>) -> tensor<8x128xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8x128xf32>\n  return %0 : tensor<8x128xf32>\n}\n",
    "func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {\n"
    "  %0 = stablehlo.tanh %a : tensor<8x128xf32>\n  return %0 : tensor<8x128xf32>\n}\n",
    "func.func @main(%a: tensor<128xf32>) -> tensor<8x128xf32> {\n"
    "  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<128xf32>) -> tensor<8x128xf32>\n"
    "  return %0 : tensor<8x128xf32>\n}\n",
    "func.func @main(%a: tensor<8x16x8xf32>) -> tensor<8x8x16xf32> {\n"
    "  %0 = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<8x16x8xf32>) -> tensor<8x8x16xf32>\n"
    "  return %0 : tensor<8x8x16xf32>\n}\n",
    "func.func @main(%a: tensor<8x128xf32>, %b: tensor<f32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1]"
    " : (tensor<8x128xf32>, tensor<f32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n",
    "func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x32xf32>) -> tensor<8x32xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]"
    " : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>\n  return %0 : tensor<8x32xf32>\n}\n",
};

int Run(const std::string& target_file, std::vector<std::string> files) {
  auto target = opbyop::LoadTarget(target_file);
  if (!target) return fmt::print(stderr, "{}\n", target.error().message), 1;
  opbyop::device::TargetCreation created = opbyop::host::CreateHostTarget(*target);
  if (auto* error = std::get_if<opbyop::Error>(&created)) return fmt::print(stderr, "{}\n", error->message), 1;
  auto& parts = std::get<opbyop::device::TargetParts>(created);
  const auto dir = std::filesystem::temp_directory_path() / fmt::format("opbyop-host-benchmark-{}", getpid());
  std::filesystem::create_directories(dir);
  if (files.empty()) {
    for (const char* sample : kSamples) {
      const auto path = dir / fmt::format("sample{}.mlir", files.size());
      if (!opbyop::WriteFile(path, sample)) return 1;
      files.push_back(path.string());
    }
  }
  const int rounds = std::max(1, 240 / static_cast<int>(files.size()));
  double measured = 0;
  int cases = 0;
  StageClock clock;
  for (int round = -1; round < rounds; ++round) {
    for (const std::string& file : files) {
      std::string artifact;
      const auto compiled = parts.compiler->Compile({.case_id = file, .file = file, .dir = dir}, clock, artifact);
      if (!compiled.passed()) return fmt::print(stderr, "{}: {}\n", file, compiled.diagnostic), 1;
      auto read = opbyop::host::ReadArtifact(artifact);
      for (size_t i = 0; read && i < read->signature.inputs.size(); ++i) {
        const auto& type = read->signature.inputs[i];
        const std::vector<std::byte> zeros(*opbyop::NumElements(type) * *opbyop::DtypeBytes(type.dtype));
        if (!opbyop::WriteNpy(dir / fmt::format("input_{}.npy", i), type, zeros)) return 1;
      }
      clock.Begin("load");
      const auto loaded = parts.device->Load(artifact);
      clock.End("load", loaded);
      opbyop::Timing timing;
      clock.Begin("execute");
      const auto ran = parts.device->Execute({.dir = dir}, timing);
      clock.End("execute", ran);
      if (!loaded.passed() || !ran.passed())
        return fmt::print(stderr, "{}: {}{}\n", file, loaded.diagnostic, ran.diagnostic), 1;
      ++cases;
    }
    if (round < 0) {
      clock.total.clear();
      cases = 0;
    }
  }
  for (const auto& [stage, ms] : clock.total) {
    fmt::print("{:24} {:8.3f} ms per case\n", stage, ms / cases);
    measured += ms;
  }
  fmt::print("{:24} {:8.3f} ms per case, {:.0f} cases/s per core\n", "all", measured / cases, 1e3 * cases / measured);
  std::filesystem::remove_all(dir);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "usage: host_benchmark TARGET.yaml [CASE.mlir...]\n"), 2;
  return Run(argv[1], {argv + 2, argv + argc});
}
