// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/worker/worker_executor.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>
#include <variant>

#include "device/command/placeholders.h"
#include "protocol/hello.h"

namespace opbyop::worker {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using protocol::Reply;
using protocol::WorkerMessage;

// The exit code of a worker that is not installed; a shell that does not find the worker exits with kNotFound.
constexpr int kNotInstalled = static_cast<int>(ExitCode::kNoInput);
constexpr int kNotFound = 127;

std::string LastLine(const LogTail& log) {
  const std::vector<std::string> lines = log.Lines(1);
  return lines.empty() ? "" : lines.back();
}

Reply ReplyOf(const protocol::Done& done) {
  Reply reply;
  reply.status = done.status;
  reply.diagnostic = done.diagnostic;
  const protocol::DoneFields& fields = done.fields;
  if (fields.artifact_bytes) reply.payload["artifact_bytes"] = *fields.artifact_bytes;
  if (fields.timing.n > 0) reply.payload["timing"] = fields.timing;
  if (!fields.spans.empty()) reply.payload["spans"] = fields.spans;
  if (fields.longest_ns > 0) reply.payload["longest_ns"] = fields.longest_ns;
  if (done.peak_rss_kb > 0) reply.payload["peak_rss_kb"] = done.peak_rss_kb;
  return reply;
}

}  // namespace

Expected<std::unique_ptr<WorkerExecutor>> WorkerExecutor::Start(WorkerOptions options) {
  std::unique_ptr<WorkerExecutor> executor(new WorkerExecutor(std::move(options)));
  const std::optional<Ended> ended = executor->Launch();
  if (!ended) return executor;
  const int code = ended->exit && ended->exit->signal == 0 ? ended->exit->code : 0;
  if (code != kNotInstalled && code != kNotFound) return MakeError(ExitCode::kInternal, ended->why);
  executor->compile_only_ = ended->why;
  return executor;
}

WorkerExecutor::~WorkerExecutor() {
  if (process_ == nullptr) return;
  // A device that is not closed may be unusable for the next process that opens it.
  process_->CloseRequests();
  process_->WaitFor(std::chrono::milliseconds(static_cast<int64_t>(options_.grace_s * 1000)));
  PassOnLog();
}

std::optional<WorkerExecutor::Ended> WorkerExecutor::Launch() {
  ProcessOptions spawn{.argv = options_.argv};
  spawn.environment[protocol::kReplyFdVariable] = std::to_string(kReplyFd);
  Expected<std::unique_ptr<Process>> process = Process::Spawn(spawn);
  if (!process) return Ended{process.error().message, Exit{.code = kNotFound}};
  process_ = std::move(*process);
  reader_ = {};
  WorkerMessage message;
  if (auto ended = Receive(options_.hello_timeout_s, message)) {
    const int code = ended->exit && ended->exit->signal == 0 ? ended->exit->code : 0;
    if (code == kNotInstalled || code == kNotFound) {
      // The worker's own words are the whole message.
      const size_t colon = ended->why.find(": ");
      if (colon != std::string::npos) ended->why.erase(0, colon + 2);
    }
    return ended;
  }
  const auto* greeting = std::get_if<protocol::Greeting>(&message.body);
  if (greeting == nullptr || greeting->protocol != protocol::kWorkerProtocol || greeting->hello.role != "target") {
    return End(fmt::format("does not greet as a target worker of {}", protocol::kWorkerProtocol));
  }
  compile_only_ = greeting->hello.compile_only;
  return std::nullopt;
}

Reply WorkerExecutor::Execute(const protocol::Request& request, protocol::StageEvents& events) {
  bool open = false;
  const auto lost = [&](const Ended& ended) {
    if (!open) events.Begin(kLoadStage);
    events.End(Status::kCrash, ended.why);
    return Reply{Status::kCrash, ended.why};
  };
  last_line_.clear();
  if (process_ == nullptr) {
    if (const auto ended = Launch()) return lost(*ended);
  }
  const Expected<std::string> frame = protocol::EncodeFrame(protocol::ToJson(request));
  if (!frame) return Reply::Of(frame.error());
  if (!Send(*frame)) return lost(End("closed its input"));
  while (true) {
    WorkerMessage message;
    if (const auto ended = Receive(-1, message)) return lost(*ended);
    if (message.id != request.id) return lost(End("broke the protocol: it answered another request"));
    if (const auto* begin = std::get_if<protocol::StageBegin>(&message.body)) {
      if (open) return lost(End(fmt::format("broke the protocol: it began {} within another stage", begin->stage)));
      open = true;
      events.Begin(begin->stage);
    } else if (const auto* end = std::get_if<protocol::StageEnd>(&message.body)) {
      if (!open) return lost(End(fmt::format("broke the protocol: it ended {}, which had not started", end->stage)));
      open = false;
      events.End(end->status, end->diagnostic);
    } else if (const auto* done = std::get_if<protocol::Done>(&message.body)) {
      if (open) return lost(End("broke the protocol: it was done within a stage"));
      PassOnLog();
      return ReplyOf(*done);
    } else {
      return lost(End("broke the protocol: it greeted twice"));
    }
  }
}

