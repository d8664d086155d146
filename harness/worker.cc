#include "harness/worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace opbyop {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

// How often memory is looked at while a worker works: soon at first, then at leisure. A look reads a file per thread of
// the worker and of what it started.
constexpr milliseconds kTick(25);
constexpr milliseconds kLongestTick(100);
constexpr size_t kLogLines = 40;
constexpr milliseconds kLeaveTime(500);

std::string TextOf(const Json& message, const char* key) {
  const auto it = message.find(key);
  return it != message.end() && it->is_string() ? it->get<std::string>() : "";
}

double NumberOf(const Json& message, const char* key) {
  const auto it = message.find(key);
  return it != message.end() && it->is_number() ? it->get<double>() : 0;
}

int64_t NsOf(std::chrono::steady_clock::time_point point) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(point.time_since_epoch()).count();
}

std::string Seconds(double seconds) { return fmt::format("{:g} s", seconds); }

}  // namespace

WorkerSpec TargetWorkerSpec(const Target& target, const std::string& bin, const std::string& root) {
  const auto fill = [](std::string& text, std::string_view placeholder, const std::string& value) {
    for (size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at + value.size())) {
      text.replace(at, placeholder.size(), value);
    }
  };
  WorkerSpec spec{.role = "target", .argv = target.worker};
  for (std::string& argument : spec.argv) {
    fill(argument, "{bin}", bin);
    fill(argument, "{root}", root);
    fill(argument, "{file}", target.path.string());
  }
  spec.argv.insert(spec.argv.end(), target.flags.begin(), target.flags.end());
  for (const Stage& stage : target.stages) spec.limits[stage.name] = stage.limits;
  spec.hello_timeout_s = std::max(spec.hello_timeout_s, target.hello_timeout_s);
  return spec;
}

Json TypesToJson(const std::vector<TensorType>& types) {
  Json list = Json::array();
  for (const TensorType& type : types) list.push_back({{"shape", type.shape}, {"dtype", type.dtype}});
  return list;
}

Worker::Worker(WorkerSpec spec) : spec_(std::move(spec)) {}

Worker::~Worker() { Stop(); }

void Worker::Launch() {
  Stop();
  start_error_.reset();
  reader_ = FrameReader();
  sampled_rss_kb_ = 0;
  requests_served_ = 0;
  in_stage_ = false;
  Expected<std::unique_ptr<Process>> process = Process::Spawn({.argv = spec_.argv, .environment = spec_.environment});
  if (!process) {
    start_error_ = process.error();
    return;
  }
  process_ = std::move(*process);
  state_ = State::kStarting;
  deadline_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(spec_.hello_timeout_s));
}

bool Worker::Ready() {
  if (state_ != State::kIdle) return false;
  ReadReplies();
  if (alive() && process_->Poll()) OnClosed();
  return state_ == State::kIdle;
}

const Limits& Worker::LimitsOf(std::string_view stage) const {
  const auto it = spec_.limits.find(stage);
  return it == spec_.limits.end() ? spec_.fallback : it->second;
}

void Worker::SetDeadline(std::string_view stage) {
  limited_stage_ = stage;
  deadline_ = Clock::now() +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(LimitsOf(stage).timeout_s));
}

void Worker::Send(Request request, std::string_view first_stage) {
  request.id = ++id_;
  answer_ = Answer();
  answer_.stage = first_stage;
  in_stage_ = false;
  stage_begin_ = Clock::now();
  ++requests_served_;
  state_ = State::kWorking;
  SetDeadline(first_stage);
  process_->DrainLog();
  process_->log().Clear();
  if (!WriteFrame(process_->request_fd(), ToJson(request))) OnClosed();
}

