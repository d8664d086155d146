// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reports the progress of a long evaluation to another thread.
//
//   EvalProgress progress;
//   Evaluator evaluator(module, {.hook = progress.Counting(CheckHook(log))});
//   progress.Text();   // "1200 ops after 34 s, now stablehlo.dot_general at model.mlir:12"
#ifndef OPBYOP_REFERENCE_WORKER_EVAL_PROGRESS_H_
#define OPBYOP_REFERENCE_WORKER_EVAL_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

#include "reference/eval/evaluator.h"

namespace opbyop::reference {

class EvalProgress {
 public:
  // Returns a hook that records the current op and then calls `hook`.
  EvalHook Counting(EvalHook hook);

  // Must be called before the MLIRContext of the ops is destroyed.
  void Forget();

  std::string Text() const;

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  int64_t ops_ = 0;
  llvm::StringRef name_;  // name of the current op; lives as long as the MLIRContext
  mlir::LocationAttr place_;
};

// While an object lives, prints the progress every few seconds.
class ProgressLines {
 public:
  ProgressLines(const EvalProgress& progress, std::ostream& out, std::chrono::milliseconds every);
  ~ProgressLines();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_EVAL_PROGRESS_H_
