// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/pair_parts.h"

#include <algorithm>
#include <utility>

#include "generator/program/constants.h"
#include "generator/split/splitter.h"
#include "generator/suite/program.h"
#include "ir/op_info.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::generator {
namespace {

// Tensors of a pair have at most as many elements: a fault of two ops together needs no large ones.
constexpr int64_t kMostElements = 1 << 15;

// Whether the value is no tensor, or one with elements, but not too many. A tensor of dynamic size has any number.
bool IsModest(mlir::Type type) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return !tensor;
  return tensor.getNumElements() > 0 && tensor.getNumElements() <= kMostElements;
}

bool IsElementwise(mlir::Operation* op) {
  const OpKind kind = KindOf(op->getName().getStringRef());
  return kind == OpKind::kElementwiseUnary || kind == OpKind::kElementwiseBinary || kind == OpKind::kElementwiseTernary;
}

mlir::Block& MainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main").getBody().front(); }

}  // namespace

bool PairPart::IsOpen(unsigned operand) const { return llvm::isa<mlir::BlockArgument>(op->getOperand(operand)); }

mlir::RankedTensorType TensorOf(mlir::Value value) { return llvm::dyn_cast<mlir::RankedTensorType>(value.getType()); }

std::string ElementText(mlir::Type type) {
  if (const auto tensor = llvm::dyn_cast<mlir::ShapedType>(type)) type = tensor.getElementType();
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

Expected<PairParts> PairParts::Make(mlir::MLIRContext& context, const Suite& suite, const PairRules& rules,
                                    Level level) {
  PairParts parts(context, rules);
  ProgramBuilder builder(context);
  for (const std::vector<Recipe>* recipes : {&suite.recipes, &rules.more}) {
    for (const Recipe& recipe : *recipes) builder.Add(recipe, Combine(recipe, level));
  }
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = builder.Finish();
  if (!module) return Unexpected(module.error());
  parts.modules_.push_back(std::move(*module));
  for (mlir::Operation& op : MainOf(parts.module())) {
    if (!op.hasAttr(kCoversAttribute)) continue;
    op.removeAttr(kCoversAttribute);
    const bool modest = llvm::all_of(op.getOperandTypes(), IsModest) && llvm::all_of(op.getResultTypes(), IsModest);
    std::vector<PairPart>& of_op = parts.parts_[op.getName().getStringRef().str()];
    if (modest) of_op.push_back({&op});
  }
  return parts;
}

std::vector<std::string> PairParts::Ops() const {
  std::vector<std::string> ops;
  ops.reserve(parts_.size());
  for (const auto& [op, parts] : parts_) ops.push_back(op);
  return ops;
}

const std::vector<PairPart>& PairParts::Of(const std::string& op) const {
  static const std::vector<PairPart> kNone;
  const auto found = parts_.find(op);
  return found == parts_.end() ? kNone : found->second;
}

bool PairParts::CanReshape(const PairPart& part) {
  if (!IsElementwise(part.op) || part.op->getNumResults() != 1 || part.op->getNumRegions() > 0) return false;
  const mlir::RankedTensorType result = TensorOf(part.op->getResult(0));
  if (!result || !result.hasStaticShape()) return false;
  for (unsigned i = 0; i < part.op->getNumOperands(); ++i) {
    const mlir::RankedTensorType operand = TensorOf(part.op->getOperand(i));
    if (!part.IsOpen(i) || !operand) return false;
    if (operand.getRank() != 0 && operand.getShape() != result.getShape()) return false;
  }
  return part.op->getNumOperands() > 0;
}

std::optional<PairPart> PairParts::Reshaped(const PairPart& part, llvm::ArrayRef<int64_t> shape) {
  if (!CanReshape(part)) return std::nullopt;
  const mlir::RankedTensorType result = TensorOf(part.op->getResult(0));
  const auto changed = [&](mlir::RankedTensorType type) {
    // A scalar beside larger tensors, as the limits of a clamp, stays one.
    return type.getShape() == result.getShape() ? type.clone(shape) : type;
  };
  mlir::Location loc = part.op->getLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  mlir::OpBuilder builder(context_);
  builder.setInsertionPointToEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  mlir::Block* block = main.addEntryBlock();
  mlir::IRMapping mapping;
  mlir::Operation* op = part.op->clone(mapping);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    op->setOperand(i, block->addArgument(changed(TensorOf(part.op->getOperand(i))), loc));
  }
  op->getResult(0).setType(changed(result));
  block->push_back(op);
  const mlir::ScopedDiagnosticHandler quiet(context_, [](mlir::Diagnostic&) { return mlir::success(); });
  if (mlir::failed(mlir::verify(op))) return std::nullopt;
  modules_.push_back(std::move(module));
  return PairPart{op};
}

std::optional<PairPart> PairParts::Shaped(const std::map<std::string, Recipe>& recipes, const std::string& op,
                                          mlir::Type type) {
  const auto recipe = recipes.find(op);
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (recipe == recipes.end() || !tensor || !IsModest(type) || tensor.getEncoding()) return std::nullopt;
  ProgramBuilder builder(*context_);
  builder.Add(recipe->second, {{ShapeNames(tensor.getShape().vec(), ElementText(type)), {}}});
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = builder.Finish();
  if (!module) return std::nullopt;  // as a slice of a scalar
  for (mlir::Operation& made : MainOf(module->get())) {
    if (!made.hasAttr(kCoversAttribute)) continue;
    made.removeAttr(kCoversAttribute);
    modules_.push_back(std::move(*module));
    return PairPart{&made};
  }
  return std::nullopt;
}

std::optional<PairPart> PairParts::WithResult(const std::string& op, mlir::Type type) {
  std::optional<PairPart> part = Shaped(rules_->before, op, type);
  if (part && part->op->getResult(0).getType() != type) part.reset();
  return part;
}

std::optional<PairPart> PairParts::WithOperand(const std::string& op, mlir::Type type) {
  std::optional<PairPart> part = Shaped(rules_->after, op, type);
  if (part && !llvm::all_of(part->op->getResultTypes(), IsModest)) part.reset();
  return part;
}

}  // namespace opbyop::generator
