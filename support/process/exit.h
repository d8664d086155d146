// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes how a process ended.
//
//   Exit end = ExitOf(status);            // the status from waitpid
//   Fail("the worker ended: " + end.Describe());
#ifndef OPBYOP_SUPPORT_PROCESS_EXIT_H_
#define OPBYOP_SUPPORT_PROCESS_EXIT_H_

#include <string>

namespace opbyop {

struct Exit {
  int signal = 0;  // the signal that killed it; 0 if it exited by itself
  int code = 0;

  // The end as text: "SIGSEGV (Segmentation fault)", "exit code 3".
  std::string Describe() const;
};

// Converts the status that waitpid returns for a process that has ended.
Exit ExitOf(int wait_status);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_EXIT_H_
