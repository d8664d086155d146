// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function with a stack of its own. It can stop in the middle and continue later, on the thread that resumes it.
//
//   Fiber fiber([] { First(); Fiber::Yield(); Second(); });
//   fiber.Resume();   // First()
//   fiber.Resume();   // Second(); fiber.done()
//
// Fibers nest: one may resume another. A fiber must be done, or never have started, when it is destroyed.
#ifndef OPBYOP_REFERENCE_GRID_FIBER_H_
#define OPBYOP_REFERENCE_GRID_FIBER_H_

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace opbyop::reference {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // False if no stack could be mapped. Resume() then does nothing.
  bool valid() const { return stack_ != nullptr; }
  bool done() const { return done_; }

  // Runs until the body yields or ends.
  void Resume();
  // Called inside a fiber, it returns control to the caller of Resume(). Outside of a fiber it does nothing.
  static void Yield();

 private:
  // One of the two contexts between which control is switched: the fiber and the code that resumed it.
  struct Side {
    ucontext_t context{};
    // State that the sanitizers need. Unused without them.
    void* thread = nullptr;
    void* fake_stack = nullptr;
    const void* stack = nullptr;
    size_t stack_bytes = 0;
  };

  static void Enter();
  // Returns when `to` switches back to `from`. Never returns if `from` has `ended`.
  static void Switch(Side* from, Side* to, bool ended = false);

  std::function<void()> body_;
  std::byte* stack_ = nullptr;
  Side own_;
  Side resumer_;
  Fiber* outer_ = nullptr;  // the fiber that resumed this one
  bool started_ = false;
  bool done_ = false;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_GRID_FIBER_H_
