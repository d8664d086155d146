// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/fault_injection/faulty_device.h"

#include "reference/eval/ops/run_on_grid.h"
#include "support/dtype.h"

namespace opbyop::fault_injection {

using reference::Values;

bool Concerns(const Fault& fault, mlir::ModuleOp module) {
  if (!fault.op) return true;
  return module
      ->walk([&](mlir::Operation* op) {
        const llvm::StringRef name = op->getName().getStringRef();
        return fault.ChangesOp(std::string_view(name.data(), name.size())) ? mlir::WalkResult::interrupt()
                                                                           : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

Expected<std::vector<reference::InputData>> RunFaulty(const Fault* fault, mlir::ModuleOp module,
                                                      const Values& arguments, const Grid& grid) {
  const Expected<mlir::Operation*> entry = reference::EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  reference::EvalOptions options;
  if (fault != nullptr && fault->program) fault->program(module);
  if (fault != nullptr && fault->op) {
    options.hook = [fault](reference::OpContext& context, Values& results) -> Expected<bool> {
      if (!fault->ChangesOp(context.name)) return false;
      FaultyOp faulty(context);
      Expected<Values> wrong = fault->op(faulty);
      if (!wrong) return Unexpected(wrong.error());
      results = std::move(*wrong);
      return true;
    };
  }
  const auto evaluate = [&](Values given) {
    return reference::EvaluateOnGrid(module, *entry, options, grid, std::move(given));
  };
  Expected<Values> results = evaluate(arguments);
  if (!results) return Unexpected(results.error());
  std::vector<reference::Tensor> tensors;
  for (reference::Value& value : *results) {
    if (value.is_tensor()) tensors.push_back(std::move(value.tensor()));
  }
  if (fault != nullptr && fault->results) {
    const Rerun rerun = evaluate;
    if (const Expected<void> done = fault->results({tensors, arguments, rerun}); !done) return Unexpected(done.error());
  }
  std::vector<reference::InputData> outputs;
  for (const reference::Tensor& t : tensors) {
    outputs.push_back({t.type(), t.shape(), reference::TensorToBytes(t)});
    if (fault != nullptr && fault->bytes) fault->bytes(t.type(), outputs.back().bytes);
  }
  return outputs;
}

}  // namespace opbyop::fault_injection
