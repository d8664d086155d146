// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In-process stages of command targets: MLIR pass pipelines over this project's dialects, or over those that the
// target's plugins bring.
//
//   auto runner = MlirPipelineRunner::Create(target, {.own = &RegisterAllDialects, .lowering = &RegisterMine});
//   (*runner)->Run(stage, "case.mlir", "dir/linalg.mlir");
//
// A plugin is a shared library for MLIR's --load-dialect-plugin and --load-pass-plugin, built against the same MLIR. If
// it registers a dialect with the name of one of this project's (upstream's own StableHLO, say), none of this project's
// dialects is registered: two dialects of one name cannot be in one context, and modules reach the plugin's dialects as
// text in any case.
#ifndef OPBYOP_DEVICE_PIPELINE_MLIR_PIPELINE_RUNNER_H_
#define OPBYOP_DEVICE_PIPELINE_MLIR_PIPELINE_RUNNER_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "device/pipeline_runner.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace mlir {
class DialectRegistry;
}

namespace opbyop::device {

// The functions that fill a registry, in two halves.
struct DialectSources {
  std::function<void(mlir::DialectRegistry&)> own;       // StableHLO and the other dialects of this project
  std::function<void(mlir::DialectRegistry&)> lowering;  // dialects that pipelines lower to
};

class MlirPipelineRunner : public PipelineRunner {
 public:
  // Returns kNoInput if a plugin does not load, kBadInput if a pipeline does not parse.
  static Expected<std::unique_ptr<PipelineRunner>> Create(const Target& target, const DialectSources& dialects);
  ~MlirPipelineRunner() override;

  std::string Version() const override;
  StageResult Run(const Stage& stage, const std::filesystem::path& input, const std::filesystem::path& output) override;

 private:
  struct State;
  explicit MlirPipelineRunner(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Registers the pass `opbyop-npy-main`, which wraps a case whose arguments are buffers into a program. `int main()`
// reads input_<i>.npy from the working folder, calls the case, and writes output_<i>.npy, through the two functions of
// libopbyop_npy.so. Arguments after the first `inputs` are results.
void RegisterNpyMainPass();

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PIPELINE_MLIR_PIPELINE_RUNNER_H_
