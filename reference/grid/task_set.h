// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs several tasks on one thread: each runs until it has to wait, then the next one does.
//
//   TaskSet tasks;
//   tasks.Spawn("a", [&] { ...; return tasks.WaitUntil([&] { return arrived; }, [] { return "b"; }); });
//   tasks.Spawn("b", [&] { arrived = true; return Expected<void>(); });
//   Expected<void> done = tasks.Run();
//
// The order is fixed, so a run is repeatable. If all tasks wait and none can continue, the error of Run() says which
// task waits for what. After a failure every waiting task is woken with an error and ends in the ordinary way.
#ifndef OPBYOP_REFERENCE_GRID_TASK_SET_H_
#define OPBYOP_REFERENCE_GRID_TASK_SET_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/grid/fiber.h"
#include "support/expected.h"

namespace opbyop::reference {

class TaskSet {
 public:
  using Body = std::function<Expected<void>()>;

  // May be called from a task.
  void Spawn(std::string name, Body body);

  // Runs until all tasks have ended. Returns the first error, or an error that describes the deadlock.
  Expected<void> Run();

  // Called inside a task, it returns once `ready` holds. `what` describes what the task waits for, for the message
  // about a deadlock. Returns an error if `ready` can no longer become true, or outside of Run().
  Expected<void> WaitUntil(std::function<bool()> ready, std::function<std::string()> what);

 private:
  struct Task {
    std::string name;
    std::unique_ptr<Fiber> fiber;
    std::function<bool()> ready;  // empty: the task can continue
    std::function<std::string()> what;
    std::optional<Error> error;
  };

  void Step(Task& task);
  Error Deadlock() const;

  std::vector<std::unique_ptr<Task>> tasks_;
  Task* running_ = nullptr;
  std::optional<Error> failure_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_GRID_TASK_SET_H_
