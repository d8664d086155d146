#include "reference/fiber.h"

#include <sys/mman.h>

namespace opbyop {
namespace {

// Address space, of which only touched pages become memory: as much as a thread gets, behind a page that faults.
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
  if (stack_ != nullptr) munmap(stack_, kStackBytes + kGuardBytes);
}

void Fiber::Enter() {
  Fiber* self = current;
  self->body_();
  self->done_ = true;
  // uc_link leads back to the resumer.
}

void Fiber::Resume() {
  if (done_ || !valid()) return;
  if (!started_) {
    started_ = true;
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_ + kGuardBytes;
    own_.uc_stack.ss_size = kStackBytes;
    own_.uc_link = &resumer_;
    makecontext(&own_, &Fiber::Enter, 0);
  }
  outer_ = current;
  current = this;
  swapcontext(&resumer_, &own_);
  current = outer_;
}

void Fiber::Yield() {
  Fiber* self = current;
  if (self != nullptr) swapcontext(&self->own_, &self->resumer_);
}

}  // namespace opbyop