void Worker::Drive(std::span<Worker* const> workers) {
  const auto busy = [](const Worker* worker) { return worker->busy(); };
  const size_t waiting = static_cast<size_t>(std::count_if(workers.begin(), workers.end(), busy));
  if (waiting == 0) return;
  milliseconds tick = kTick;
  Clock::time_point next_look = Clock::now() + tick;
  std::vector<pollfd> fds;
  std::vector<Worker*> owners;
  while (static_cast<size_t>(std::count_if(workers.begin(), workers.end(), busy)) == waiting) {
    fds.clear();
    owners.clear();
    Clock::time_point wake = next_look;
    for (Worker* worker : workers) {
      if (!worker->alive()) continue;
      fds.push_back({worker->process_->reply_fd(), POLLIN, 0});
      fds.push_back({worker->process_->log_fd(), POLLIN, 0});  // poll() ignores -1
      owners.push_back(worker);
      if (worker->busy()) wake = std::min(wake, worker->deadline_);
    }
    const auto pause = std::chrono::ceil<milliseconds>(wake - Clock::now()).count();
    if (::poll(fds.data(), fds.size(), static_cast<int>(std::max<int64_t>(pause, 0))) < 0 && errno != EINTR) return;
    const bool look = Clock::now() >= next_look;
    if (look) {
      tick = std::min(tick * 2, kLongestTick);
      next_look = Clock::now() + tick;
    }
    for (size_t i = 0; i < owners.size(); ++i) {
      Worker& worker = *owners[i];
      if (fds[2 * i + 1].revents != 0) worker.process_->DrainLog();
      if (fds[2 * i].revents != 0) worker.ReadReplies();
      if (worker.busy()) worker.CheckClocksAndMemory(look);
    }
  }
}

