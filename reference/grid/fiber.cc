// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/grid/fiber.h"

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace opbyop::reference {
namespace {

// The stack is as large as that of a thread. It is reserved address space: only pages that are touched use memory.
// Below it is a guard area: an access to it faults.
constexpr size_t kStackBytes = size_t{8} << 20;
constexpr size_t kGuardBytes = size_t{1} << 16;

thread_local Fiber* current = nullptr;

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  void* memory = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_ = static_cast<std::byte*>(memory);
  mprotect(stack_, kGuardBytes, PROT_NONE);
}

Fiber::~Fiber() {
#ifdef __SANITIZE_THREAD__
  if (own_.thread != nullptr) __tsan_destroy_fiber(own_.thread);
#endif
  if (stack_ != nullptr) munmap(stack_, kStackBytes + kGuardBytes);
}

// Sanitizers track each stack and must be notified right before a switch and right after it. Both notifications are in
// one function, because ThreadSanitizer also tracks which functions were entered.
void Fiber::Switch(Side* from, Side* to, bool ended) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(ended ? nullptr : &from->fake_stack, to->stack, to->stack_bytes);
#elif defined(__SANITIZE_THREAD__)
  from->thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to->thread, 0);
#endif
  swapcontext(&from->context, &to->context);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(from->fake_stack, &to->stack, &to->stack_bytes);
#endif
}

void Fiber::Enter() {
  Fiber* self = current;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &self->resumer_.stack, &self->resumer_.stack_bytes);
#endif
  self->body_();
  self->done_ = true;
  Switch(&self->own_, &self->resumer_, /*ended=*/true);
}

void Fiber::Resume() {
  if (done_ || !valid()) return;
  if (!started_) {
    started_ = true;
    own_.stack = stack_ + kGuardBytes;
    own_.stack_bytes = kStackBytes;
    getcontext(&own_.context);
    own_.context.uc_stack.ss_sp = stack_ + kGuardBytes;
    own_.context.uc_stack.ss_size = kStackBytes;
    own_.context.uc_link = nullptr;  // Enter() switches back itself when the body ends
    makecontext(&own_.context, &Fiber::Enter, 0);
#ifdef __SANITIZE_THREAD__
    own_.thread = __tsan_create_fiber(0);
#endif
  }
  outer_ = current;
  current = this;
  Switch(&resumer_, &own_);
  current = outer_;
}

void Fiber::Yield() {
  Fiber* self = current;
  if (self != nullptr) Switch(&self->own_, &self->resumer_);
}

}  // namespace opbyop::reference
