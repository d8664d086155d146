// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For main(), before threads are started: what whoever starts a program leaves behind must not decide what it does.
//
//   int main(int argc, char** argv) {
//     if (const Expected<void> started = StartProgram(); !started) return Fail(started.error());
//
// - A write past the limit on a file's size (ulimit -f) fails with EFBIG, as one to a full disk does with ENOSPC,
//   instead of ending the process with SIGXFSZ.
// - The ends of children are seen where SIGCHLD was ignored, and signals arrive that were blocked. An ignored SIGINT or
//   SIGHUP stays ignored: that is how nohup and background jobs of a shell say what they want.
// - Standard input, output and error are open, or the next file would be taken for one of them.
// - As many files may be open as the hard limit allows.
#ifndef OPBYOP_SUPPORT_START_PROGRAM_H_
#define OPBYOP_SUPPORT_START_PROGRAM_H_

#include <sys/resource.h>

#include "support/expected.h"

namespace opbyop {

// No program works with fewer.
inline constexpr rlim_t kFewestDescriptors = 20;

// kNoInput where fewer descriptors may be open, or the working folder is gone.
Expected<void> StartProgram();

// How many files may be open now.
rlim_t MostDescriptors();

// The soft limit on open files that programs started from here get: the one that this program was started with, or what
// is usual (1024) where that was less.
rlim_t DescriptorsOfChildren();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_START_PROGRAM_H_
