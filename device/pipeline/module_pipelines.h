// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The stages of a target that are MLIR pass pipelines: parsed once, run on one module after another.
//
//   auto pipelines = ModulePipelines::Create(stages, registry, VerifyAfter::kStage);
//   Expected<mlir::MLIRContext*> context = (*pipelines)->Context();    // once for each module
//   auto module = ReadModule("case.mlir", **context);
//   StageResult result = (*pipelines)->Run("lower", **module);
#ifndef OPBYOP_DEVICE_PIPELINE_MODULE_PIPELINES_H_
#define OPBYOP_DEVICE_PIPELINE_MODULE_PIPELINES_H_

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>

#include <memory>
#include <string_view>
#include <vector>

#include "device/target_compiler.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::device {

// When the module is verified. A pass of another project may leave a module that the next pass would crash on; this
// project's passes are trusted until the stage ends, which costs a tenth.
enum class VerifyAfter { kPass, kStage };

class ModulePipelines {
 public:
  // Returns kBadInput if the pipeline of a stage does not parse. Stages without a pipeline are skipped.
  static Expected<std::unique_ptr<ModulePipelines>> Create(const std::vector<Stage>& stages,
                                                           const mlir::DialectRegistry& registry, VerifyAfter verify);
  ~ModulePipelines();

  // The context for the next module; all earlier modules must have been destroyed. It is replaced by a fresh one from
  // time to time, because attributes and types are never freed from a context, and a worker lives long.
  Expected<mlir::MLIRContext*> Context();

  // Runs the pipeline of a stage on a module of the current context. The result is unsupported if a pass says so
  // (refusal.h).
  StageResult Run(std::string_view stage, mlir::ModuleOp module);

 private:
  struct State;
  explicit ModulePipelines(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PIPELINE_MODULE_PIPELINES_H_
