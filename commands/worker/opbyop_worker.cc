// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-worker: the process in which compilers, devices and the reference run. It speaks `opbyop-worker/1`
// (docs/worker-protocol.md) with its parent process.
//
//   opbyop-worker --target manifests/targets/host.yaml
//   opbyop-worker --reference
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "commands/worker/loop_cutter.h"
#include "device/command/command_target.h"
#include "device/host/host_compiler.h"
#include "device/host/host_target.h"
#include "device/pipeline/mlir_pipeline_runner.h"
#include "device/target_registry.h"
#include "device/target_worker.h"
#include "device/worker/worker_executor.h"
#include "ir/register.h"
#include "manifests/targets/target.h"
#include "protocol/judging_limits.h"
#include "protocol/worker_server.h"
#include "reference/worker/freed_memory.h"
#include "reference/worker/reference_worker.h"
#include "support/machine_memory.h"

namespace {

int Refuse(const opbyop::Error& error) {
  fmt::print(stderr, "opbyop-worker: {}\n", error.message);
  return static_cast<int>(error.code);
}

opbyop::Expected<std::unique_ptr<opbyop::device::PipelineRunner>> MakePipelineRunner(const opbyop::Target& target) {
  opbyop::host::RegisterPipelinePasses();
  return opbyop::device::MlirPipelineRunner::Create(
      target, {.own = &opbyop::RegisterAllDialects, .lowering = &opbyop::host::RegisterLoweringDialects});
}

opbyop::device::TargetCreation CreateCommandTarget(const opbyop::Target& target) {
  return opbyop::command::CreateCommandTarget(target, &MakePipelineRunner);
}

opbyop::device::TargetCreation CreateWorkerTarget(const opbyop::Target& target) {
  return opbyop::worker::CreateWorkerTarget(target, &MakePipelineRunner);
}

int ServeTarget(const std::string& file) {
  auto target = opbyop::LoadTarget(file);
  if (!target) return Refuse(target.error());
  opbyop::device::TargetRegistry registry;
  registry.Add("host", &opbyop::host::CreateHostTarget);
  registry.Add("command", &CreateCommandTarget);
  registry.Add("none", &CreateCommandTarget);  // compiles, executes nothing
  registry.Add(std::string(opbyop::kWorkerDevice), &CreateWorkerTarget);
  opbyop::device::TargetCreation created = registry.Create(*target);
  if (const auto* error = std::get_if<opbyop::Error>(&created)) return Refuse(*error);
  if (const auto* unavailable = std::get_if<opbyop::device::Unavailable>(&created)) {
    return Refuse({opbyop::ExitCode::kNoInput, unavailable->reason});
  }
  opbyop::device::TargetWorker worker(std::move(std::get<opbyop::device::TargetParts>(created)));
  opbyop::protocol::Hello hello{"target", target->name, worker.Version(), worker.Cores(), worker.CompileOnly()};
  hello.devices = worker.Devices();
  hello.shardings = worker.Divides();
  hello.ahead = worker.Ahead();
  return opbyop::protocol::ServeWorker(hello, worker);
}

int ServeReference(const std::vector<std::filesystem::path>& definitions) {
  opbyop::Expected<opbyop::reference::Meanings> meanings = opbyop::reference::Meanings::Load(definitions);
  if (!meanings) return Refuse(meanings.error());
  const opbyop::reference::WorkLimits limits = {.bytes = opbyop::protocol::MostBytes(opbyop::MachineMemory())};
  opbyop::reference::KeepFreedMemory();
  opbyop::LoopCutter worker(limits, std::move(*meanings));
  return opbyop::protocol::ServeWorker(opbyop::reference::ReferenceWorker::MakeHello(), worker);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("opbyop-worker: compiles, runs and checks cases for a parent process");
  std::string target;
  bool reference = false;
  std::vector<std::filesystem::path> meanings;
  CLI::Option_group* role = app.add_option_group("role");
  role->add_option("--target", target, "target file: compile and execute");
  role->add_flag("--reference", reference, "generate inputs, evaluate and compare");
  role->require_option(1);
  app.add_option("--meaning", meanings, "definitions of custom calls, for --reference")->allow_extra_args(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    app.exit(error);
    return static_cast<int>(asked ? opbyop::ExitCode::kOk : opbyop::ExitCode::kUsage);
  }
  return reference ? ServeReference(meanings) : ServeTarget(target);
}
