// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: a device that computes a function as the reference does, and that a test can make misbehave.
#ifndef OPBYOP_COMMANDS_EXHAUST_DEVICE_FIXTURE_H_
#define OPBYOP_COMMANDS_EXHAUST_DEVICE_FIXTURE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "commands/exhaust/chunk_device.h"
#include "commands/exhaust/functions.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/evaluator.h"

namespace opbyop::exhaustive {

inline Function FunctionOf(const std::string& pattern, reference::ElementType type) {
  const Expected<std::vector<Function>> found = FindFunctions({pattern}, type);
  EXPECT_TRUE(found) << found.error().message;
  return found->front();
}

// The reference's results for stored elements, in stored form.
inline std::vector<std::byte> RightOutput(const Function& function, const reference::InputData& input) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(ProgramOf(function, input.shape.front()), "test.mlir", context);
  reference::Values arguments;
  arguments.emplace_back(*reference::TensorFromBytes(input.type, input.shape, input.bytes));
  reference::Evaluator evaluator(**module);
  const Expected<reference::Values> results =
      evaluator.CallFunction(*reference::EntryOf(**module), std::move(arguments));
  EXPECT_TRUE(results) << results.error().message;
  return TensorToBytes((*results)[0].tensor());
}

// Changes a correct run before it is returned: its output, or its status.
using OutputChange = std::function<void(const reference::InputData& input, ChunkRun& run)>;

class ReferenceDevice : public ChunkDevice {
 public:
  explicit ReferenceDevice(
      Function function, OutputChange change = [](const reference::InputData&, ChunkRun&) {})
      : function_(std::move(function)), change_(std::move(change)) {}

  ChunkRun Run(const Case&, const std::function<std::string()>&, const reference::InputData& input) override {
    ++runs;
    ChunkRun run{.record = {.status = Status::kPass}, .output = RightOutput(function_, input)};
    change_(input, run);
    return run;
  }

  std::atomic<int> runs = 0;

 private:
  Function function_;
  OutputChange change_;
};

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_DEVICE_FIXTURE_H_
