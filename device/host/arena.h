// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The heap of generated code: all that it allocates lives until ResetArena().
//
// Generated functions have static shapes, so their temporaries are few and of equal size at every call. Blocks are kept
// and handed out again, so a call that frees nothing leaks nothing. A loop allocates its buffers once, before its first
// iteration (opbyop-hoist-allocations), so its length does not matter.
#ifndef OPBYOP_DEVICE_HOST_ARENA_H_
#define OPBYOP_DEVICE_HOST_ARENA_H_

#include <cstddef>

namespace opbyop::host {

// Each thread has a heap of its own. Memory is 64-byte aligned. Returns null if the system has no more memory, as
// malloc does.
void* ArenaAllocate(size_t bytes);
void ArenaFree(void* pointer);

// Takes back everything handed out since the last reset. The memory is kept for the next call.
void ResetArena();

// Calls ResetArena() and gives the memory back to the system.
void ReleaseArena();

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_ARENA_H_
