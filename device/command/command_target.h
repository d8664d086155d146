// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Targets whose stages are programs: any compiler with a command line, through a YAML file alone.
//
//   registry.Add("command", [&](const Target& target) { return CreateCommandTarget(target, MakePipelineRunner); });
//
// Stages with `command` start a program each; stages with `pipeline` run in process through the given runner;
// each reads what the one before it left. `load` may have a command; without one it checks the artifact.
// `execute` reads input_<i>.npy and leaves output_<i>.npy in {dir}; a timing.json there ({"n", "min_us",
// "median_us", "p95_us"}) is the device's own time.
#ifndef OPBYOP_DEVICE_COMMAND_COMMAND_TARGET_H_
#define OPBYOP_DEVICE_COMMAND_COMMAND_TARGET_H_

#include <functional>
#include <memory>

#include "device/pipeline_runner.h"
#include "device/target_registry.h"
#include "support/expected.h"

namespace opbyop::command {

using PipelineRunnerFactory = std::function<Expected<std::unique_ptr<device::PipelineRunner>>(const Target&)>;

// Unavailable where a program of a stage is not in PATH or an {env:NAME} is not set; kBadInput where a stage has
// neither command nor pipeline. `make_runner` is called only for targets that have a pipeline.
device::TargetCreation CreateCommandTarget(const Target& target, const PipelineRunnerFactory& make_runner);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_COMMAND_TARGET_H_
