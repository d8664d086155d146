// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a process ended.
//
//   Exit end = ExitOf(status);            // of waitpid
//   Fail("the worker ended: " + end.Describe());
#ifndef OPBYOP_SUPPORT_PROCESS_EXIT_H_
#define OPBYOP_SUPPORT_PROCESS_EXIT_H_

#include <string>

namespace opbyop {

struct Exit {
  int signal = 0;  // that killed it; 0 where it left by itself
  int code = 0;

  // "SIGSEGV (Segmentation fault)", "exit code 3".
  std::string Describe() const;
};

// Reads the status that waitpid gives for a process that has ended.
Exit ExitOf(int wait_status);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_EXIT_H_
