// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-pjrt-worker: serves any PJRT plugin as a target. It speaks `opbyop-worker/1` (docs/worker-protocol.md) with
// the parent that started it. It links no MLIR, because the plugin may bring its own (docs/design/pjrt.md).
//
//   opbyop-pjrt-worker --target manifests/targets/xla-cpu-pjrt.yaml
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "device/pjrt/worker/artifact_writer.h"
#include "device/pjrt/worker/pjrt_worker.h"
#include "device/pjrt/worker/session.h"
#include "manifests/targets/target.h"
#include "protocol/worker_server.h"
#include "support/files/project_folder.h"
#include "support/process/process.h"

namespace {

using opbyop::Expected;

int Refuse(const opbyop::Error& error) {
  fmt::print(stderr, "opbyop-pjrt-worker: {}\n", error.message);
  return static_cast<int>(error.code);
}

// The output of --probe if there is no device.
constexpr std::string_view kAbsent = "device absent: ";

// The reason why a target with a topology has no device here; empty if it has one. The target file may declare it; if
// not, another process tries it, because a plugin may crash on the attempt.
std::string AbsentDevice(const opbyop::Target& target) {
  if (target.topology.empty()) return "";
  if (std::string declared = opbyop::WhyCompileOnly(target); !declared.empty()) return declared;
  constexpr std::chrono::seconds kPatience(20);
  const std::string program = (opbyop::ProgramFolder() / "opbyop-pjrt-worker").string();
  const Expected<std::string> probed =
      opbyop::RunCommand({program, "--target", target.path.string(), "--probe"}, kPatience);
  const std::string output = probed ? *probed : std::string(kAbsent) + "the plugin died of making a client";
  const size_t at = output.find(kAbsent);
  if (at == std::string::npos) return "";
  const size_t begin = at + kAbsent.size();
  return output.substr(begin, output.find('\n', begin) - begin);
}

int Probe(const opbyop::Target& target) {
  const Expected<void> probed = opbyop::pjrt::Session::ProbeDevice(target);
  // The result is printed first, because some plugins end the process in their destructors.
  fmt::print("{}{}\n", probed ? "device present" : kAbsent, probed ? "" : probed.error().message);
  std::fflush(stdout);
  std::_Exit(0);
}

int Serve(const opbyop::Target& target) {
  auto session = opbyop::pjrt::Session::Open(target, AbsentDevice(target));
  if (!session) return Refuse(session.error());
  std::unique_ptr<opbyop::pjrt::ArtifactWriter> writer;
  if (opbyop::protocol::ServesVerb("compile")) {
    auto started = opbyop::pjrt::ArtifactWriter::Start(opbyop::ProgramFolder() / "opbyop-artifact-writer");
    if (!started) return Refuse(started.error());
    writer = std::move(*started);
  }
  const opbyop::protocol::Hello hello = (*session)->MakeHello();
  opbyop::pjrt::PjrtWorker worker(std::move(*session), std::move(writer));
  return opbyop::protocol::ServeWorker(hello, worker);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("opbyop-pjrt-worker: compiles and runs cases through a PJRT plugin for a parent process");
  std::string file;
  bool probe = false;
  app.add_option("--target", file, "target file of device kind pjrt")->required();
  app.add_flag("--probe", probe, "only print whether the plugin has a device here");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    app.exit(error);
    return static_cast<int>(asked ? opbyop::ExitCode::kOk : opbyop::ExitCode::kUsage);
  }
  const Expected<opbyop::Target> target = opbyop::LoadTarget(file);
  if (!target) return Refuse(target.error());
  return probe ? Probe(*target) : Serve(*target);
}
