// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "support/files/project_folder.h"
#include "support/process/process_tree.h"
#include "support/start_program.h"

extern char** environ;

namespace opbyop {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Descriptors of a supervisor.
constexpr int kChildLifelineFd = 4;
constexpr int kChildStartedFd = 5;
constexpr int kChildHoldFd = 6;
constexpr int kFirstFreeFd = 7;

// Children of this process that have an owner. Spawning holds the lock, so that KillOrphans never mistakes a new child,
// whose owner does not know it yet, for an orphan.
std::mutex registry_mutex;
std::set<pid_t>& Registry() {
  static std::set<pid_t> registry;
  return registry;
}
std::atomic<bool> adopting = false;

struct Pipe {
  int read = -1;
  int write = -1;
  bool Open() {
    std::array<int, 2> fds;
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) return false;
    read = fds[0];
    write = fds[1];
    return true;
  }
  void Close() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
    read = write = -1;
  }
};

// Everything that the child needs between vfork and exec is prepared before, because the child shares this process's
// memory. ThreadSanitizer turns vfork into fork, so the child reports failures through a pipe that exec closes.
struct ChildSetup {
  const char* const* argv;
  const char* const* environment;
  const char* directory;  // nullptr: unchanged
  int request_fd;
  int reply_fd;
  int log_fd;
  int lifeline_fd;  // this and the next two: -1 if there is none
  int started_fd;
  int hold_fd;
  pid_t parent;  // 0: the child may outlive it
  int64_t max_file_bytes;
  rlim_t descriptors;  // soft limit on open files; the next is the hard limit
  rlim_t most_descriptors;
  int failure_fd;  // greater than the others
};

// Reports to the parent why the program cannot be started, and ends.
[[noreturn]] void ReportFailure(const ChildSetup& setup) {
  const int error = errno;
  if (::write(setup.failure_fd, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

bool GiveChild(int fd, int as) { return fd < 0 || ::dup2(fd, as) >= 0; }

[[noreturn]] void EnterChild(const ChildSetup& setup) {
  ::setsid();
  if (setup.parent != 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != setup.parent) ::_exit(127);  // the parent has died in the meantime
  }
  // The source descriptors are greater than the targets, so no dup2 overwrites one that is still needed.
  if (::dup2(setup.request_fd, STDIN_FILENO) < 0 || ::dup2(setup.log_fd, STDOUT_FILENO) < 0 ||
      ::dup2(setup.log_fd, STDERR_FILENO) < 0 || ::dup2(setup.reply_fd, kReplyFd) < 0 ||
      !GiveChild(setup.lifeline_fd, kChildLifelineFd) || !GiveChild(setup.started_fd, kChildStartedFd) ||
      !GiveChild(setup.hold_fd, kChildHoldFd) || (setup.directory != nullptr && ::chdir(setup.directory) != 0)) {
    ReportFailure(setup);
  }
  // Closes descriptors that other code in this process did not mark as close-on-exec.
  const unsigned first_foreign =
      setup.lifeline_fd < 0 ? kReplyFd + 1 : (setup.hold_fd < 0 ? kChildHoldFd : kFirstFreeFd);
  const auto failure_fd = static_cast<unsigned>(setup.failure_fd);
  ::close_range(first_foreign, failure_fd - 1, 0);
  ::close_range(failure_fd + 1, ~0U, 0);
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (setup.max_file_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(setup.max_file_bytes);
    const struct rlimit file_size = {bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &file_size);
  }
  const struct rlimit descriptors = {setup.descriptors, setup.most_descriptors};
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
  // Resets signals that this process was started with ignored: a tool that waits for its own children needs SIGCHLD,
  // say.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(setup.argv[0], const_cast<char* const*>(setup.argv), const_cast<char* const*>(setup.environment));
  ReportFailure(setup);
}

// vfork, not fork: a parent that holds 100,000 rows has page tables that cost milliseconds to copy.
__attribute__((noinline)) pid_t VforkInto(const ChildSetup& setup) {
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn cannot set a death signal
  if (pid == 0) EnterChild(setup);
  return pid;
}

std::vector<std::string> MakeEnvironment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (!added.contains(name)) environment.emplace_back(text);
  }
  for (const auto& [name, value] : added) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

std::vector<const char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(string.c_str());
  pointers.push_back(nullptr);
  return pointers;
}

// Moves a descriptor above those that have a fixed meaning in the child.
int Lift(int fd) {
  if (fd < 0 || fd >= kFirstFreeFd) return fd;
  const int lifted = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeFd);
  ::close(fd);
  return lifted;
}

rlim_t HardLimitOfDescriptors() {
  struct rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_max;
}

void SetNonBlocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

