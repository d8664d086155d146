// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Targets whose stages are programs: any compiler with a command line can be described in a YAML file.
//
//   registry.Add("command", [&](const Target& target) { return CreateCommandTarget(target, MakePipelineRunner); });
//
// A stage with `command` starts a program; a stage with `pipeline` runs in this process through the given runner. Each
// stage reads the file that the stage before it wrote. `load` may have a command; without one it checks the artifact.
// `execute` reads input_<i>.npy and writes output_<i>.npy in {dir}; a timing.json there ({"n", "min_us", "median_us",
// "p95_us"}) is the device's own time.
#ifndef OPBYOP_DEVICE_COMMAND_COMMAND_TARGET_H_
#define OPBYOP_DEVICE_COMMAND_COMMAND_TARGET_H_

#include <functional>
#include <memory>

#include "device/pipeline_runner.h"
#include "device/target_registry.h"
#include "support/expected.h"

namespace opbyop::command {

using PipelineRunnerFactory = std::function<Expected<std::unique_ptr<device::PipelineRunner>>(const Target&)>;

// Returns Unavailable if a program of a stage is not in PATH or an {env:NAME} is not set, and kBadInput if a stage has
// neither a command nor a pipeline. `make_runner` is called only for targets that have a pipeline.
device::TargetCreation CreateCommandTarget(const Target& target, const PipelineRunnerFactory& make_runner);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_COMMAND_TARGET_H_
