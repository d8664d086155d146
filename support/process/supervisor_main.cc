// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-supervisor: the program that outlives a run that is killed. support/process/process.cc and
// harness/run/sweeper.cc start it.
//
//   opbyop-supervisor run --lifeline=4 --started=5 [--write=FOLDER]... [--network] -- PROGRAM ARGUMENT...
//   opbyop-supervisor sweep FOLDER...
//   opbyop-supervisor isolation
//
// `run` starts the program in a cgroup if one can be created, and adopts every orphan below it. It ends all of them
// when the program has ended or when the lifeline (a pipe from the parent) is closed, whichever comes first: a tool's
// daemons cannot stay, however the parent ends. It ends as the program did, with the same signal or code. With --write,
// the program may write only there and change only its own descendants; it also has no network without --network.
// `sweep` waits for the end of standard input, whose other end the run and all its supervisors hold, and removes the
// folders. `isolation` prints the means that keep workers together on this machine.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/files/file_tree.h"
#include "support/process/cgroup.h"
#include "support/process/gatekeeper.h"
#include "support/process/isolation.h"
#include "support/process/landlock.h"
#include "support/process/network_filter.h"
#include "support/process/process_filter.h"
#include "support/process/process_tree.h"
#include "support/process/read_only.h"

namespace opbyop {
namespace {

struct Arguments {
  int lifeline = -1;
  int started = -1;
  Restriction restriction;
  char** program = nullptr;
};

std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 2; i < argc; ++i) {
    const std::string_view text = argv[i];
    const auto value = [&](std::string_view flag) { return text.substr(flag.size()); };
    const auto number = [&](std::string_view flag, int& fd) {
      std::from_chars(value(flag).data(), text.data() + text.size(), fd);
    };
    if (text.starts_with("--lifeline=")) number("--lifeline=", arguments.lifeline);
    if (text.starts_with("--started=")) number("--started=", arguments.started);
    if (text.starts_with("--write=")) arguments.restriction.writable.emplace_back(value("--write="));
    if (text == "--network") arguments.restriction.network = true;
    if (text == "--" && i + 1 < argc) {
      arguments.program = argv + i + 1;
      return arguments;
    }
  }
  return std::nullopt;
}

// Tells the parent why the program was not started. The parent reads nothing if it was started.
[[noreturn]] void GiveUp(int started, int error, std::string_view why) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(why.size()), why.data());
  (void)!::write(started, &error, sizeof error);
  ::_exit(127);
}

// Gives up the rights to affect other processes. Returns an error if the kernel supports a restriction but refuses it.
Expected<void> GiveUpRights(const Restriction& restriction, bool read_only, Gatekeeper& gatekeeper) {
  if (restriction.writable.empty()) return {};
  if (read_only && !MakeReadOnlyBut(restriction.writable)) {
    return MakeError(ExitCode::kInternal, fmt::format("mounts: {}", std::strerror(errno)));
  }
  const int landlock = UsableLandlockAbi();
  if (landlock > 0) {
    if (const Expected<void> done = Restrict(restriction); !done) return done;
  }
  if (!MayFilterCalls()) return {};
  if (!restriction.network) {
    if (const Expected<void> done = RefuseDatagrams(); !done) return done;
  }
  const Expected<int> questions =
      FilterProcesses({.signals = landlock < kLandlockSignalAbi, .asks = gatekeeper.can_be_asked()});
  if (!questions) return Unexpected(questions.error());
  gatekeeper.Send(*questions);
  return {};
}

[[noreturn]] void BecomeProgram(const Arguments& arguments, pid_t parent, bool read_only, Gatekeeper& gatekeeper) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  // If the machine runs out of memory, the kernel should kill a worker rather than the run.
  if (const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    (void)!::write(fd, "500", 3);
    ::close(fd);
  }
  if (const Expected<void> done = GiveUpRights(arguments.restriction, read_only, gatekeeper); !done) {
    GiveUp(arguments.started, EPERM, done.error().message);
  }
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::fcntl(arguments.started, F_SETFD, FD_CLOEXEC);
  ::close(arguments.lifeline);
  ::close_range(static_cast<unsigned>(arguments.started) + 1, ~0U, 0);  // descriptors that are held for the run
  ::execvp(arguments.program[0], arguments.program);
  const int error = errno;
  (void)!::write(arguments.started, &error, sizeof error);
  ::_exit(127);
}