std::vector<std::string> SupervisedArgv(const std::vector<std::string>& argv, const Supervision& supervision) {
  std::vector<std::string> all = {SupervisorProgram(), "run", fmt::format("--lifeline={}", kChildLifelineFd),
                                  fmt::format("--started={}", kChildStartedFd)};
  for (const std::filesystem::path& folder : supervision.writable) all.push_back("--write=" + folder.string());
  if (supervision.network) all.emplace_back("--network");
  all.emplace_back("--");
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

// Reads an errno from a pipe. Returns 0 at its end.
int ReadError(int fd) {
  int error = 0;
  ssize_t count = 0;
  do count = ::read(fd, &error, sizeof error);
  while (count < 0 && errno == EINTR);
  return count == sizeof error ? error : 0;
}

}  // namespace

Expected<std::unique_ptr<Process>> Process::Spawn(const ProcessOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);  // a worker that has ended makes write() fail instead of raising a signal
  if (options.argv.empty()) return MakeError(ExitCode::kUsage, "a program to start has an empty command line");
  Pipe request, reply, log, lifeline, started, failure;
  const bool supervised = options.supervision.has_value();
  const auto close_all = [&] {
    for (Pipe* pipe : {&request, &reply, &log, &lifeline, &started, &failure}) pipe->Close();
  };
  if (!request.Open() || !reply.Open() || !log.Open() || !failure.Open() ||
      (supervised && (!lifeline.Open() || !started.Open()))) {
    const int error = errno;
    close_all();
    return MakeError(ExitCode::kNoInput, fmt::format("no pipe for `{}`: {}", options.argv[0], std::strerror(error)));
  }
  request.read = Lift(request.read);
  reply.write = Lift(reply.write);
  log.write = Lift(log.write);
  lifeline.read = Lift(lifeline.read);
  started.write = Lift(started.write);
  failure.write = Lift(failure.write);
  const int hold_fd = supervised && options.supervision->hold_fd >= 0
                          ? ::fcntl(options.supervision->hold_fd, F_DUPFD_CLOEXEC, kFirstFreeFd)
                          : -1;
  ::fcntl(log.read, F_SETPIPE_SZ, 1 << 20);  // lets a flood of output be drained in large pieces; best effort

  const std::vector<std::string> environment = MakeEnvironment(options.environment);
  const std::vector<std::string> argv = supervised ? SupervisedArgv(options.argv, *options.supervision) : options.argv;
  const std::vector<const char*> argv_pointers = Pointers(argv);
  const std::vector<const char*> environment_pointers = Pointers(environment);
  const ChildSetup setup = {argv_pointers.data(),
                            environment_pointers.data(),
                            options.directory.empty() ? nullptr : options.directory.c_str(),
                            request.read,
                            reply.write,
                            log.write,
                            lifeline.read,
                            started.write,
                            hold_fd,
                            supervised || options.outlives_parent ? 0 : ::getpid(),
                            options.max_file_bytes,
                            DescriptorsOfChildren(),
                            HardLimitOfDescriptors(),
                            failure.write};
  std::unique_ptr<Process> process(new Process(options.log_bytes));
  {
    const std::lock_guard lock(registry_mutex);
    process->pid_ = VforkInto(setup);
    if (process->pid_ > 0) Registry().insert(process->pid_);
  }
  int error = process->pid_ < 0 ? errno : 0;
  if (hold_fd >= 0) ::close(hold_fd);
  for (int* fd : {&request.read, &reply.write, &log.write, &lifeline.read, &started.write, &failure.write}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  if (error == 0) error = ReadError(failure.read);
  if (supervised && error == 0) error = ReadError(started.read);
  if (error != 0) {
    close_all();
    return MakeError(ExitCode::kNoInput,
                     fmt::format("the program `{}` cannot be started: {}", options.argv[0], std::strerror(error)));
  }
  process->request_fd_ = request.write;
  process->reply_fd_ = reply.read;
  process->log_fd_ = log.read;
  process->lifeline_fd_ = lifeline.write;
  if (started.read >= 0) ::close(started.read);
  ::close(failure.read);
  SetNonBlocking(process->request_fd_);
  SetNonBlocking(process->reply_fd_);
  SetNonBlocking(process->log_fd_);
  // If the machine runs out of memory, the kernel should kill a worker rather than the run.
  if (!supervised) std::ofstream(fmt::format("/proc/{}/oom_score_adj", process->pid_)) << 500;
  return process;
}

Process::~Process() {
  Kill(milliseconds(0));
  CloseRequests();
  if (reply_fd_ >= 0) ::close(reply_fd_);
  if (log_fd_ >= 0) ::close(log_fd_);
  if (lifeline_fd_ >= 0) ::close(lifeline_fd_);
}

void Process::CloseRequests() {
  if (request_fd_ >= 0) ::close(request_fd_);
  request_fd_ = -1;
}

void Process::DrainLog() {
  std::array<char, 64 << 10> buffer;
  for (int round = 0; round < 16 && log_fd_ >= 0; ++round) {
    const ssize_t count = ::read(log_fd_, buffer.data(), buffer.size());
    if (count > 0) {
      log_.Append(std::string_view(buffer.data(), static_cast<size_t>(count)));
    } else if (count == 0) {
      ::close(log_fd_);
      log_fd_ = -1;
    } else if (errno != EINTR) {
      return;
    }
  }
}

