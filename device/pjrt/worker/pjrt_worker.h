// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Serves a PJRT plugin through the worker protocol: the stages parse, compile, load and execute.
//
//   PjrtWorker worker(std::move(session), std::move(writer));
//   return protocol::ServeWorker(hello, worker);
//
// Inputs and outputs stay on the device for all repetitions; inputs are read back after the last one. The inputs of a
// program that donates them are passed as not to be donated; if the plugin consumes them nevertheless, they are
// transferred again.
#ifndef OPBYOP_DEVICE_PJRT_WORKER_PJRT_WORKER_H_
#define OPBYOP_DEVICE_PJRT_WORKER_PJRT_WORKER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/pjrt/worker/artifact_writer.h"
#include "device/pjrt/worker/case_division.h"
#include "device/pjrt/worker/clock_reader.h"
#include "device/pjrt/worker/compile_message.h"
#include "device/pjrt/worker/saved_executable.h"
#include "device/pjrt/worker/session.h"
#include "protocol/worker_server.h"

namespace opbyop::pjrt {

class PjrtWorker : public protocol::WorkerHandler {
 public:
  // `writer` is null if nothing will be compiled.
  PjrtWorker(std::unique_ptr<Session> session, std::unique_ptr<ArtifactWriter> writer)
      : session_(std::move(session)),
        writer_(std::move(writer)),
        stages_(PluginStages(session_->target())),
        clock_(session_->api()) {}

  protocol::Reply Handle(const protocol::Request& request, protocol::StageEvents& events) override;

 private:
  struct Case {
    std::string id;
    Compiled compiled;
    size_t outputs = 0;
    std::vector<int64_t> donated;
    int64_t artifact_bytes = 0;  // size of the generated code; 0 if the plugin does not report it
    std::string ttnn;            // the TTNN text that the compiler left; empty without one
    CaseDivision division;
  };

  protocol::Reply Compile(const protocol::Request& request, const protocol::CompileVerb& compile,
                          protocol::StageEvents& events);
  protocol::Reply Execute(const protocol::Request& request, const protocol::ExecuteVerb& execute,
                          protocol::StageEvents& events);
  Expected<std::string> Parse(const protocol::Request& request, const protocol::CompileVerb& compile,
                              std::vector<int64_t>& donated);
  Expected<void> CompileCase(const protocol::Request& request, const protocol::CompileVerb& compile,
                             const std::string& artifact, Case& made, size_t& failed_stage);
  // Runs the whole compilation as the target's stages, which end with the one that the plugin's message names.
  Expected<void> RunStages(protocol::StageEvents& events, const std::function<Expected<void>(size_t&)>& compile);
  Expected<void> Save(const protocol::Request& request, const protocol::CompileVerb& compile, const Case& made) const;
  Expected<void> CheckVersion(const SavedExecutable& saved) const;
  void Forget();
  void RenewClient();
  Expected<void> LoadSaved(const protocol::Request& request, const std::filesystem::path& artifact);

  std::unique_ptr<Session> session_;
  std::unique_ptr<ArtifactWriter> writer_;
  std::vector<const Stage*> stages_;  // of the compilation, without `parse`
  ClockReader clock_;
  std::shared_ptr<Case> last_;
  std::map<std::string, std::shared_ptr<Case>> kept_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_PJRT_WORKER_H_