// The program's pipes must show its own end (an end of replies is a death), so this process must not hold them open.
void ReleasePipes() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  ::close(3);
}

class Family {
 public:
  Family(pid_t program, const std::optional<Cgroup>& group) : program_(program), group_(group) {}

  // Collects all processes that have ended. Returns true while any is left.
  bool Reap() {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) != 0;) {
      if (pid < 0 && errno != EINTR) return false;
      if (pid == program_) status_ = status;
    }
    return true;
  }

  bool program_ended() const { return status_.has_value(); }
  int status() const { return status_.value_or(SIGKILL); }

  // A process that forks during the search is found in the next round.
  void KillAll() {
    constexpr int kRounds = 5000;  // one millisecond each; a process that is left then is stuck in the kernel
    for (int round = 0; round < kRounds; ++round) {
      if (group_) group_->Kill();
      for (const pid_t pid : DescendantsOf(0)) ::kill(pid, SIGKILL);
      if (!Reap()) return;
      ::poll(nullptr, 0, 1);
    }
  }

 private:
  pid_t program_;
  const std::optional<Cgroup>& group_;
  std::optional<int> status_;
};

[[noreturn]] void EndAs(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::raise(number);
  ::_exit(128 + number);
}

int Run(const Arguments& arguments) {
  const std::vector<std::filesystem::path>& writable = arguments.restriction.writable;
  const bool read_only = !writable.empty() && MayMakeReadOnly(writable);
  Gatekeeper gatekeeper;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int signal_fd = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  std::optional<Cgroup> group = MayUseCgroups() ? Cgroup::Make() : std::nullopt;
  const pid_t self = ::getpid();
  pid_t program = group ? group->Fork() : ::fork();
  if (program < 0 && group) {
    group.reset();
    program = ::fork();
  }
  if (program == 0) BecomeProgram(arguments, self, read_only, gatekeeper);
  if (program < 0) GiveUp(arguments.started, errno, "fork failed");
  gatekeeper.Take();
  ::close(arguments.started);
  ReleasePipes();
  Family family(program, group);
  while (!family.program_ended()) {
    std::array<pollfd, 3> fds = {pollfd{signal_fd, POLLIN, 0}, pollfd{arguments.lifeline, 0, 0},
                                 pollfd{gatekeeper.questions(), POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    if (fds[1].revents != 0) break;
    if (fds[2].revents != 0) gatekeeper.Answer(fds[2].revents);
    signalfd_siginfo info = {};
    while (::read(signal_fd, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo != SIGCHLD) ::kill(-program, static_cast<int>(info.ssi_signo));
    }
    family.Reap();
  }
  family.KillAll();
  group.reset();
  EndAs(family.status());
}

int Sweep(int argc, char** argv) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_IGN);
  Cgroup::RemoveStale();
  char byte = 0;
  ssize_t count = 0;
  do count = ::read(STDIN_FILENO, &byte, 1);
  while (count > 0 || (count < 0 && errno == EINTR));
  for (int i = 2; i < argc; ++i) (void)RemoveTree(argv[i]);
  Cgroup::RemoveStale();
  return 0;
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "sweep") return Sweep(argc, argv);
  if (verb == "isolation") {
    std::puts(DescribeIsolation().c_str());
    return 0;
  }
  const std::optional<Arguments> arguments = verb == "run" ? Parse(argc, argv) : std::nullopt;
  if (arguments && arguments->lifeline > 3 && arguments->started > 3) return Run(*arguments);
  std::fprintf(stderr, "opbyop-supervisor is started by conformance and its like, not by hand\n");
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) { return opbyop::Main(argc, argv); }
