// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/eval_progress.h"

#include "fmt/format.h"
#include "mlir/IR/Location.h"

namespace opbyop::reference {

EvalHook EvalProgress::Counting(EvalHook hook) {
  return [this, hook = std::move(hook)](OpContext& context, Values& results) -> Expected<bool> {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++ops_;
      name_ = context.op->getName().getStringRef();
      place_ = context.op->getLoc();
    }
    return hook(context, results);
  };
}

void EvalProgress::Forget() {
  const std::lock_guard<std::mutex> lock(mutex_);
  name_ = {};
  place_ = {};
}

std::string EvalProgress::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  std::string text = fmt::format("{} ops after {:.0f} s", ops_, taken.count());
  if (!place_) return text;
  text += fmt::format(", now {}", std::string_view(name_));
  if (auto line = mlir::Location(place_)->findInstanceOf<mlir::FileLineColLoc>()) {
    text += fmt::format(" at {}:{}", line.getFilename().str(), line.getLine());
  }
  return text;
}

ProgressLines::ProgressLines(const EvalProgress& progress, std::ostream& out, std::chrono::milliseconds every) {
  thread_ = std::thread([this, &progress, &out, every] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ended_.wait_for(lock, every, [this] { return is_over_; }))
      out << "eval: " << progress.Text() << '\n' << std::flush;
  });
}

ProgressLines::~ProgressLines() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

}  // namespace opbyop::reference
