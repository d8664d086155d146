// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/grid/task_set.h"

#include <fmt/format.h>

namespace opbyop::reference {

void TaskSet::Spawn(std::string name, Body body) {
  auto task = std::make_unique<Task>();
  Task* self = task.get();
  task->name = std::move(name);
  task->fiber = std::make_unique<Fiber>([self, body = std::move(body)] {
    const Expected<void> done = body();
    if (!done) self->error = done.error();
  });
  if (!task->fiber->valid() && !failure_) {
    failure_ = Error{ExitCode::kInternal, fmt::format("{}: no memory for its stack", task->name)};
    return;
  }
  tasks_.push_back(std::move(task));
}

void TaskSet::Step(Task& task) {
  Task* outer = running_;
  running_ = &task;
  task.ready = nullptr;
  task.fiber->Resume();
  running_ = outer;
  if (task.error && !failure_) failure_ = std::move(task.error);
}

Expected<void> TaskSet::Run() {
  while (true) {
    bool waiting = false;
    bool moved = false;
    // Loops by index because a task may spawn others.
    for (size_t i = 0; i < tasks_.size(); ++i) {
      Task& task = *tasks_[i];
      if (task.fiber->done()) continue;
      if (!failure_ && task.ready && !task.ready()) {
        waiting = true;
        continue;
      }
      Step(task);
      moved = true;
    }
    if (!moved && !waiting) break;
    if (!moved) failure_ = Deadlock();
  }
  tasks_.clear();
  if (!failure_) return {};
  Error failure = std::move(*failure_);
  failure_.reset();
  return Unexpected(std::move(failure));
}

Error TaskSet::Deadlock() const {
  std::string message = "deadlock";
  const char* separator = ": ";
  for (const auto& task : tasks_) {
    if (task->fiber->done()) continue;
    message += fmt::format("{}{} waits for {}", separator, task->name, task->what());
    separator = "; ";
  }
  return {ExitCode::kBadInput, std::move(message)};
}

Expected<void> TaskSet::WaitUntil(std::function<bool()> ready, std::function<std::string()> what) {
  if (failure_) return MakeError(failure_->code, "given up after another process failed");
  if (ready()) return {};
  if (running_ == nullptr)
    return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: alone, waits for {}", what()));
  running_->ready = std::move(ready);
  running_->what = std::move(what);
  Fiber::Yield();
  if (failure_) return MakeError(failure_->code, "given up after another process failed");
  return {};
}

}  // namespace opbyop::reference
