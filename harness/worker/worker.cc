// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/process/log_tail.h"

namespace opbyop::harness {
namespace {

using std::chrono::milliseconds;

// How often the memory of a busy worker is checked: often at first, then less. Each check reads a file per thread of
// the worker and of what it started.
constexpr milliseconds kTick(25);
constexpr milliseconds kLongestTick(100);
constexpr size_t kLogLines = 40;
constexpr milliseconds kLeaveTime(500);
// The time from the end of its replies to the end of its supervisor: a few milliseconds, unless the machine is
// overloaded.
constexpr milliseconds kExitTime(2000);

// Exit codes before the hello that say that a tool or a package is not installed: this project's own, and that of a
// shell that does not find a command (docs/worker-protocol.md).
bool MeansNotInstalled(int code) {
  constexpr int kCommandNotFound = 127;
  return code == static_cast<int>(ExitCode::kNoInput) || code == kCommandNotFound;
}

}  // namespace

Worker::Worker(WorkerSpec spec) : spec_(std::move(spec)) {
  state_ = Down{{.diagnostic = fmt::format("the {} worker was never started", spec_.role)}};
}

Worker::~Worker() { Stop(); }

const WorkerConnection* Worker::connection() const {
  return std::visit(
      [](const auto& state) -> const WorkerConnection* {
        if constexpr (std::is_same_v<std::decay_t<decltype(state)>, Down>) {
          return nullptr;
        } else {
          return &state.connection;
        }
      },
      state_);
}

WorkerConnection* Worker::connection() { return const_cast<WorkerConnection*>(std::as_const(*this).connection()); }

Worker::Clock::time_point Worker::deadline() const {
  if (const auto* starting = std::get_if<Starting>(&state_)) return starting->deadline;
  if (const auto* working = std::get_if<Working>(&state_)) return working->exchange.deadline();
  return Clock::time_point::max();
}

void Worker::Launch() {
  Stop();
  start_error_.reset();
  sampled_rss_kb_ = 0;
  requests_served_ = 0;
  ++launches_;
  strays_.reset();
  last_stage_.clear();
  last_case_.clear();
  Expected<WorkerConnection> connection = WorkerConnection::Open(spec_);
  if (!connection) {
    start_error_ = connection.error();
    state_ = Down{{.diagnostic = connection.error().message}};
    return;
  }
  const auto patience =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(spec_.hello_timeout_s));
  state_ = Starting{std::move(*connection), Clock::now() + patience};
}

Expected<void> Worker::Start() {
  if (Ready() || Restart()) return {};
  return Unexpected(*start_error_);
}

bool Worker::Restart() {
  Launch();
  Wait();
  return !start_error_;
}

bool Worker::Ready() {
  if (!std::holds_alternative<Idle>(state_)) return false;
  ReadReplies();
  if (WorkerConnection* idle = connection(); idle != nullptr && idle->process().Poll()) OnClosed();
  return std::holds_alternative<Idle>(state_);
}

void Worker::Send(protocol::Request request, std::string_view first_stage) {
  if (busy()) Die({.diagnostic = "was asked while it was busy: a fault of the harness"});
  // Processes that the last request started after its answer.
  std::string left;
  (void)EndStrays(left);
  if (request.case_id != last_case_) left.clear();
  last_case_ = request.case_id;
  const Clock::time_point now = Clock::now();
  if (is_reference()) sampled_rss_kb_ = 0;  // it is trusted to say what it needed for each request
  cpu_ms_ = alive() ? connection()->process().CpuMs() : 0;
  ++requests_served_;
  request.id = ++id_;
  dir_ = request.dir;
  Exchange exchange(spec_, id_, first_stage, now, extra_);
  Expected<std::string> frame = protocol::EncodeFrame(protocol::ToJson(request));
  if (const auto* down = std::get_if<Down>(&state_)) {
    exchange.End(down->death, now);
    answer_ = std::move(exchange.answer());
  } else if (!frame) {
    answer_ = Answer{.status = Status::kFail, .diagnostic = frame.error().message, .stage = std::string(first_stage)};
  } else {
    WorkerConnection connection = std::move(std::get<Idle>(state_).connection);
    connection.process().DrainLog();
    connection.process().log().Clear();
    connection.Queue(std::move(*frame));
    const bool closed = connection.request_closed();
    exchange.answer().left = std::move(left);
    state_ = Working{std::move(connection), std::move(exchange)};
    if (closed) ReadReplies();
  }
}

