// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/worker_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "protocol/frame.h"
#include "support/files/file.h"
#include "support/text/safe_text.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string DiagnosticLine(std::string_view text) {
  return SafeLine(text.substr(0, text.find('\n')), kMaxDiagnosticBytes);
}

// Sends the message. Ends the worker if its parent is gone, or if the message is too long; the log then says why.
void SendOrLeave(int fd, const Json& json) {
  const Expected<std::string> frame = EncodeFrame(Dump(json));
  if (!frame) {
    std::fprintf(stderr, "fatal error: %s\n", frame.error().message.c_str());
    std::_Exit(static_cast<int>(frame.error().code));
  }
  if (WriteAll(fd, *frame)) std::_Exit(static_cast<int>(ExitCode::kOk));
}

// Resets the peak of this process's memory, so that a reply says what its request needed.
void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

int64_t PeakRssKb() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

Status StatusOf(const Error& error) {
  return error.code == ExitCode::kUnsupported ? Status::kUnsupported : Status::kFail;
}

Reply Reply::Of(const Error& error) { return {StatusOf(error), error.message}; }

void StageEvents::Begin(std::string_view stage) {
  stage_ = stage;
  begin_ = std::chrono::steady_clock::now();
  const int64_t ns = std::chrono::duration_cast<std::chrono::nanoseconds>(begin_.time_since_epoch()).count();
  SendOrLeave(fd_, {{"id", id_}, {"event", "stage"}, {"stage", stage_}, {"state", "begin"}, {"ns", ns}});
}

void StageEvents::End(Status status, std::string_view diagnostic) {
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  Json event = {{"id", id_},      {"event", "stage"},           {"stage", stage_},
                {"state", "end"}, {"status", ToString(status)}, {"ms", ms}};
  if (status != Status::kPass && !diagnostic.empty()) {
    event["diagnostic"] = DiagnosticLine(diagnostic);
    std::fprintf(stderr, "%.*s\n", static_cast<int>(diagnostic.size()), diagnostic.data());
    std::fflush(stderr);
  }
  SendOrLeave(fd_, event);
}

bool ServesVerb(std::string_view verb) {
  const char* only = std::getenv(kOnlyVariable);
  return only == nullptr || *only == '\0' || verb == only;
}

int ServeWorker(const Hello& hello, WorkerHandler& handler, int request_fd, int reply_fd) {
  Json greeting = {{"event", "hello"},
                   {"protocol", kWorkerProtocol},
                   {"role", hello.role},
                   {"name", hello.name},
                   {"version", hello.version}};
  if (hello.cores > 0) greeting["cores"] = hello.cores;
  if (!hello.compile_only.empty()) greeting["compile_only"] = DiagnosticLine(hello.compile_only);
  if (!hello.properties.empty()) greeting["properties"] = hello.properties;
  if (hello.releases) greeting["releases"] = true;
  if (hello.devices != 1) greeting["devices"] = hello.devices;
  if (hello.ahead) greeting["ahead"] = true;
  if (hello.profiles) greeting["profiles"] = true;
  if (hello.shardings) greeting["shardings"] = true;
  SendOrLeave(reply_fd, greeting);
  while (true) {
    const Expected<std::optional<std::string>> frame = ReadFrame(request_fd);
    if (!frame) {
      std::fprintf(stderr, "%s\n", frame.error().message.c_str());
      return static_cast<int>(frame.error().code);
    }
    if (!frame->has_value()) return static_cast<int>(ExitCode::kOk);
    const Expected<Request> request = ParseRequest(**frame);
    if (!request) {
      std::fprintf(stderr, "%s\n", request.error().message.c_str());
      return static_cast<int>(request.error().code);
    }
    ForgetPeak();
    StageEvents events(reply_fd, request->id);
    Reply reply = handler.Handle(*request, events);
    Json done = std::move(reply.payload);
    if (!done.is_object()) done = Json::object();
    done["id"] = request->id;
    done["event"] = "done";
    done["status"] = ToString(reply.status);
    if (!reply.diagnostic.empty()) done["diagnostic"] = DiagnosticLine(reply.diagnostic);
    if (!done.contains("peak_rss_kb")) done["peak_rss_kb"] = PeakRssKb();
    SendOrLeave(reply_fd, done);
  }
}

int ServeWorker(const Hello& hello, WorkerHandler& handler) {
  const char* text = std::getenv(kReplyFdVariable);
  int reply_fd = -1;
  if (text != nullptr) {
    const char* end = text + std::strlen(text);
    if (std::from_chars(text, end, reply_fd).ptr != end) reply_fd = -1;
  }
  if (reply_fd < 0 || ::fcntl(reply_fd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr,
                 "this program is a worker: it is started by the conformance harness, which names an open descriptor "
                 "for replies in the environment variable %s (found %s)\n",
                 kReplyFdVariable, text == nullptr ? "none" : text);
    return static_cast<int>(ExitCode::kUsage);
  }
  ::unsetenv(kReplyFdVariable);
  const int request_fd = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int null_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (request_fd < 0 || null_fd < 0 || ::dup2(null_fd, STDIN_FILENO) < 0) {
    std::fprintf(stderr, "the request pipe could not be taken from stdin: %s\n", std::strerror(errno));
    return static_cast<int>(ExitCode::kInternal);
  }
  ::close(null_fd);
  return ServeWorker(hello, handler, request_fd, reply_fd);
}

}  // namespace opbyop::protocol
