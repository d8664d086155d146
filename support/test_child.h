// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: what a function returns in a process of its own, where limits and signals are its own too.
//
//   EXPECT_EQ(InChild([] { ::raise(SIGTERM); return 0; }), 128 + SIGTERM);
#ifndef OPBYOP_SUPPORT_TEST_CHILD_H_
#define OPBYOP_SUPPORT_TEST_CHILD_H_

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace opbyop {

// 128 + n where signal n ended it.
inline int InChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// No file of this process grows beyond `bytes`: how a full disk looks to it. RLIM_INFINITY: there is room again.
inline void LimitFileSize(rlim_t bytes) {
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEST_CHILD_H_