void Worker::ReadReplies() {
  std::array<char, 64 << 10> buffer;
  while (alive()) {
    const ssize_t count = ::read(process_->reply_fd(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    if (count == 0) return OnClosed();
    reader_.Append(std::string_view(buffer.data(), static_cast<size_t>(count)));
    while (alive()) {
      const std::optional<std::string> frame = reader_.Next();
      if (!frame) break;
      OnFrame(*frame);
    }
    if (reader_.broken() && alive()) {
      return ProtocolError(fmt::format("announced a reply of {} bytes", reader_.broken_length()));
    }
    if (count < static_cast<ssize_t>(buffer.size())) return;
  }
}

void Worker::OnFrame(const std::string& frame) {
  Json message = Json::parse(frame, nullptr, false);
  if (!message.is_object()) {
    return ProtocolError(fmt::format("sent a reply that is no JSON object: '{}'", frame.substr(0, 80)));
  }
  const std::string event = TextOf(message, "event");
  if (state_ == State::kStarting) {
    if (event != "hello") return ProtocolError(fmt::format("sent '{}' before its hello", event));
    return OnHello(message);
  }
  const auto id = message.find("id");
  const bool has_id = id != message.end() && id->is_number_integer();
  if (state_ != State::kWorking) return ProtocolError(fmt::format("sent '{}' without being asked", event));
  // After any trouble the worker is replaced, so an answer to another request is never merely late: taking
  // it would give one case the result of another.
  if (!has_id || id->get<int64_t>() != id_) {
    return ProtocolError(
        fmt::format("answered request {} while {} was asked", has_id ? id->dump() : "without id", id_));
  }
  if (event == "stage") return OnStage(message);
  if (event == "done") return OnDone(std::move(message));
  ProtocolError(fmt::format("sent an unknown event '{}'", event));
}

void Worker::OnHello(const Json& message) {
  hello_ = {TextOf(message, "role"), TextOf(message, "name"), TextOf(message, "version"),
            static_cast<int64_t>(NumberOf(message, "cores"))};
  const std::string protocol = TextOf(message, "protocol");
  if (protocol != kWorkerProtocol) {
    ProtocolError(fmt::format("speaks '{}', this harness speaks '{}'", protocol, kWorkerProtocol));
    start_error_->code = ExitCode::kUnsupported;
    return;
  }
  if (hello_.role != spec_.role) {
    return ProtocolError(fmt::format("says that it is a {} worker, a {} worker is needed", hello_.role, spec_.role));
  }
  state_ = State::kIdle;
}

void Worker::OnStage(const Json& message) {
  const std::string stage = TextOf(message, "stage");
  const std::string state = TextOf(message, "state");
  if (state == "begin") {
    answer_.stage = stage;
    in_stage_ = true;
    stage_begin_ = Clock::now();
    const auto told = message.find("ns");
    stage_begin_ns_ = told != message.end() && told->is_number_integer() ? told->get<int64_t>() : NsOf(stage_begin_);
    return SetDeadline(stage);
  }
  const std::optional<Status> status = ParseStatus(TextOf(message, "status"));
  if (state != "end" || !in_stage_ || stage != answer_.stage || !status) {
    return ProtocolError(fmt::format("sent a stage event out of order: {}", message.dump()));
  }
  in_stage_ = false;
  answer_.stages.push_back({stage, *status, NumberOf(message, "ms"), TextOf(message, "diagnostic")});
  answer_.stage_begins_ns.push_back(stage_begin_ns_);
  SetDeadline(stage);
}

void Worker::OnDone(Json message) {
  const std::optional<Status> status = ParseStatus(TextOf(message, "status"));
  if (!status || in_stage_) {
    return ProtocolError(in_stage_ ? fmt::format("said done within stage {}", answer_.stage)
                                   : fmt::format("ended with an unknown status: {}", message.dump().substr(0, 200)));
  }
  answer_.status = *status;
  answer_.diagnostic = TextOf(message, "diagnostic");
  answer_.peak_rss_kb = std::max(static_cast<int64_t>(NumberOf(message, "peak_rss_kb")), sampled_rss_kb_);
  answer_.payload = std::move(message);
  if (*status != Status::kPass) {
    process_->DrainLog();
    answer_.log = process_->log().Lines(kLogLines);
  }
  state_ = State::kIdle;
}

void Worker::CheckClocksAndMemory(bool look_at_memory) {
  if (Clock::now() >= deadline_) {
    if (state_ == State::kStarting)
      return ProtocolError(fmt::format("said no hello within {}", Seconds(spec_.hello_timeout_s)));
    return Die(Status::kTimeout,
               fmt::format("no end of stage within its limit of {}", Seconds(LimitsOf(limited_stage_).timeout_s)), 0);
  }
  if (!look_at_memory) return;
  // Death shows as the end of the reply pipe, unless a child of the worker still holds that pipe.
  if (process_->Poll()) {
    ReadReplies();
    if (alive() && busy()) OnClosed();
    return;
  }
  if (state_ != State::kWorking) return;
  const int64_t rss_kb = process_->RssKb();
  sampled_rss_kb_ = std::max(sampled_rss_kb_, rss_kb);
  const int64_t limit_mb = LimitsOf(limited_stage_).memory_mb;
  if (rss_kb > limit_mb * 1024) {
    Die(Status::kOutOfMemory, fmt::format("{} MB resident, the limit is {} MB", rss_kb / 1024, limit_mb), 0);
  }
}

void Worker::OnClosed() {
  const std::optional<Exit> exit = process_->WaitFor(milliseconds(200));
  process_->DrainLog();
  if (!exit) return ProtocolError("closed its reply pipe");
  std::string what = exit->signal != 0 ? fmt::format("died of {}", exit->Describe())
                                       : fmt::format("left with {} without an answer", exit->Describe());
  if (exit->signal == SIGKILL) what += ", sent from outside: probably the kernel, out of memory";
  if (reader_.pending() > 0) what += " in the middle of a reply";
  const std::string cause = CauseOfDeath(process_->log().text());
  if (!cause.empty()) what += ": " + cause;
  Die(Status::kCrash, what, exit->signal);
}

void Worker::ProtocolError(const std::string& what) {
  Die(Status::kCrash, fmt::format("the worker broke the protocol: it {}", what), 0);
}

void Worker::Die(Status status, const std::string& diagnostic, int signal) {
  process_->Kill(spec_.grace);
  if (state_ == State::kStarting) {
    std::string message =
        fmt::format("the {} worker `{}` is not usable: {}", spec_.role, fmt::join(spec_.argv, " "), diagnostic);
    const std::vector<std::string> lines = process_->log().Lines(3);
    if (!lines.empty()) message += fmt::format("; it printed: {}", fmt::join(lines, " | "));
    start_error_ = Error{ExitCode::kBadInput, message};
  } else if (state_ == State::kWorking) {
    answer_.status = status;
    answer_.diagnostic = diagnostic;
    answer_.signal = signal;
    answer_.died = true;
    answer_.peak_rss_kb = sampled_rss_kb_;
    answer_.log = process_->log().Lines(kLogLines);
    if (in_stage_ || answer_.stages.empty()) {
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - stage_begin_).count();
      answer_.stages.push_back({answer_.stage, status, ms, diagnostic});
      answer_.stage_begins_ns.push_back(in_stage_ ? stage_begin_ns_ : NsOf(stage_begin_));
    } else {
      // It died between two stages or before its last word: the stage that ended last is the nearest known.
      answer_.stages.back().status = status;
      answer_.stages.back().diagnostic = diagnostic;
    }
  }
  in_stage_ = false;
  process_.reset();
  state_ = State::kDown;
}

Answer Worker::Take() { return std::move(answer_); }

void Worker::Stop() {
  if (process_ != nullptr) {
    process_->CloseRequests();
    if (state_ == State::kIdle) process_->WaitFor(kLeaveTime);
    process_->Kill(milliseconds(0));
    process_.reset();
  }
  state_ = State::kDown;
}

}  // namespace opbyop
