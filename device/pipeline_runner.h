// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the stages of a target that are MLIR pass pipelines, for targets whose other stages are commands.
//
//   StageResult result = runner.Run(stage, "case.mlir", "dir/linalg.mlir");
//
// This is an interface, so that folders which only start programs need no MLIR.
#ifndef OPBYOP_DEVICE_PIPELINE_RUNNER_H_
#define OPBYOP_DEVICE_PIPELINE_RUNNER_H_

#include <filesystem>
#include <string>

#include "device/target_compiler.h"
#include "manifests/targets/target.h"

namespace opbyop::device {

class PipelineRunner {
 public:
  virtual ~PipelineRunner() = default;

  // Name and version of the compiler: part of the cache key.
  virtual std::string Version() const = 0;

  // Reads `input`, runs `stage.pipeline` and writes the module to `output` as text.
  virtual StageResult Run(const Stage& stage, const std::filesystem::path& input,
                          const std::filesystem::path& output) = 0;
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_PIPELINE_RUNNER_H_
