// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Called in main() before threads are started, so that the state inherited from the parent does not change the program.
//
//   int main(int argc, char** argv) {
//     if (const Expected<void> started = StartProgram(); !started) return Fail(started.error());
//
// - A write beyond the limit on a file's size (ulimit -f) fails with EFBIG, as a write to a full disk fails with
//   ENOSPC, instead of ending the process with SIGXFSZ.
// - Ends of children are reported even if SIGCHLD was ignored, and signals that were blocked are received. An ignored
//   SIGINT or SIGHUP stays ignored: nohup and background jobs of a shell rely on that.
// - Standard input, output and error are open; otherwise the next opened file would be used as one of them.
// - As many files may be open as the hard limit allows.
#ifndef OPBYOP_SUPPORT_START_PROGRAM_H_
#define OPBYOP_SUPPORT_START_PROGRAM_H_

#include <sys/resource.h>

#include "support/expected.h"

namespace opbyop {

// No program works with fewer descriptors.
inline constexpr rlim_t kFewestDescriptors = 20;

// Returns kNoInput if fewer descriptors are available, or if the working folder has been removed.
Expected<void> StartProgram();

// The current limit on open files.
rlim_t MostDescriptors();

// The soft limit on open files for programs that this program starts: the limit that it was started with, or the usual
// one (1024) if that was lower.
rlim_t DescriptorsOfChildren();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_START_PROGRAM_H_
