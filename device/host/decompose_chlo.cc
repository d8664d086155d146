// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/decompose_chlo.h"

#include <llvm/ADT/StringMap.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/TypeUtilities.h>

#include <numeric>

#include "device/host/hlo_builder.h"
#include "device/host/passes.h"
#include "device/pipeline/refusal.h"
#include "ir/chlo/chlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using Dims = llvm::SmallVector<int64_t>;
using Results = llvm::SmallVector<Value>;

// Returns the values that replace the op's results, or an empty list if the op was refused.
using Decomposition = Results (*)(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op);

Results Refuse(mlir::Operation* op, const llvm::Twine& why) {
  device::EmitUnsupported(op) << why;
  return {};
}

mlir::Attribute AsStablehlo(mlir::Attribute attribute) {
  mlir::MLIRContext* context = attribute.getContext();
  if (auto direction = mlir::dyn_cast<chlo::ComparisonDirectionAttr>(attribute)) {
    return stablehlo::ComparisonDirectionAttr::get(context,
                                                   static_cast<stablehlo::ComparisonDirection>(direction.getValue()));
  }
  if (auto type = mlir::dyn_cast<chlo::ComparisonTypeAttr>(attribute)) {
    return stablehlo::ComparisonTypeAttr::get(context, static_cast<stablehlo::ComparisonType>(type.getValue()));
  }
  return attribute;
}

// Lowers chlo.broadcast_x: broadcasts the operands to the shape of the result, then applies x.
Results Broadcast(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op) {
  const auto shape = mlir::cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  const int64_t rank = static_cast<int64_t>(shape.size());
  auto given = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  Hlo h(b);
  Results operands;
  for (Value operand : op->getOperands()) {
    const int64_t own = static_cast<int64_t>(StaticShape(operand).size());
    Dims dimensions(own);
    std::iota(dimensions.begin(), dimensions.end(), rank - own);
    if (given && own < rank && given.size() == own)
      dimensions.assign(given.asArrayRef().begin(), given.asArrayRef().end());
    operands.push_back(h.Broadcast(operand, shape, dimensions));
  }
  const llvm::StringRef tail = op->getName().stripDialect().drop_front(llvm::StringRef("broadcast_").size());
  const bool special = tail == "next_after" || tail == "polygamma" || tail == "zeta";
  mlir::OperationState state(op->getLoc(), ((special ? "chlo." : "stablehlo.") + tail).str(), operands,
                             op->getResultTypes());
  for (mlir::NamedAttribute attribute : op->getAttrs()) {
    if (attribute.getName() == "broadcast_dimensions") continue;
    state.addAttribute(attribute.getName(), AsStablehlo(attribute.getValue()));
  }
  return Results(b.create(state)->getResults());
}

Results Constant(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op) {
  return {stablehlo::ConstantOp::create(b, op->getAttrOfType<mlir::ElementsAttr>("value"))};
}

Results ConstantLike(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op) {
  auto like = mlir::cast<chlo::ConstantLikeOp>(op);
  auto type = mlir::cast<RankedTensorType>(like.getResult().getType());
  auto value = mlir::dyn_cast<mlir::TypedAttr>(like.getValue());
  if (!mlir::isa_and_nonnull<mlir::IntegerAttr, mlir::FloatAttr>(value) || value.getType() != type.getElementType()) {
    return Refuse(op, "its value is no number of its element type");
  }
  return {stablehlo::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, mlir::Attribute(value)))};
}

