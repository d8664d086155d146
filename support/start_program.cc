// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/start_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "support/files/file.h"

namespace opbyop {
namespace {

constexpr rlim_t kUsualDescriptors = 1024;

rlimit Descriptors() {
  rlimit limit = {kUsualDescriptors, kUsualDescriptors};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

rlim_t& SoftLimitAtStart() {
  static rlim_t limit = Descriptors().rlim_cur;
  return limit;
}

void OpenStandardFiles() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one.
    (void)!::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

void TakeSignals() {
  ReportFullFilesAsErrors();
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

Expected<void> StartProgram() {
  OpenStandardFiles();
  TakeSignals();
  rlimit limit = Descriptors();
  SoftLimitAtStart() = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (const rlim_t most = MostDescriptors(); most < kFewestDescriptors) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("only {} files may be open at once (ulimit -n), and this program needs {} at least",
                                 most, kFewestDescriptors));
  }
  std::array<char, PATH_MAX> folder = {};
  // A folder whose path is too long exists; a removed one does not.
  if (::getcwd(folder.data(), folder.size()) == nullptr && errno != ERANGE) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("the folder in which this program was started no longer exists ({}): change to "
                                 "another folder",
                                 std::strerror(errno)));
  }
  return {};
}

rlim_t MostDescriptors() { return Descriptors().rlim_cur; }

rlim_t DescriptorsOfChildren() {
  return std::min(std::max(SoftLimitAtStart(), kUsualDescriptors), Descriptors().rlim_max);
}

}  // namespace opbyop
