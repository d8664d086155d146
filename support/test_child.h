// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: runs a function in a separate process, with limits and signals of its own, and returns its result.
//
//   EXPECT_EQ(InChild([] { ::raise(SIGTERM); return 0; }), 128 + SIGTERM);
#ifndef OPBYOP_SUPPORT_TEST_CHILD_H_
#define OPBYOP_SUPPORT_TEST_CHILD_H_

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace opbyop {

// Returns 128 + n if signal n ended the process.
inline int InChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Limits the size of this process's files to `bytes`, which looks like a full disk. RLIM_INFINITY removes the limit.
inline void LimitFileSize(rlim_t bytes) {
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEST_CHILD_H_