// Sorts the elements stably together with their indices, greatest first, then takes the first k of both.
Results TopK(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op) {
  auto top_k = mlir::cast<chlo::TopKOp>(op);
  Value operand = top_k.getOperand();
  const Dims shape(StaticShape(operand));
  if (shape.empty()) return Refuse(op, "a scalar has no last dimension");
  const int64_t last = static_cast<int64_t>(shape.size()) - 1;
  mlir::Type index = mlir::getElementTypeOrSelf(top_k.getIndices());
  Hlo h(b);
  Value places = h.Iota(shape, index, last);
  auto sort = stablehlo::SortOp::create(b, mlir::TypeRange{operand.getType(), places.getType()},
                                        mlir::ValueRange{operand, places}, static_cast<uint64_t>(last),
                                        /*is_stable=*/true);
  mlir::Block& block = sort->getRegion(0).emplaceBlock();
  for (mlir::Type element : {mlir::getElementTypeOrSelf(operand), index}) {
    RankedTensorType scalar = RankedTensorType::get({}, element);
    block.addArguments({scalar, scalar}, {op->getLoc(), op->getLoc()});
  }
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&block);
    Value greater = h.Compare(stablehlo::ComparisonDirection::GT, block.getArgument(0), block.getArgument(1));
    stablehlo::ReturnOp::create(b, mlir::ValueRange{greater});
  }
  const auto k = static_cast<int64_t>(top_k.getK());
  return {h.Slice(sort->getResult(0), last, 0, k), h.Slice(sort->getResult(1), last, 0, k)};
}

// Loops over the slices along one dimension, with the outputs so far and the carries.
Results Scan(mlir::ImplicitLocOpBuilder& b, mlir::Operation* op) {
  auto scan = mlir::cast<chlo::ScanOp>(op);
  const auto dimension = static_cast<int64_t>(scan.getDimension());
  const auto inputs = scan.getInputs();
  if (inputs.empty()) return Refuse(op, "it has no inputs");
  const int64_t steps = StaticShape(inputs[0])[dimension];
  Hlo h(b);
  const size_t outputs = scan.getOutputs().size();
  Results initial;
  for (Value output : scan.getOutputs()) {
    initial.push_back(h.Splat(StaticShape(output), mlir::getElementTypeOrSelf(output), 0));
  }
  initial.append(scan.getInits().begin(), scan.getInits().end());
  return h.Repeat(steps, initial, [&](Value step, mlir::ValueRange values) {
    Value last = h.Splat({}, b.getI64Type(), static_cast<double>(steps - 1));
    Value at = scan.getIsReverse() ? h.Binary<stablehlo::SubtractOp>(last, step) : step;
    mlir::IRMapping mapping;
    mlir::Block& inner = scan.getBody().front();
    for (auto [argument, input] : llvm::zip(inner.getArguments(), inputs)) {
      mapping.map(argument, h.Reshape(h.SliceAt(input, dimension, at), StaticShape(argument)));
    }
    for (auto [argument, carry] :
         llvm::zip_equal(inner.getArguments().drop_front(inputs.size()), values.drop_front(outputs))) {
      mapping.map(argument, carry);
    }
    for (mlir::Operation& each : inner.without_terminator()) b.clone(each, mapping);
    Results next;
    for (auto [i, result] : llvm::enumerate(inner.getTerminator()->getOperands())) {
      Value value = mapping.lookupOrDefault(result);
      next.push_back(i < outputs ? h.UpdateAt(values[i], value, dimension, at) : value);
    }
    return next;
  });
}

Results RaggedDot(mlir::ImplicitLocOpBuilder&, mlir::Operation* op) {
  Value product = DecomposeRaggedDot(op);
  return product ? Results{product} : Results();
}

Decomposition Find(llvm::StringRef name) {
  static const llvm::StringMap<Decomposition> table = {
      {"constant", &Constant}, {"constant_like", &ConstantLike}, {"ragged_dot", &RaggedDot}, {"scan", &Scan},
      {"top_k", &TopK},
  };
  if (name.starts_with("broadcast_")) return &Broadcast;
  return table.lookup(name);
}

}  // namespace

bool DecomposeChlo(mlir::Operation* op) {
  const Decomposition decomposition = Find(op->getName().stripDialect());
  if (!decomposition) return true;
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes()))) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape()) continue;
    std::string text;
    llvm::raw_string_ostream(text) << type;
    (void)Refuse(op, text + " is no tensor of static shape");
    return false;
  }
  mlir::ImplicitLocOpBuilder b(op->getLoc(), op);
  const Results results = decomposition(b, op);
  if (results.empty() && op->getNumResults() != 0) return false;
  op->replaceAllUsesWith(results);
  op->erase();
  return true;
}

}  // namespace opbyop::host
