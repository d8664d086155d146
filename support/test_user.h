// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests of file permissions: they do not restrict root, and containers run tests as root.
//
//   EXPECT_TRUE(AsOrdinaryUser(folder.path(), [&] { return ::open(closed.c_str(), O_RDONLY) < 0; }));
#ifndef OPBYOP_SUPPORT_TEST_USER_H_
#define OPBYOP_SUPPORT_TEST_USER_H_

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

namespace opbyop {

// Returns the result of `attempt` in a process of an ordinary user, who owns `folder`: of this user, unless it is root.
// Returns false if that process ended early.
inline bool AsOrdinaryUser(const std::filesystem::path& folder, const std::function<bool()>& attempt) {
  constexpr uid_t kUser = 54321;
  const pid_t pid = ::fork();
  if (pid == 0) {
    const bool is_root = ::geteuid() == 0;
    if (is_root && (::chown(folder.c_str(), kUser, kUser) != 0 || ::setgroups(0, nullptr) != 0 ||
                    ::setresgid(kUser, kUser, kUser) != 0 || ::setresuid(kUser, kUser, kUser) != 0)) {
      ::_exit(2);
    }
    ::_exit(attempt() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && status == 0;
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEST_USER_H_
