#include "generator/refine_types.h"

#include <algorithm>
#include <optional>

#include "generator/dimension_values.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace opbyop {
namespace {

using mlir::ShapedType;
using Shape = llvm::SmallVector<int64_t, 4>;
using Shapes = llvm::SmallVector<std::optional<Shape>, 2>;  // by result; nullopt: nothing is known

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

// Bounds are of dynamic dimensions only.
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

Shapes SameAsOperand(mlir::Operation* op, unsigned first) {
  Shapes shapes;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    shapes.push_back(first + i < op->getNumOperands() ? ShapeOf(op->getOperand(first + i)) : std::nullopt);
  }
  return shapes;
}

// What all operands agree on, for every result.
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

// Sizes that an operand gives.
Shapes ByValue(mlir::Operation* op, unsigned operand) {
  std::optional<DimensionValue> value = FindDimensionValue(op->getOperand(operand));
  if (!value) return {};
  return {Shape(value->elements)};
}

Shapes OfTranspose(mlir::Operation* op) {
  auto permutation = op->getAttrOfType<mlir::DenseI64ArrayAttr>("permutation");
  std::optional<Shape> operand = ShapeOf(op->getOperand(0));
  if (!permutation || !operand || permutation.size() != static_cast<int64_t>(operand->size())) return {};
  Shape shape;
  for (int64_t dimension : permutation.asArrayRef()) {
    if (dimension < 0 || dimension >= permutation.size()) return {};
    shape.push_back((*operand)[dimension]);
  }
  return {shape};
}

Shapes OfReduce(mlir::Operation* op) {
  auto dimensions = op->getAttrOfType<mlir::DenseI64ArrayAttr>("dimensions");
  std::optional<Shape> operand = ShapeOf(op->getOperand(0));
  if (!dimensions || !operand) return {};
  Shape shape;
  for (size_t i = 0; i < operand->size(); ++i) {
    if (!llvm::is_contained(dimensions.asArrayRef(), static_cast<int64_t>(i))) shape.push_back((*operand)[i]);
  }
  return Shapes(op->getNumResults(), shape);
}

Shapes OfConcatenate(mlir::Operation* op) {
  auto attribute = op->getAttrOfType<mlir::IntegerAttr>("dimension");
  std::optional<Shape> all;
  int64_t sum = 0;
  for (mlir::Value operand : op->getOperands()) {
    std::optional<Shape> shape = ShapeOf(operand);
    if (!attribute || !shape || attribute.getInt() < 0 || attribute.getInt() >= static_cast<int64_t>(shape->size())) {
      return {};
    }
    int64_t& size = (*shape)[attribute.getInt()];
    sum = size == kUnknown || sum == kUnknown ? kUnknown : sum + size;
    size = kUnknown;
    if (!all) {
      all = shape;
    } else if (!MeetInto(*all, *shape)) {
      return {};
    }
  }
  if (!all) return {};
  (*all)[attribute.getInt()] = sum;
  return {all};
}

Shapes OfDotGeneral(mlir::Operation* op) {
  auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op);
  if (!dot) return {};
  auto numbers = dot.getDotDimensionNumbers();
  Shape lhs(dot.getLhs().getType().getShape());
  Shape rhs(dot.getRhs().getType().getShape());
  Shape shape;
  for (auto [l, r] : llvm::zip(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions())) {
    shape.push_back(lhs[l] == kUnknown ? rhs[r] : lhs[l]);
  }
  auto add_free = [&](const Shape& side, llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contracted) {
    for (size_t i = 0; i < side.size(); ++i) {
      int64_t dimension = static_cast<int64_t>(i);
      if (!llvm::is_contained(batch, dimension) && !llvm::is_contained(contracted, dimension)) shape.push_back(side[i]);
    }
  };
  add_free(lhs, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions());
  add_free(rhs, numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions());
  return {shape};
}

// Offset dimensions are the slice's own, the others those of the indices in order.
Shapes GatheredShape(stablehlo::GatherDimensionNumbersAttr numbers, mlir::Value indices,
                     llvm::ArrayRef<int64_t> slice) {
  std::optional<Shape> batch = ShapeOf(indices);
  if (!batch) return {};
  int64_t vector = numbers.getIndexVectorDim();
  if (vector < 0 || vector > static_cast<int64_t>(batch->size())) return {};
  if (vector < static_cast<int64_t>(batch->size())) batch->erase(batch->begin() + vector);
  Shape kept;
  for (size_t i = 0; i < slice.size(); ++i) {
    int64_t dimension = static_cast<int64_t>(i);
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), dimension)) continue;
    if (llvm::is_contained(numbers.getOperandBatchingDims(), dimension)) continue;
    kept.push_back(slice[i]);
  }
  Shape shape;
  size_t from_batch = 0;
  size_t from_slice = 0;
  for (size_t i = 0; i < batch->size() + kept.size(); ++i) {
    bool is_offset = llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(i));
    const Shape& source = is_offset ? kept : *batch;
    size_t& at = is_offset ? from_slice : from_batch;
    if (at >= source.size()) return {};
    shape.push_back(source[at++]);
  }
  return {shape};
}

