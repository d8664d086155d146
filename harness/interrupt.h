// Ctrl-C and kill, handled in a thread: says how to go on, cleans up, leaves. Workers die with the process.
//
//   const InterruptWatch watch([&] { run.RemoveScratch(); });   // before other threads are started
#ifndef OPBYOP_HARNESS_INTERRUPT_H_
#define OPBYOP_HARNESS_INTERRUPT_H_

#include <signal.h>

#include <functional>
#include <thread>

namespace opbyop {

class InterruptWatch {
 public:
  explicit InterruptWatch(std::function<void()> clean_up);
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  sigset_t signals_;
  std::thread thread_;
};

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_INTERRUPT_H_
