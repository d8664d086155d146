// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The worker's side of the protocol `opbyop-worker/1` (docs/worker-protocol.md). Derive from WorkerHandler, implement
// Handle, and call ServeWorker.
//
//   class Echo : public WorkerHandler {
//    public:
//     Reply Handle(const Request& request, StageEvents& events) override {
//       if (!std::holds_alternative<CompileVerb>(request.verb)) return Reply::Unsupported("it only compiles");
//       if (auto parsed = events.Run("parse", [&] { return Parse(request.file); }); !parsed) {
//         return Reply::Of(parsed.error());
//       }
//       events.Begin("codegen");              // or by hand, where Run does not fit
//       const bool ok = Generate();
//       events.End(ok ? Status::kPass : Status::kFail, "no kernel for f64");
//       Reply reply;
//       reply.payload["artifact_bytes"] = 1234;
//       return reply;
//     }
//   };
//   int main() { Echo echo; return ServeWorker({"target", "host", "LLVM 22.1.3"}, echo); }
//
// Anything that the worker or its libraries print on stdout or stderr goes to the parent's log and is not parsed. A
// handler that crashes, exits or hangs only fails its case, in the stage that started last.
#ifndef OPBYOP_PROTOCOL_WORKER_SERVER_H_
#define OPBYOP_PROTOCOL_WORKER_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "manifests/status/status.h"
#include "protocol/hello.h"
#include "protocol/request.h"
#include "support/expected.h"

namespace opbyop::protocol {

// The answer to a request. The members of `payload` are added to the `done` message.
struct Reply {
  Status status = Status::kPass;
  std::string diagnostic;
  nlohmann::json payload = nlohmann::json::object();

  static Reply Fail(std::string diagnostic) { return {Status::kFail, std::move(diagnostic)}; }
  static Reply Unsupported(std::string reason) { return {Status::kUnsupported, std::move(reason)}; }
  static Reply Of(const Error& error);  // unsupported for ExitCode::kUnsupported, else fail
};

// unsupported for ExitCode::kUnsupported, else fail.
Status StatusOf(const Error& error);

// Reports to the parent which stage is running. Only one stage at a time.
class StageEvents {
 public:
  StageEvents(int fd, int64_t id) : fd_(fd), id_(id) {}

  void Begin(std::string_view stage);

  // Ends the stage that started last. The event has the first line of the diagnostic; all lines go to stderr.
  void End(Status status = Status::kPass, std::string_view diagnostic = {});

  // Runs `body` between Begin and End. `body` returns Expected<T>; an error ends the stage as StatusOf says.
  template <typename Body>
  auto Run(std::string_view stage, Body&& body) {
    Begin(stage);
    auto result = body();
    if (result) {
      End();
    } else {
      End(StatusOf(result.error()), result.error().message);
    }
    return result;
  }

 private:
  int fd_;
  int64_t id_;
  std::string stage_;
  std::chrono::steady_clock::time_point begin_;
};

// False if this worker was started for another verb only: it must not require the tools of this one.
bool ServesVerb(std::string_view verb);

class WorkerHandler {
 public:
  virtual ~WorkerHandler() = default;
  virtual Reply Handle(const Request& request, StageEvents& events) = 0;
};

// Says hello and answers requests until stdin ends. Returns the exit code of main(). Call it before anything else uses
// stdin: the request pipe is moved to another descriptor and stdin becomes /dev/null, so that neither a library nor a
// child process can read requests or write replies.
int ServeWorker(const Hello& hello, WorkerHandler& handler);

// The same with given descriptors, for tests.
int ServeWorker(const Hello& hello, WorkerHandler& handler, int request_fd, int reply_fd);

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_WORKER_SERVER_H_