void Worker::WaitAll(std::span<Worker* const> workers) {
  while (std::ranges::any_of(workers, &Worker::busy)) WaitForAny(workers);
}

void Worker::Wait() {
  Worker* const self = this;
  WaitAll({&self, 1});
}

Answer Worker::Call(protocol::Request request, std::string_view first_stage) {
  Send(std::move(request), first_stage);
  Wait();
  return TakeAnswer();
}

void Worker::WaitForAny(std::span<Worker* const> workers) {
  const auto waiting = std::ranges::count_if(workers, &Worker::busy);
  if (waiting == 0) return;
  milliseconds tick = kTick;
  Clock::time_point next_look = Clock::now() + tick;
  std::vector<pollfd> fds;
  std::vector<Worker*> owners;
  while (std::ranges::count_if(workers, &Worker::busy) == waiting) {
    fds.clear();
    owners.clear();
    Clock::time_point wake = next_look;
    for (Worker* worker : workers) {
      const WorkerConnection* connection = worker->connection();
      if (connection == nullptr) continue;
      // poll() ignores -1
      fds.push_back({connection->log_fd(), POLLIN, 0});
      fds.push_back({connection->reply_fd(), POLLIN, 0});
      fds.push_back({connection->request_fd(), POLLOUT, 0});
      owners.push_back(worker);
      wake = std::min(wake, worker->deadline());
    }
    const auto pause = std::chrono::ceil<milliseconds>(wake - Clock::now()).count();
    // If it fails, nothing is known of the pipes, but the clocks still count.
    (void)::poll(fds.data(), fds.size(), static_cast<int>(std::max<int64_t>(pause, 0)));
    const bool look = Clock::now() >= next_look;
    if (look) {
      tick = std::min(tick * 2, kLongestTick);
      next_look = Clock::now() + tick;
    }
    for (size_t i = 0; i < owners.size(); ++i) {
      const pollfd* const events = &fds[3 * i];
      owners[i]->OnEvents(events[0].revents != 0, events[1].revents != 0, events[2].revents != 0, look);
    }
  }
}

void Worker::OnEvents(bool log, bool replies, bool request, bool look_at_memory) {
  if (WorkerConnection* live = connection()) {
    if (log) live->process().DrainLog();
    if (request) live->Write();
    if (replies || request) ReadReplies();
  }
  if (busy() && Clock::now() >= deadline()) OnTimeUp();
  if (busy() && look_at_memory) CheckMemory();
}

void Worker::ReadReplies() {
  WorkerConnection* live = connection();
  if (live == nullptr) return;
  const bool open = live->Read();
  // A frame may change the state or end the connection.
  while ((live = connection()) != nullptr) {
    const std::optional<std::string> frame = live->NextFrame();
    if (!frame) break;
    OnFrame(*frame);
  }
  if (live == nullptr) return;
  if (live->reader().broken()) {
    ProtocolError(fmt::format("announced a reply of {} bytes", live->reader().broken_length()));
  } else if (!open) {
    OnClosed();
  }
}

