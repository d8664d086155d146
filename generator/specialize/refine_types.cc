// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/specialize/refine_types.h"

#include <algorithm>
#include <optional>

#include "generator/specialize/dimension_values.h"
#include "generator/specialize/static_form.h"
#include "ir/call_target.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace opbyop::generator {
namespace {

using mlir::ShapedType;
using Shape = llvm::SmallVector<int64_t, 4>;
using Shapes = llvm::SmallVector<std::optional<Shape>, 2>;  // by result; nullopt: unknown

constexpr int64_t kUnknown = ShapedType::kDynamic;

std::optional<Shape> ShapeOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? std::optional<Shape>(type.getShape()) : std::nullopt;
}

bool MeetInto(Shape& shape, llvm::ArrayRef<int64_t> other) {
  if (shape.size() != other.size()) return false;
  for (auto [a, b] : llvm::zip(shape, other)) {
    if (a != kUnknown && b != kUnknown && a != b) return false;
    if (a == kUnknown) a = b;
  }
  return true;
}

// Bounds apply to dynamic dimensions only.
mlir::RankedTensorType WithShape(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape) {
  mlir::Attribute encoding = type.getEncoding();
  if (auto extensions = mlir::dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(encoding)) {
    Shape bounds(extensions.getBounds());
    for (size_t i = 0; i < std::min(bounds.size(), shape.size()); ++i) {
      if (shape[i] != kUnknown) bounds[i] = kUnknown;
    }
    bool any = llvm::any_of(bounds, [](int64_t bound) { return bound != kUnknown; });
    encoding = any ? stablehlo::TypeExtensionsAttr::get(type.getContext(), bounds) : mlir::Attribute();
  }
  return mlir::RankedTensorType::get(shape, type.getElementType(), encoding);
}

// For every result, the dimensions in which all operands agree.
Shapes SameAsAll(mlir::Operation* op) {
  std::optional<Shape> all;
  for (mlir::Value operand : op->getOperands()) {
    std::optional<Shape> shape = ShapeOf(operand);
    if (!shape) continue;
    if (!all) {
      all = shape;
    } else if (!MeetInto(*all, *shape)) {
      return {};
    }
  }
  return Shapes(op->getNumResults(), all);
}

// The sizes that the value of an operand gives.
Shapes ByValue(mlir::Operation* op, unsigned operand) {
  std::optional<DimensionValue> value = FindDimensionValue(op->getOperand(operand));
  if (!value) return {};
  return {Shape(value->elements)};
}

// Inference takes the batching dimensions from lhs, and those of rhs are the same.
Shapes OfDotGeneral(mlir::Operation* op) {
  auto dot = mlir::cast<stablehlo::DotGeneralOp>(op);
  Shape shape(dot.getType().getRank(), kUnknown);
  for (auto [i, dimension] : llvm::enumerate(dot.getDotDimensionNumbers().getRhsBatchingDimensions())) {
    shape[i] = dot.getRhs().getType().getDimSize(dimension);
  }
  return {shape};
}

// The shape of a reshape with one dynamic dimension.
Shapes OfReshape(mlir::Operation* op) {
  auto operand = mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  auto result = mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!operand || !result || !operand.hasStaticShape() || llvm::count(result.getShape(), kUnknown) != 1) return {};
  Shape shape(result.getShape());
  int64_t known = 1;
  for (int64_t size : shape) known *= size == kUnknown ? 1 : size;
  if (known == 0 || operand.getNumElements() % known != 0) return {};
  *llvm::find(shape, kUnknown) = operand.getNumElements() / known;
  return {shape};
}

// The shapes from the op's own type inference.
Shapes InferredShapes(mlir::Operation* op) {
  Shapes shapes;
  if (auto interface = mlir::dyn_cast<mlir::InferTypeOpInterface>(op)) {
    llvm::SmallVector<mlir::Type, 2> types;
    if (failed(interface.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                          op->getRegions(), types))) {
      return {};
    }
    for (mlir::Type type : types) {
      auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
      shapes.push_back(tensor ? std::optional<Shape>(tensor.getShape()) : std::nullopt);
    }
  } else if (auto shaped = mlir::dyn_cast<mlir::InferShapedTypeOpInterface>(op)) {
    llvm::SmallVector<mlir::ShapedTypeComponents, 2> components;
    if (failed(shaped.inferReturnTypeComponents(op->getContext(), std::nullopt, op->getOperands(),
                                                op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                                op->getRegions(), components))) {
      return {};
    }
    for (const mlir::ShapedTypeComponents& each : components) {
      shapes.push_back(each.hasRank() ? std::optional<Shape>(each.getDims()) : std::nullopt);
    }
  }
  return shapes;
}

Shapes OfStaticForm(mlir::Operation* op) {
  mlir::Operation* form = CreateStaticForm(op);
  if (form == nullptr) return {};
  Shapes shapes = InferredShapes(form);
  form->destroy();
  return shapes;
}