Shapes OfGather(mlir::Operation* op) {
  auto gather = mlir::dyn_cast<stablehlo::GatherOp>(op);
  if (!gather) return {};
  return GatheredShape(gather.getDimensionNumbers(), gather.getStartIndices(), gather.getSliceSizes());
}

Shapes OfDynamicGather(mlir::Operation* op) {
  auto gather = mlir::dyn_cast<stablehlo::DynamicGatherOp>(op);
  if (!gather) return {};
  std::optional<DimensionValue> sizes = FindDimensionValue(gather.getSliceSizes());
  if (!sizes) return {};
  return GatheredShape(gather.getDimensionNumbers(), gather.getStartIndices(), sizes->elements);
}

Shapes Padded(mlir::Operation* op, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
              llvm::ArrayRef<int64_t> interior) {
  std::optional<Shape> shape = ShapeOf(op->getOperand(0));
  if (!shape || low.size() != shape->size() || high.size() != shape->size() || interior.size() != shape->size()) {
    return {};
  }
  for (size_t i = 0; i < shape->size(); ++i) {
    int64_t& size = (*shape)[i];
    if (size == kUnknown) continue;
    size += low[i] + high[i] + std::max<int64_t>(size - 1, 0) * interior[i];
    if (size < 0) return {};
  }
  return {shape};
}

Shapes OfPad(mlir::Operation* op) {
  auto pad = mlir::dyn_cast<stablehlo::PadOp>(op);
  if (!pad) return {};
  return Padded(op, pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(), pad.getInteriorPadding());
}

Shapes OfDynamicPad(mlir::Operation* op) {
  std::optional<DimensionValue> low = FindDimensionValue(op->getOperand(2));
  std::optional<DimensionValue> high = FindDimensionValue(op->getOperand(3));
  std::optional<DimensionValue> interior = FindDimensionValue(op->getOperand(4));
  if (!low || !high || !interior) return {};
  return Padded(op, low->elements, high->elements, interior->elements);
}

Shapes OfRealDynamicSlice(mlir::Operation* op) {
  std::optional<DimensionValue> starts = FindDimensionValue(op->getOperand(1));
  std::optional<DimensionValue> limits = FindDimensionValue(op->getOperand(2));
  std::optional<DimensionValue> strides = FindDimensionValue(op->getOperand(3));
  if (!starts || !limits || !strides) return {};
  Shape shape;
  for (auto [start, limit, stride] : llvm::zip(starts->elements, limits->elements, strides->elements)) {
    if (stride < 1 || limit < start) return {};
    shape.push_back((limit - start + stride - 1) / stride);
  }
  return {shape};
}

// A reshape with one open dimension.
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

// Custom calls of JAX say which operands hold the shapes of their results.
Shapes OfCustomCall(mlir::Operation* op) {
  auto operands = op->getAttrOfType<mlir::DenseIntElementsAttr>("indices_of_shape_operands");
  if (!operands) return {};
  Shapes shapes;
  for (const llvm::APInt& bits : operands.getValues<llvm::APInt>()) {
    uint64_t operand = bits.getZExtValue();
    if (operand >= op->getNumOperands()) return {};
    std::optional<DimensionValue> value = FindDimensionValue(op->getOperand(operand));
    shapes.push_back(value ? std::optional<Shape>(Shape(value->elements)) : std::nullopt);
  }
  return shapes;
}

using Rule = Shapes (*)(mlir::Operation*);