void Worker::OnFrame(std::string_view frame) {
  Expected<protocol::WorkerMessage> message = protocol::ParseWorkerMessage(frame);
  if (!message) return ProtocolError(message.error().message);
  if (auto* starting = std::get_if<Starting>(&state_)) {
    auto* greeting = std::get_if<protocol::Greeting>(&message->body);
    if (greeting == nullptr) return ProtocolError(fmt::format("sent '{}' before its hello", message->event));
    return OnGreeting(*starting, std::move(*greeting));
  }
  if (auto* working = std::get_if<Working>(&state_)) return OnReply(*working, std::move(*message));
  ProtocolError(fmt::format("sent '{}' without being asked", message->event));
}

void Worker::OnGreeting(Starting& starting, protocol::Greeting greeting) {
  hello_ = std::move(greeting.hello);
  if (greeting.protocol != protocol::kWorkerProtocol) {
    ProtocolError(fmt::format("speaks '{}', this harness speaks '{}'", greeting.protocol, protocol::kWorkerProtocol));
    start_error_->code = ExitCode::kUnsupported;
    return;
  }
  if (hello_.role != spec_.role) {
    return ProtocolError(fmt::format("says that it is a {} worker, a {} worker is needed", hello_.role, spec_.role));
  }
  WorkerConnection connection = std::move(starting.connection);
  if (!spec_.keeps_helpers) strays_.emplace(connection.process().pid());
  state_ = Idle{std::move(connection)};
}

bool Worker::EndStrays(std::string& left) {
  if (!alive()) return true;
  const EndedStrays ended = strays_ ? strays_->End() : EndedStrays();
  if (ended.count > 0) left += (left.empty() ? "" : "; ") + Describe(ended);
  if (!ended.all_gone) {
    ProtocolError(fmt::format("left processes running that cannot be ended ({})", left));
    return false;
  }
  (void)connection()->Read();
  if (connection()->reader().pending() == 0) return true;
  ProtocolError(ended.count == 0 ? "sent more after its answer"
                                 : fmt::format("left processes running that wrote to its reply pipe after its answer "
                                               "({})",
                                               left));
  return false;
}

void Worker::OnReply(Working& working, protocol::WorkerMessage message) {
  if (Expected<void> taken = working.exchange.Receive(std::move(message), Clock::now()); !taken) {
    return ProtocolError(taken.error().message);
  }
  if (!working.exchange.done()) return;
  if (working.connection.unwritten() > 0) return ProtocolError("answered a request that it had not read");
  if (!EndStrays(working.exchange.answer().left)) return;
  answer_ = std::move(working.exchange.answer());
  answer_.peak_rss_kb = std::max(answer_.peak_rss_kb, sampled_rss_kb_);
  answer_.cpu_ms = std::max(working.connection.process().CpuMs() - cpu_ms_, 0.0);
  last_stage_ = answer_.stage;
  Process& process = working.connection.process();
  if (answer_.status != Status::kPass) {
    process.DrainLog();
    answer_.log = process.log().Lines(kLogLines);
  }
  WorkerConnection connection = std::move(working.connection);
  state_ = Idle{std::move(connection)};
}

void Worker::OnTimeUp() {
  const auto* working = std::get_if<Working>(&state_);
  if (working == nullptr) return ProtocolError(fmt::format("said no hello within {:g} s", spec_.hello_timeout_s));
  const WorkerConnection& connection = working->connection;
  const std::string why = working->exchange.WhyLate();
  std::string what = is_reference() ? "the reference worker gave " + why : why;
  if (connection.unwritten() > 0) {
    what += fmt::format(": it did not read its request, {} of {} bytes are left", connection.unwritten(),
                        connection.request_bytes());
  }
  Die({.status = Status::kTimeout, .diagnostic = std::move(what)});
}

