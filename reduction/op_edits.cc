// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits that leave fewer ops and results.
#include <fmt/format.h>

#include "ir/stablehlo/stablehlo.h"
#include "reduction/edit.h"

namespace opbyop::reduction {
namespace {

using Replacement = std::function<mlir::Value(mlir::Value result, mlir::Operation* op, Program& program)>;

mlir::Value SameTypeOf(mlir::ValueRange values, mlir::Type type) {
  const auto found = llvm::find_if(values, [&](mlir::Value value) { return value.getType() == type; });
  return found == values.end() ? mlir::Value() : *found;
}

mlir::Value OperandOf(mlir::Value result, mlir::Operation* op, Program&) {
  return SameTypeOf(op->getOperands(), result.getType());
}

mlir::Value BlockArgumentOf(mlir::Value result, mlir::Operation* op, Program&) {
  return SameTypeOf(op->getBlock()->getArguments(), result.getType());
}

// With fixed inputs, the argument's value would not be known.
mlir::Value NewArgument(mlir::Value result, mlir::Operation* op, Program& program) {
  if (op->getBlock() != &program.body() || program.inputs) return {};
  return program.body().addArgument(result.getType(), op->getLoc());
}

mlir::Value Zero(mlir::Value result, mlir::Operation* op, Program&) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(result.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat()) return {};
  mlir::OpBuilder builder(op);
  const mlir::TypedAttr zero = builder.getZeroAttr(type);
  return zero ? stablehlo::ConstantOp::create(builder, op->getLoc(), mlir::cast<mlir::ElementsAttr>(zero)).getResult()
              : mlir::Value();
}

bool Replace(Program& program, size_t index, const Replacement& replacement) {
  mlir::Operation* op = OpsOf(program)[index];
  for (mlir::Value result : op->getResults()) {
    if (result.use_empty()) continue;
    const mlir::Value value = replacement(result, op, program);
    if (!value) return false;
    result.replaceAllUsesWith(value);
  }
  op->erase();
  UpdateSignature(program);
  return true;
}

bool KeepResult(Program& program, unsigned index) {
  mlir::Operation* terminator = program.body().getTerminator();
  const mlir::Value kept = terminator->getOperand(index);
  terminator->setOperands(kept);
  UpdateSignature(program);
  return true;
}

bool DropResult(Program& program, unsigned index) {
  program.body().getTerminator()->eraseOperand(index);
  UpdateSignature(program);
  return true;
}

}  // namespace

Edits OpEdits(const Program& program) {
  static const Replacement kReplacements[] = {&OperandOf, &BlockArgumentOf, &NewArgument, &Zero};
  Edits edits;
  const std::vector<mlir::Operation*> ops = OpsOf(program);
  // From the end, so that ops that only a removed op uses are removed too.
  for (size_t i = ops.size(); i-- > 0;) {
    mlir::Operation* op = ops[i];
    const bool in_main = op->getParentOfType<mlir::func::FuncOp>() == program.main();
    if (!in_main || !IsComputation(op) || op->getNumResults() == 0) continue;
    for (const Replacement& replacement : kReplacements) {
      edits.push_back({fmt::format("without {}", op->getName().getStringRef().str()),
                       [i, &replacement](Program& candidate) { return Replace(candidate, i, replacement); }});
    }
  }
  return edits;
}

Edits ResultEdits(const Program& program) {
  Edits edits;
  const unsigned count = program.body().getTerminator()->getNumOperands();
  for (unsigned i = 0; count > 1 && i < count; ++i) {
    edits.push_back({fmt::format("result {} alone", i), [i](Program& p) { return KeepResult(p, i); }});
  }
  for (unsigned i = 0; count > 2 && i < count; ++i) {
    edits.push_back({fmt::format("without result {}", i), [i](Program& p) { return DropResult(p, i); }});
  }
  return edits;
}

}  // namespace opbyop::reduction
