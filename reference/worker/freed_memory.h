// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Freed memory that a process serving a reference keeps. New pages cost more than the work of a request on them,
// so up to 384 MiB are kept for later requests. Without glibc nothing is set.
//
//   KeepFreedMemory();                // once
//   KeepLargeBlocks(work.live_bytes); // for each program
//   ReturnFreedMemory();              // after each request
#ifndef OPBYOP_REFERENCE_WORKER_FREED_MEMORY_H_
#define OPBYOP_REFERENCE_WORKER_FREED_MEMORY_H_

namespace opbyop::reference {

// Sets what is kept of blocks below 32 MiB.
void KeepFreedMemory();

// Sets whether larger blocks are kept too. Where a program holds much at once, each goes back to the system when it is
// freed, so that gaps between blocks cost nothing.
void KeepLargeBlocks(double live_bytes);

// Returns all freed memory to the system if it is more than what is kept, and all large blocks of tensors.
void ReturnFreedMemory();

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_FREED_MEMORY_H_