bool WorkerExecutor::Send(const std::string& frame) {
  for (size_t written = 0; written < frame.size();) {
    const ssize_t count = ::write(process_->request_fd(), frame.data() + written, frame.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd room{process_->request_fd(), POLLOUT, 0};
      ::poll(&room, 1, 100);
      PassOnLog();  // the worker may be waiting for room to print
      if (process_->Poll()) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::optional<WorkerExecutor::Ended> WorkerExecutor::Receive(double timeout_s, WorkerMessage& message) {
  const Clock::time_point limit = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000));
  std::array<char, 64 << 10> buffer;
  while (true) {
    if (const std::optional<std::string> frame = reader_.Next()) {
      Expected<WorkerMessage> parsed = protocol::ParseWorkerMessage(*frame);
      if (!parsed) return End("broke the protocol: it " + parsed.error().message);
      message = std::move(*parsed);
      return std::nullopt;
    }
    if (reader_.broken()) return End("broke the protocol: it announced a message that is too long");
    if (timeout_s >= 0 && Clock::now() > limit) return End(fmt::format("said nothing for {:g} s", timeout_s));
    std::array<pollfd, 2> ready = {pollfd{process_->reply_fd(), POLLIN, 0}, pollfd{process_->log_fd(), POLLIN, 0}};
    ::poll(ready.data(), ready.size(), 1000);
    if (ready[1].revents != 0) PassOnLog();
    if (ready[0].revents == 0) continue;
    const ssize_t count = ::read(process_->reply_fd(), buffer.data(), buffer.size());
    if (count > 0) reader_.Append(std::string_view(buffer.data(), static_cast<size_t>(count)));
    if (count == 0) return End("");
  }
}

// Ends a worker that stopped in the middle of a request, or that has to be stopped. `why` says what it did, and is
// empty if it ended by itself.
WorkerExecutor::Ended WorkerExecutor::End(std::string why) {
  std::optional<Exit> exit;
  if (why.empty()) {
    exit = process_->WaitFor(std::chrono::seconds(5));
    why = !exit ? "closed its reply pipe" : (exit->signal != 0 ? "died of " : "ended with ") + exit->Describe();
  }
  PassOnLog();
  if (!last_line_.empty()) why += ": " + last_line_;
  process_.reset();
  return {"the device's worker " + why, exit};
}

// Copies the worker's output to this process's log as soon as it is printed: a worker that hangs is ended by ending
// this process.
void WorkerExecutor::PassOnLog() {
  process_->DrainLog();
  if (std::string said = LastLine(process_->log()); !said.empty()) last_line_ = std::move(said);
  const std::string_view text = process_->log().text();
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  process_->log().Clear();
}

device::TargetCreation CreateWorkerTarget(const Target& target, const command::PipelineRunnerFactory& make_runner) {
  device::TargetCreation created = command::CreateCommandTarget(target, make_runner);
  auto* parts = std::get_if<device::TargetParts>(&created);
  if (parts == nullptr) return created;
  parts->device = nullptr;
  if (!protocol::ServesVerb("execute")) return created;
  for (const std::string& argument : target.device.worker) {
    if (const auto missing = command::MissingVariable(argument)) {
      return device::Unavailable{*missing + "; the device's worker needs it"};
    }
  }
  const std::string folder = fs::absolute(target.path).parent_path().string();
  WorkerOptions options{.argv = command::Expand(target.device.worker, {.target_dir = folder})};
  if (target.hello_timeout_s > options.hello_timeout_s) options.hello_timeout_s = target.hello_timeout_s;
  Expected<std::unique_ptr<WorkerExecutor>> executor = WorkerExecutor::Start(std::move(options));
  if (!executor) return executor.error();
  parts->executor = std::move(*executor);
  return created;
}

}  // namespace opbyop::worker
