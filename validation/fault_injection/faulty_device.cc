// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/fault_injection/faulty_device.h"

#include "reference/eval/nan_bits.h"
#include "reference/eval/ops/run_on_grid.h"
#include "support/dtype.h"

namespace opbyop::fault_injection {

using reference::Values;

namespace {

// Tensors of numbers; those of quantized types are computed in another type than they are stored in.
bool IsPlain(mlir::Value value) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return tensor && (tensor.getElementType().isIntOrFloat() || llvm::isa<mlir::ComplexType>(tensor.getElementType()));
}

// The op of @main with this number among those that are no constants; nullptr if there are fewer, or if an op has
// values that are no plain tensors.
mlir::Operation* OpAt(mlir::ModuleOp module, size_t place) {
  const Expected<mlir::Operation*> entry = reference::EntryOf(module);
  if (!entry) return nullptr;
  mlir::Operation* found = nullptr;
  for (mlir::Operation& op : (*entry)->getRegion(0).front().without_terminator()) {
    if (!llvm::all_of(op.getOperands(), IsPlain) || !llvm::all_of(op.getResults(), IsPlain)) return nullptr;
    if (!op.hasTrait<mlir::OpTrait::ConstantLike>() && place-- == 0) found = &op;
  }
  return found;
}

Expected<std::vector<reference::Tensor>> TensorsOf(Expected<Values> values) {
  if (!values) return Unexpected(values.error());
  std::vector<reference::Tensor> tensors;
  for (reference::Value& value : *values) {
    if (value.is_tensor()) tensors.push_back(std::move(value.tensor()));
  }
  return tensors;
}

// The results of a right op, changed by a fault of results or of bytes.
Expected<Values> WithSpoiltResults(const Fault& fault, reference::OpContext& context) {
  const Values arguments = context.operands;
  FaultyOp op(context);
  Expected<Values> results = op.Right();
  if (!results) return results;
  Expected<std::vector<reference::Tensor>> tensors = TensorsOf(std::move(results));
  if (fault.results) {
    const Rerun rerun = [&](Values given) {
      context.operands = std::move(given);
      return op.Right();
    };
    if (const Expected<void> done = fault.results({*tensors, arguments, rerun}); !done) return Unexpected(done.error());
  }
  Values spoilt;
  for (reference::Tensor& t : *tensors) {
    if (fault.bytes) {
      std::vector<std::byte> bytes = reference::TensorToBytes(t);
      fault.bytes(t.type(), bytes);
      Expected<reference::Tensor> changed = reference::TensorFromBytes(t.type(), t.shape(), bytes);
      if (!changed) return Unexpected(changed.error());
      t = std::move(*changed);
    }
    spoilt.emplace_back(std::move(t));
  }
  return spoilt;
}

}  // namespace

bool Concerns(const Fault& fault, mlir::ModuleOp module) {
  mlir::Operation* within = fault.place ? OpAt(module, *fault.place) : module.getOperation();
  if (within == nullptr) return false;
  // A right device may choose the bits of what it computes, and none of what it moves.
  if (fault.place && fault.legal && fault.bytes && reference::KeepsBits(within)) return false;
  if (!fault.op) return true;
  return within
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
  mlir::Operation* const place = fault != nullptr && fault->place ? OpAt(module, *fault->place) : nullptr;
  if (fault != nullptr && (fault->op || place != nullptr)) {
    options.hook = [fault, place](reference::OpContext& context, Values& results) -> Expected<bool> {
      const bool changed = fault->op
                               ? fault->ChangesOp(context.name) && (place == nullptr || place->isAncestor(context.op))
                               : place == context.op;
      if (!changed) return false;
      FaultyOp faulty(context);
      Expected<Values> wrong = fault->op ? fault->op(faulty) : WithSpoiltResults(*fault, context);
      if (!wrong) return Unexpected(wrong.error());
      results = std::move(*wrong);
      return true;
    };
  }
  const auto evaluate = [&](Values given) {
    return reference::EvaluateOnGrid(module, *entry, options, grid, std::move(given));
  };
  Expected<std::vector<reference::Tensor>> tensors = TensorsOf(evaluate(arguments));
  if (!tensors) return Unexpected(tensors.error());
  const Fault* const of_program = fault != nullptr && !fault->place ? fault : nullptr;
  if (of_program != nullptr && of_program->results) {
    const Rerun rerun = evaluate;
    const Expected<void> done = of_program->results({*tensors, arguments, rerun});
    if (!done) return Unexpected(done.error());
  }
  std::vector<reference::InputData> outputs;
  for (const reference::Tensor& t : *tensors) {
    outputs.push_back({t.type(), t.shape(), reference::TensorToBytes(t)});
    if (of_program != nullptr && of_program->bytes) of_program->bytes(t.type(), outputs.back().bytes);
  }
  return outputs;
}

}  // namespace opbyop::fault_injection
