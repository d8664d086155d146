// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/reading_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <new>
#include <string>
#include <utility>

#include "support/text/count_text.h"
#include "support/text/safe_text.h"

namespace opbyop {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int kSignalBase = 128;
constexpr size_t kMostSaid = 4096;

// The state that a child reports, in memory that it shares with its parent.
struct Report {
  bool reads = false;
  bool is_out_of_memory = false;
  ReadingLimits asked;
  int64_t seconds = 0;
  int64_t memory_mb = 0;
  int64_t file_bytes = 0;
  std::array<char, 1024> file{};  // cut off if it is longer
};

// The report and the log of this process if it is a ReadingChild.
Report* own_report = nullptr;
int own_log = -1;
const ChildConnection* own_connection = nullptr;

// The private memory of this process, which its limit applies to.
int64_t DataBytes() {
  constexpr int kDataField = 5;  // proc(5), /proc/self/statm: "data + stack", in pages
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  for (int i = 0; i <= kDataField; ++i) file >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

int64_t ProcessorSeconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1;
}

// Lowers the soft limit; the hard limit is unchanged.
rlimit Lower(int resource, int64_t value) {
  rlimit before{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &before);
  rlimit now = before;
  now.rlim_cur = std::min(before.rlim_cur, static_cast<rlim_t>(value));
  ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
  return before;
}

// This does not throw: an exception would leave the scope, and the death would no longer count as the limit's.
void EndForLackOfMemory() {
  own_report->is_out_of_memory = true;
  ::_exit(kSignalBase);
}

// The limits before a scope, and the descriptor of standard error.
struct Before {
  rlimit processor{};
  rlimit memory{};
  rlimit core{};
  int standard_error = -1;
  std::new_handler new_handler = nullptr;
};
Before before_scope;

std::string ReadLog(int fd) {
  constexpr size_t kMost = 64 << 10;
  std::string text(kMost, '\0');
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

// ": SmallVector unable to grow ...", the message that LLVM prints before it ends a program. Empty if there is none.
std::string LlvmError(const std::string& log) {
  constexpr std::string_view kMark = "LLVM ERROR: ";
  const size_t mark = log.find(kMark);
  if (mark == std::string::npos) return "";
  const size_t begin = mark + kMark.size();
  return ": " + SafeText(log.substr(begin, log.find('\n', begin) - begin));
}

Error DeathOf(const Report& report, const Exit& end, const std::string& log) {
  const std::string file(report.file.data());
  // LLVM also allocates with malloc, and reports by itself when there is no memory.
  const bool is_out_of_memory =
      report.is_out_of_memory || (end.signal == SIGABRT && log.find("LLVM ERROR: out of memory") != std::string::npos);
  const auto limit = [&](const std::string& what, std::string_view option) {
    return Error{ExitCode::kBadInput,
                 fmt::format("{}: reading it takes more than {}, the limit for a file of {}; {} raises it, if you know "
                             "where the file comes from",
                             file, what, CountText(report.file_bytes, "byte"), option)};
  };
  if (end.signal == SIGXCPU) {
    return limit(fmt::format("{} s of processor time", report.seconds), kReadingSecondsOption);
  }
  if (is_out_of_memory) return limit(fmt::format("{} MB of memory", report.memory_mb), kReadingMemoryOption);
  return {ExitCode::kBadInput,
          fmt::format("{}: reading it ended the reader with {}{}; the file is probably damaged, or made to do this",
                      file, end.Describe(), LlvmError(log))};
}

}  // namespace

int64_t ReadingLimits::SecondsFor(int64_t file_bytes) const {
  constexpr int64_t kBase = 10;
  constexpr int64_t kForAMegabyte = 2;
  return seconds > 0 ? seconds : kBase + kForAMegabyte * (file_bytes / kMegabyte);
}

int64_t ReadingLimits::MemoryMbFor(int64_t file_bytes) const {
  constexpr int64_t kBase = 1024;
  constexpr int64_t kForAMegabyte = 64;
  return memory_mb > 0 ? memory_mb : kBase + kForAMegabyte * (file_bytes / kMegabyte);
}

ReadingScope::ReadingScope(std::string_view file, int64_t file_bytes) {
  if (own_report == nullptr || own_report->reads) return;
  is_outermost_ = true;
  Report& report = *own_report;
  report.seconds = report.asked.SecondsFor(file_bytes);
  report.memory_mb = report.asked.MemoryMbFor(file_bytes);
  report.file_bytes = file_bytes;
  report.file = {};
  file.copy(report.file.data(), report.file.size() - 1);
  report.reads = true;
  before_scope.processor = Lower(RLIMIT_CPU, ProcessorSeconds() + report.seconds);
  before_scope.memory = Lower(RLIMIT_DATA, DataBytes() + report.memory_mb * kMegabyte);
  before_scope.core = Lower(RLIMIT_CORE, 0);
  before_scope.standard_error = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  before_scope.new_handler = std::set_new_handler(EndForLackOfMemory);
  if (own_log >= 0) ::dup2(own_log, STDERR_FILENO);
}

ReadingScope::~ReadingScope() {
  if (!is_outermost_) return;
  std::set_new_handler(before_scope.new_handler);
  ::setrlimit(RLIMIT_CPU, &before_scope.processor);
  ::setrlimit(RLIMIT_DATA, &before_scope.memory);
  ::setrlimit(RLIMIT_CORE, &before_scope.core);
  if (before_scope.standard_error >= 0) {
    ::dup2(before_scope.standard_error, STDERR_FILENO);
    ::close(before_scope.standard_error);
  }
  if (own_log >= 0) {
    // Output that was not about a crash is shown to the user.
    std::cerr << ReadLog(own_log) << std::flush;
    if (::ftruncate(own_log, 0) == 0) ::lseek(own_log, 0, SEEK_SET);
  }
  own_report->reads = false;
}

ChildConnection& ChildConnection::operator=(ChildConnection&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

ChildConnection::~ChildConnection() {
  if (fd_ >= 0) ::close(fd_);
}

void ChildConnection::Send(std::string_view text) const {
  text = text.substr(0, kMostSaid);
  while (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> ChildConnection::Receive() const {
  std::string text(kMostSaid, '\0');
  ssize_t size = 0;
  do {
    size = ::recv(fd_, text.data(), text.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  text.resize(static_cast<size_t>(size));
  return text;
}

struct ReadingChild::State {
  Report* report = nullptr;  // shared with the child
  int log = -1;

  ~State() {
    if (report != nullptr) ::munmap(report, sizeof(Report));
    if (log >= 0) ::close(log);
  }
};

ReadingChild::ReadingChild(ReadingChild&& other) noexcept { *this = std::move(other); }

ReadingChild& ReadingChild::operator=(ReadingChild&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(pid_, other.pid_);
  std::swap(connection_, other.connection_);
  return *this;
}

ReadingChild::~ReadingChild() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Expected<ReadingChild> ReadingChild::Start(const ReadingLimits& limits, const std::function<int()>& work) {
  const auto failure = [] {
    return MakeError(ExitCode::kInternal, fmt::format("a process for reading cannot be made: {}", strerror(errno)));
  };
  ReadingChild child;
  child.state_ = std::make_unique<State>();
  void* const shared = ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return failure();
  child.state_->report = new (shared) Report{.asked = limits};
  child.state_->log = ::memfd_create("opbyop-reading", MFD_CLOEXEC);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return failure();
  child.connection_ = ChildConnection(ends[0]);
  ChildConnection other_end(ends[1]);
  std::fflush(nullptr);
  std::cout.flush();
  const pid_t parent = ::getpid();
  child.pid_ = ::fork();
  if (child.pid_ < 0) return failure();
  if (child.pid_ > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kSignalBase + SIGKILL);
  ::signal(SIGXCPU, SIG_DFL);
  own_report = child.state_->report;
  own_log = child.state_->log;
  own_connection = &other_end;
  ChildConnection().operator=(std::move(child.connection_));  // closes the parent's end
  // An exception ends the child here, because the callers on its stack are the parent's.
  const int code = [&]() noexcept { return work(); }();
  std::cout.flush();
  std::fflush(nullptr);
  // Objects that the parent created must be destroyed only by the parent.
  ::_exit(code);
}

const ChildConnection& ReadingChild::ToParent() {
  static const ChildConnection nobody;
  return own_connection != nullptr ? *own_connection : nobody;
}

Expected<Exit> ReadingChild::Wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) {
      pid_ = -1;
      return MakeError(ExitCode::kInternal, fmt::format("a process that reads is gone: {}", strerror(errno)));
    }
  }
  pid_ = -1;
  const Exit end = ExitOf(status);
  const Report& report = *state_->report;
  if (!report.reads) return end;
  return Unexpected(DeathOf(report, end, ReadLog(state_->log)));
}

namespace {

// The signals by which other processes end a program.
constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
volatile pid_t forward_to = -1;

// The terminal sends its signals to both processes; other senders send them only to this one.
void Forward(int number, siginfo_t* info, void*) {
  if (info->si_code <= 0 && forward_to > 0) ::kill(forward_to, number);
}

}  // namespace

Expected<int> RunInReadingChild(const ReadingLimits& limits, const std::function<int()>& work) {
  sigset_t forwarded;
  sigset_t before;
  sigemptyset(&forwarded);
  for (const int number : kForwarded) sigaddset(&forwarded, number);
  ::sigprocmask(SIG_BLOCK, &forwarded, &before);
  Expected<ReadingChild> child = ReadingChild::Start(limits, [&] {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return work();
  });
  if (!child) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return Unexpected(child.error());
  }
  forward_to = child->pid();
  for (const int number : kForwarded) {
    struct sigaction action{};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // as under nohup: the child ignores it too
    action.sa_sigaction = Forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  const Expected<Exit> end = child->Wait();
  forward_to = -1;
  if (!end) return Unexpected(end.error());
  if (end->signal == 0) return end->code;
  ::signal(end->signal, SIG_DFL);
  ::raise(end->signal);
  return kSignalBase + end->signal;
}

}  // namespace opbyop