// Custom calls of JAX name the operands that hold the shapes of their results, or stand for an op.
Shapes OfCustomCall(mlir::Operation* op) {
  auto operands = op->getAttrOfType<mlir::DenseIntElementsAttr>(kShapeOperands);
  if (!operands) {
    const bool is_random = CallTargetOf(op) == "stablehlo.dynamic_rng_bit_generator";
    if (!is_random || op->getNumOperands() != 2) return OfStaticForm(op);
    Shapes of_bits = ByValue(op, 1);
    return of_bits.empty() ? Shapes() : Shapes{std::nullopt, of_bits[0]};
  }
  Shapes shapes;
  for (const llvm::APInt& bits : operands.getValues<llvm::APInt>()) {
    uint64_t operand = bits.getZExtValue();
    if (operand >= op->getNumOperands()) return {};
    std::optional<DimensionValue> value = FindDimensionValue(op->getOperand(operand));
    shapes.push_back(value ? std::optional<Shape>(Shape(value->elements)) : std::nullopt);
  }
  return shapes;
}

// Rules for shapes that type inference leaves open.
const llvm::StringMap<Shapes (*)(mlir::Operation*)>& Rules() {
  static const llvm::StringMap<Shapes (*)(mlir::Operation*)> kRules = {
      {"stablehlo.custom_call", OfCustomCall},
      {"stablehlo.dot_general", OfDotGeneral},
      {"stablehlo.dynamic_broadcast_in_dim", [](mlir::Operation* op) { return ByValue(op, 1); }},
      {"stablehlo.dynamic_conv", OfStaticForm},
      {"stablehlo.dynamic_gather", OfStaticForm},
      {"stablehlo.dynamic_iota", [](mlir::Operation* op) { return ByValue(op, 0); }},
      {"stablehlo.dynamic_pad", OfStaticForm},
      {"stablehlo.dynamic_reshape", [](mlir::Operation* op) { return ByValue(op, 1); }},
      {"stablehlo.real_dynamic_slice", OfStaticForm},
      {"stablehlo.reshape", OfReshape},
  };
  return kRules;
}

// The type of a tuple follows from the types of its elements.
void RefineTuples(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.tuple") {
    op->getResult(0).setType(mlir::TupleType::get(op->getContext(), llvm::to_vector(op->getOperandTypes())));
  } else if (name == "stablehlo.get_tuple_element") {
    auto tuple = mlir::dyn_cast<mlir::TupleType>(op->getOperand(0).getType());
    auto index = op->getAttrOfType<mlir::IntegerAttr>("index");
    if (!tuple || !index || index.getInt() < 0 || index.getInt() >= static_cast<int64_t>(tuple.size())) return;
    op->getResult(0).setType(tuple.getType(index.getInt()));
  }
}

llvm::LogicalResult Apply(mlir::Operation* op, const Shapes& shapes) {
  for (auto [result, shape] : llvm::zip(op->getResults(), shapes)) {
    if (!shape || !mlir::isa<mlir::RankedTensorType>(result.getType())) continue;
    mlir::Type type = MeetTypes(result.getType(), *shape);
    if (!type) {
      std::string given;
      for (int64_t size : *shape) given += (given.empty() ? "" : "x") + (size == kUnknown ? "?" : std::to_string(size));
      return op->emitOpError() << "has a result of " << result.getType() << ", but its operands give the shape "
                               << given << "; do the requested shapes fit the program?";
    }
    result.setType(type);
  }
  return llvm::success();
}

bool IsStatic(mlir::Type type) {
  auto shaped = mlir::dyn_cast<ShapedType>(type);
  return !shaped || shaped.hasStaticShape();
}

}  // namespace

mlir::Type MeetTypes(mlir::Type declared, llvm::ArrayRef<int64_t> shape) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(declared);
  if (!type) return {};
  Shape met(type.getShape());
  if (!MeetInto(met, shape)) return {};
  return WithShape(type, met);
}

mlir::Type JoinTypes(mlir::Type a, mlir::Type b) {
  if (a == b) return a;
  auto left = mlir::dyn_cast<mlir::RankedTensorType>(a);
  auto right = mlir::dyn_cast<mlir::RankedTensorType>(b);
  if (!left || !right || left.getRank() != right.getRank() || left.getElementType() != right.getElementType())
    return {};
  Shape shape;
  for (auto [x, y] : llvm::zip(left.getShape(), right.getShape())) shape.push_back(x == y ? x : kUnknown);
  return mlir::RankedTensorType::get(shape, left.getElementType());
}

llvm::LogicalResult RefineResults(mlir::Operation* op) {
  RefineTuples(op);
  if (llvm::all_of(op->getResultTypes(), IsStatic)) return llvm::success();
  if (failed(Apply(op, InferredShapes(op)))) return llvm::failure();
  if (op->hasTrait<stablehlo::SameShape>()) return Apply(op, SameAsAll(op));
  auto rule = Rules().find(op->getName().getStringRef());
  return rule == Rules().end() ? llvm::success() : Apply(op, rule->second(op));
}

mlir::Operation* MakeStatic(mlir::Operation* op) {
  if (!llvm::all_of(op->getOperandTypes(), IsStatic) || !llvm::all_of(op->getResultTypes(), IsStatic)) return op;
  mlir::Operation* replacement = CreateStaticForm(op);
  if (replacement == nullptr) return op;
  mlir::OpBuilder(op).insert(replacement);
  op->replaceAllUsesWith(replacement);
  op->erase();
  return replacement;
}

}  // namespace opbyop::generator