std::optional<Exit> Process::Poll() {
  if (exit_) return exit_;
  // The child is not reaped yet: its group's id must not be reused until Kill has ended the group.
  siginfo_t info = {};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == ECHILD) exit_ = Exit{};
    return exit_;
  }
  if (info.si_pid != pid_) return std::nullopt;
  exit_ = info.si_code == CLD_EXITED ? Exit{0, info.si_status} : Exit{info.si_status, 0};
  return exit_;
}

std::optional<Exit> Process::WaitFor(milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  const int pid_fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  std::optional<Exit> exit;
  while (true) {
    exit = Poll();
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (exit || left.count() <= 0) break;
    // A kernel without pidfds (before 5.3) is polled every two milliseconds.
    const int64_t patience = pid_fd < 0 ? 2 : 1000;
    std::array<pollfd, 2> fds = {pollfd{pid_fd, POLLIN, 0}, pollfd{log_fd_, POLLIN, 0}};
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min<int64_t>(left.count(), patience)));
    DrainLog();  // a process that waits on a full log pipe cannot exit
  }
  if (pid_fd >= 0) ::close(pid_fd);
  return exit;
}

Exit Process::Kill(milliseconds grace) {
  if (pid_ < 0) return exit_.value_or(Exit{});
  if (grace.count() > 0 && !Poll()) {
    ::kill(supervised() ? pid_ : -pid_, SIGTERM);
    WaitFor(grace);
  }
  if (supervised()) {
    ::close(std::exchange(lifeline_fd_, -1));
    // A supervisor that is stopped or stuck is not waited for; KillOrphans ends what it leaves.
    WaitFor(std::chrono::seconds(6));
  }
  ::kill(-pid_, SIGKILL);
  if (WaitFor(std::chrono::seconds(10))) {
    ::waitpid(pid_, nullptr, 0);
  } else {
    exit_ = Exit{SIGKILL, 0};
  }
  DrainLog();
  {
    const std::lock_guard lock(registry_mutex);
    Registry().erase(pid_);
  }
  pid_ = -1;
  KillOrphans();
  return *exit_;
}

std::vector<pid_t> Process::Members() const {
  std::vector<pid_t> members = descendants_.Of(pid_);
  if (!supervised()) members.push_back(pid_);
  return members;
}

double Process::CpuMs() const { return CpuMsOf(Members()); }

int64_t Process::RssKb() const { return MemoryOf(Members()).resident_kb; }

int64_t Process::MemoryKb(const std::filesystem::path& folder, int64_t limit_kb) const {
  // Files in the folder that are also mapped are already counted as resident.
  const auto total = [&](const MemoryUse& use) {
    return use.resident_kb + std::max<int64_t>(0, MemoryOfFolderKb(folder) - use.shared_kb);
  };
  std::vector<pid_t> members = Members();
  int64_t least = total(MemoryOf(members));
  if (members.size() < 2) return least;
  // A process that forks or ends while the files of one look are read changes the shares of all others, so the sum may
  // be too high. Memory that is really in use is found in every look; that of a family that is ending is not.
  constexpr int kLooks = 5;
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  for (int look = 0; look < kLooks && least > limit_kb; ++look) {
    if (look > 0) std::this_thread::sleep_for(kBetweenLooks);
    members = Members();
    // A single process would be charged with only its share of pages that processes of other slots map, too; it is
    // charged with all of them.
    least = std::min(least, total(members.size() < 2 ? MemoryOf(members) : ProportionalMemoryOf(members)));
  }
  return least;
}

void AdoptOrphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  adopting = true;
}

void KillOrphans() {
  if (!adopting) return;
  // Killing one process may orphan its children, which become ours in the next round.
  for (int round = 0; round < 100; ++round) {
    const std::lock_guard lock(registry_mutex);
    bool found = false;
    for (const pid_t pid : ChildrenOf(0)) {
      // A child that a living worker left in its session is handled by that worker.
      if (Registry().contains(pid) || Registry().contains(::getsid(pid))) continue;
      found = true;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    if (!found) return;
  }
}

std::string SupervisorProgram() { return (ProgramFolder() / "opbyop-supervisor").string(); }

Expected<std::string> RunCommand(const std::vector<std::string>& argv, milliseconds limit) {
  Expected<std::unique_ptr<Process>> process = Process::Spawn({.argv = argv, .supervision = Supervision()});
  if (!process) return Unexpected(process.error());
  (*process)->CloseRequests();
  const std::optional<Exit> exit = (*process)->WaitFor(limit);
  (*process)->DrainLog();
  std::string output((*process)->log().text());
  if (!exit) {
    return MakeError(ExitCode::kNoInput, fmt::format("`{}` did not end within {} ms", argv[0], limit.count()));
  }
  if (exit->signal != 0 || exit->code != 0) {
    return MakeError(ExitCode::kNoInput, fmt::format("`{}` ended with {}: {}", fmt::join(argv, " "), exit->Describe(),
                                                     output.substr(0, output.find('\n'))));
  }
  return output;
}

}  // namespace opbyop