void Worker::CheckMemory() {
  // The end of the reply pipe shows a death, unless a child of the worker still holds that pipe.
  if (connection()->process().Poll()) {
    ReadReplies();
    if (busy()) OnClosed();
    return;
  }
  const auto* working = std::get_if<Working>(&state_);
  if (working == nullptr) return;
  const int64_t limit_mb = working->exchange.limits().memory_mb;
  const int64_t rss_kb = working->connection.process().MemoryKb(dir_, limit_mb * 1024);
  sampled_rss_kb_ = std::max(sampled_rss_kb_, rss_kb);
  if (rss_kb <= limit_mb * 1024) return;
  Die({.status = Status::kOutOfMemory,
       .diagnostic = fmt::format("{}{} MB in use, the limit is {} MB",
                                 is_reference() ? "the reference worker has " : "", rss_kb / 1024, limit_mb)});
}

std::string Worker::WhileIdle() const {
  if (!std::holds_alternative<Idle>(state_)) return "";
  return last_stage_.empty() ? " while idle before its first request"
                             : fmt::format(" while idle after stage {}", last_stage_);
}

void Worker::OnClosed() {
  WorkerConnection& closed = *connection();
  const std::optional<Exit> exit = closed.process().WaitFor(kExitTime);
  closed.process().DrainLog();
  if (!exit) return ProtocolError(closed.request_closed() ? "closed its request pipe" : "closed its reply pipe");
  std::string what = is_reference() ? "the reference worker " : "";
  if (exit->signal != 0) {
    what += fmt::format("died of {}{}", exit->Describe(), WhileIdle());
  } else {
    what += fmt::format("left with {}{}", exit->Describe(), busy() ? " without an answer" : WhileIdle());
  }
  if (exit->signal == SIGKILL) what += ", sent from outside: probably the kernel, out of memory";
  if (closed.reader().pending() > 0) what += " in the middle of a reply";
  if (std::holds_alternative<Working>(state_) && Unread()) what += " before it read its request";
  const std::string cause = CauseOfDeath(closed.process().log().text());
  if (!cause.empty()) what += ": " + cause;
  Die({.diagnostic = std::move(what), .signal = exit->signal});
  if (start_error_ && exit->signal == 0 && MeansNotInstalled(exit->code)) start_error_->code = ExitCode::kNoInput;
}

void Worker::ProtocolError(const std::string& what) {
  Die({.diagnostic = fmt::format("the {}worker broke the protocol: it {}{}", is_reference() ? "reference " : "", what,
                                 WhileIdle())});
}

bool Worker::Unread() const {
  const auto* working = std::get_if<Working>(&state_);
  return working == nullptr || working->connection.untouched();
}

void Worker::Die(Death death) {
  Process& process = connection()->process();
  death.unread = death.status == Status::kCrash && Unread();
  process.Kill(spec_.grace);
  death.log = process.log().Lines(kLogLines);
  if (std::holds_alternative<Starting>(state_)) {
    std::string message =
        fmt::format("the {} worker `{}` is not usable: {}", spec_.role, fmt::join(spec_.argv, " "), death.diagnostic);
    const std::vector<std::string> lines = process.log().Lines(3);
    if (!lines.empty()) message += fmt::format("; it printed: {}", fmt::join(lines, " | "));
    start_error_ = Error{ExitCode::kBadInput, message};
  } else if (auto* working = std::get_if<Working>(&state_)) {
    working->exchange.End(death, Clock::now());
    answer_ = std::move(working->exchange.answer());
    answer_.peak_rss_kb = sampled_rss_kb_;
  }
  state_ = Down{std::move(death)};
}

std::vector<std::string> Worker::last_words() const {
  const auto* down = std::get_if<Down>(&state_);
  return down == nullptr ? std::vector<std::string>() : down->death.log;
}

Answer Worker::TakeAnswer() { return std::move(answer_); }

void Worker::Stop() {
  if (WorkerConnection* live = connection()) {
    live->process().CloseRequests();
    if (std::holds_alternative<Idle>(state_)) live->process().WaitFor(kLeaveTime);
    live->process().Kill(milliseconds(0));
  }
  state_ = Down{{.diagnostic = fmt::format("the {} worker was stopped", spec_.role)}};
}

}  // namespace opbyop::harness