const llvm::StringMap<Rule>& Rules() {
  static constexpr Rule kSameAsFirst = [](mlir::Operation* op) { return SameAsOperand(op, 0); };
  static constexpr Rule kSameAsSecond = [](mlir::Operation* op) { return SameAsOperand(op, 1); };
  static const llvm::StringMap<Rule> kRules = {
      {"stablehlo.all_reduce", kSameAsFirst},
      {"stablehlo.clamp", kSameAsSecond},
      {"stablehlo.collective_broadcast", kSameAsFirst},
      {"stablehlo.concatenate", OfConcatenate},
      {"stablehlo.custom_call", OfCustomCall},
      {"stablehlo.dot_general", OfDotGeneral},
      {"stablehlo.dynamic_broadcast_in_dim", [](mlir::Operation* op) { return ByValue(op, 1); }},
      {"stablehlo.dynamic_gather", OfDynamicGather},
      {"stablehlo.dynamic_iota", [](mlir::Operation* op) { return ByValue(op, 0); }},
      {"stablehlo.dynamic_pad", OfDynamicPad},
      {"stablehlo.dynamic_reshape", [](mlir::Operation* op) { return ByValue(op, 1); }},
      {"stablehlo.dynamic_update_slice", kSameAsFirst},
      {"stablehlo.gather", OfGather},
      {"stablehlo.map", SameAsAll},
      {"stablehlo.optimization_barrier", kSameAsFirst},
      {"stablehlo.pad", OfPad},
      {"stablehlo.real_dynamic_slice", OfRealDynamicSlice},
      {"stablehlo.reduce", OfReduce},
      {"stablehlo.reshape", OfReshape},
      {"stablehlo.scatter", kSameAsFirst},
      {"stablehlo.select", kSameAsSecond},
      {"stablehlo.select_and_scatter", kSameAsFirst},
      {"stablehlo.sort", kSameAsFirst},
      {"stablehlo.transpose", OfTranspose},
      {"stablehlo.triangular_solve", kSameAsSecond},
  };
  return kRules;
}

Shapes InferredShapes(mlir::Operation* op) {
  auto interface = mlir::dyn_cast<mlir::InferTypeOpInterface>(op);
  llvm::SmallVector<mlir::Type, 2> types;
  if (!interface || failed(interface.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                                      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                                      op->getRegions(), types))) {
    return {};
  }
  Shapes shapes;
  for (mlir::Type type : types) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    shapes.push_back(tensor ? std::optional<Shape>(tensor.getShape()) : std::nullopt);
  }
  return shapes;
}

// A tuple is of what it is made of.
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
                               << given << "; do the shapes asked for fit the program?";
    }
    result.setType(type);
  }
  return llvm::success();
}

// How a dynamic op becomes a static one: which operands stay, which become attributes.
struct StaticForm {
  llvm::StringRef name;
  unsigned kept;  // leading operands
  llvm::SmallVector<llvm::StringRef, 3> attributes =
      {};  // that the other operands become; none: the result's type tells
};

const StaticForm* FormOf(mlir::Operation* op) {
  static const llvm::StringMap<StaticForm> kForms = {
      {"stablehlo.dynamic_broadcast_in_dim", {"stablehlo.broadcast_in_dim", 1}},
      {"stablehlo.dynamic_conv", {"stablehlo.convolution", 2, {"padding"}}},
      {"stablehlo.dynamic_gather", {"stablehlo.gather", 2, {"slice_sizes"}}},
      {"stablehlo.dynamic_iota", {"stablehlo.iota", 0}},
      {"stablehlo.dynamic_pad", {"stablehlo.pad", 2, {"edge_padding_low", "edge_padding_high", "interior_padding"}}},
      {"stablehlo.dynamic_reshape", {"stablehlo.reshape", 1}},
      {"stablehlo.real_dynamic_slice", {"stablehlo.slice", 1, {"start_indices", "limit_indices", "strides"}}},
  };
  auto it = kForms.find(op->getName().getStringRef());
  return it == kForms.end() ? nullptr : &it->second;
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
  const StaticForm* form = FormOf(op);
  if (form == nullptr || !llvm::all_of(op->getOperandTypes(), IsStatic) ||
      !llvm::all_of(op->getResultTypes(), IsStatic)) {
    return op;
  }
  mlir::OperationState state(op->getLoc(), form->name);
  state.addOperands(op->getOperands().take_front(form->kept));
  state.addTypes(op->getResultTypes());
  for (mlir::NamedAttribute attribute : op->getAttrDictionary()) {
    if (!attribute.getName().strref().starts_with("known_")) state.attributes.push_back(attribute);
  }
  for (auto [i, name] : llvm::enumerate(form->attributes)) {
    mlir::Value operand = op->getOperand(form->kept + i);
    std::optional<DimensionValue> value = FindDimensionValue(operand);
    if (!value) return op;
    if (name == "padding") {
      auto type = mlir::cast<ShapedType>(operand.getType()).clone(mlir::IntegerType::get(op->getContext(), 64));
      state.addAttribute(name, mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(value->elements)));
    } else {
      state.addAttribute(name, mlir::DenseI64ArrayAttr::get(op->getContext(), value->elements));
    }
  }
  mlir::OpBuilder builder(op);
  mlir::Operation* replacement = builder.create(state);
  op->replaceAllUsesWith(replacement);
  op->erase();
  return replacement;
}

}  // namespace opbyop
