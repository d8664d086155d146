// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/specialize/dimension_values.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "generator/program/constants.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::generator {
namespace {

constexpr int64_t kMaxElements = 256;
constexpr int kMaxOps = 1024;  // most ops that are examined for one value

using Elements = llvm::SmallVector<int64_t, 4>;
using Arguments = llvm::ArrayRef<DimensionValue>;

mlir::Type ElementType(mlir::Type type) { return mlir::getElementTypeOrSelf(type); }

// Returns -1 if the type is not a static shape of few integers.
int64_t CountOf(mlir::Type type) {
  if (!ElementType(type).isIntOrIndex()) return -1;
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (!shaped) return 1;
  if (!shaped.hasStaticShape() || shaped.getNumElements() > kMaxElements) return -1;
  return shaped.getNumElements();
}

// Wraps the value to the element type: StableHLO's signless integers are signed, i1 and uiN are not.
int64_t Wrapped(int64_t value, mlir::Type element) {
  constexpr unsigned kWord = 64;
  if (element.isIndex()) return value;
  unsigned width = element.getIntOrFloatBitWidth();
  if (width >= kWord) return value;
  bool is_unsigned = element.isUnsignedInteger() || width == 1;
  uint64_t bits = static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(width);
  return is_unsigned ? static_cast<int64_t>(bits) : llvm::SignExtend64(bits, width);
}

std::optional<int64_t> Binary(llvm::StringRef name, int64_t a, int64_t b) {
  using Function = std::optional<int64_t> (*)(int64_t, int64_t);
  static const llvm::StringMap<Function> kFunctions = {
      {"add", [](int64_t x, int64_t y) -> std::optional<int64_t> { return static_cast<uint64_t>(x) + y; }},
      {"subtract", [](int64_t x, int64_t y) -> std::optional<int64_t> { return static_cast<uint64_t>(x) - y; }},
      {"multiply", [](int64_t x, int64_t y) -> std::optional<int64_t> { return static_cast<uint64_t>(x) * y; }},
      {"divide",
       [](int64_t x, int64_t y) -> std::optional<int64_t> {
         if (y == 0 || (y == -1 && x == std::numeric_limits<int64_t>::min())) return std::nullopt;
         return x / y;
       }},
      {"remainder",
       [](int64_t x, int64_t y) -> std::optional<int64_t> {
         if (y == 0 || y == -1) return y == 0 ? std::nullopt : std::optional<int64_t>(0);
         return x % y;
       }},
      {"maximum", [](int64_t x, int64_t y) -> std::optional<int64_t> { return std::max(x, y); }},
      {"minimum", [](int64_t x, int64_t y) -> std::optional<int64_t> { return std::min(x, y); }},
      {"and", [](int64_t x, int64_t y) -> std::optional<int64_t> { return x & y; }},
      {"or", [](int64_t x, int64_t y) -> std::optional<int64_t> { return x | y; }},
      {"xor", [](int64_t x, int64_t y) -> std::optional<int64_t> { return x ^ y; }},
  };
  auto it = kFunctions.find(name);
  return it == kFunctions.end() ? std::nullopt : it->second(a, b);
}

std::optional<int64_t> Unary(llvm::StringRef name, int64_t a) {
  if (name == "negate") return -static_cast<uint64_t>(a);
  if (name == "abs") return a < 0 ? -static_cast<uint64_t>(a) : a;
  if (name == "sign") return (a > 0) - (a < 0);
  if (name == "not") return ~a;
  if (name == "convert") return a;
  return std::nullopt;
}

// The direction is an enum attribute; its text names it in every dialect version.
std::optional<int64_t> Compared(mlir::Operation* op, int64_t a, int64_t b) {
  mlir::Attribute attribute = op->getAttr("comparison_direction");
  if (!attribute) return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  llvm::StringRef direction(text);
  size_t end = direction.find_last_of(" ");
  if (end != llvm::StringRef::npos) direction = direction.drop_front(end + 1);
  direction = direction.trim(">\"");
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return a < b;
  if (direction == "LE") return a <= b;
  if (direction == "GT") return a > b;
  if (direction == "GE") return a >= b;
  return std::nullopt;
}

// StableHLO's name for an op that other dialects name differently.
llvm::StringRef CommonName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("arith.addi", "stablehlo.add")
      .Case("arith.subi", "stablehlo.subtract")
      .Case("arith.muli", "stablehlo.multiply")
      .Case("arith.divsi", "stablehlo.divide")
      .Case("arith.remsi", "stablehlo.remainder")
      .Case("arith.maxsi", "stablehlo.maximum")
      .Case("arith.minsi", "stablehlo.minimum")
      .Cases({"arith.index_cast", "arith.extsi", "arith.trunci"}, "stablehlo.convert")
      .Case("tensor.from_elements", "stablehlo.concatenate")
      .Cases({"tensor.cast", "shape.to_extent_tensor"}, "stablehlo.convert")
      .Default(name);
}

class Finder {
 public:
  std::optional<DimensionValue> Of(mlir::Value value) {
    if (const auto argument = arguments_.find(value); argument != arguments_.end()) return argument->second;
    mlir::Operation* op = value.getDefiningOp();
    int64_t count = CountOf(value.getType());
    if (op == nullptr || count < 0 || --budget_ < 0) return std::nullopt;
    if (IsConstant(op)) return OfConstant(op, count);
    if (std::optional<DimensionValue> size = OfDimension(op)) return size;
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
      return OfCall(call, mlir::cast<mlir::OpResult>(value).getResultNumber());
    }
    llvm::StringRef name = CommonName(op->getName().getStringRef());
    if (!name.consume_front("stablehlo.") || op->getNumResults() != 1) return std::nullopt;
    llvm::SmallVector<DimensionValue, 3> operands;
    DimensionValue result;
    for (mlir::Value operand : op->getOperands()) {
      std::optional<DimensionValue> known = Of(operand);
      if (!known) return std::nullopt;
      result.from_dimension |= known->from_dimension;
      operands.push_back(std::move(*known));
    }
    std::optional<Elements> elements = Evaluate(op, name, operands, count);
    if (!elements || static_cast<int64_t>(elements->size()) != count) return std::nullopt;
    for (int64_t& element : *elements) element = Wrapped(element, ElementType(value.getType()));
    result.elements = std::move(*elements);
    return result;
  }

 private:
  // JAX divides sizes in functions of their own.
  std::optional<DimensionValue> OfCall(mlir::func::CallOp call, unsigned result) {
    auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
    const bool is_one = function && function.getBody().hasOneBlock() &&
                        function.getNumArguments() == call.getNumOperands() && result < function.getNumResults();
    if (!is_one) return std::nullopt;
    llvm::DenseMap<mlir::Value, std::optional<DimensionValue>> inner;
    for (const auto& [argument, operand] : llvm::zip(function.getArguments(), call.getOperands())) {
      inner[argument] = Of(operand);
    }
    std::swap(arguments_, inner);
    std::optional<DimensionValue> value = Of(function.getBody().front().getTerminator()->getOperand(result));
    std::swap(arguments_, inner);
    return value;
  }

  static std::optional<DimensionValue> OfConstant(mlir::Operation* op, int64_t count) {
    DimensionValue value;
    value.from_dimension = op->hasAttr(kDimensionAttribute);
    mlir::Type element = ElementType(op->getResult(0).getType());
    if (auto integer = op->getAttrOfType<mlir::IntegerAttr>("value")) {
      value.elements.push_back(Wrapped(integer.getValue().getSExtValue(), element));
      return value;
    }
    auto dense = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(ConstantElements(op));
    constexpr unsigned kWord = 64;
    if (!dense || dense.getNumElements() != count) return std::nullopt;
    for (const llvm::APInt& bits : dense.getValues<llvm::APInt>()) {
      if (bits.getBitWidth() > kWord) return std::nullopt;
      value.elements.push_back(Wrapped(bits.getSExtValue(), element));
    }
    return value;
  }

  // The size of one static dimension, or of all.
  std::optional<DimensionValue> OfDimension(mlir::Operation* op) {
    llvm::StringRef name = op->getName().getStringRef();
    if (op->getNumOperands() == 0) return std::nullopt;
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType());
    if (!type) return std::nullopt;
    if (name == "shape.shape_of") {
      if (!type.hasStaticShape()) return std::nullopt;
      return DimensionValue{Elements(type.getShape()), true};
    }
    int64_t dimension = -1;
    if (name == "stablehlo.get_dimension_size") {
      if (auto attribute = op->getAttrOfType<mlir::IntegerAttr>("dimension")) dimension = attribute.getInt();
    } else if (name == "tensor.dim") {
      if (std::optional<DimensionValue> index = Of(op->getOperand(1))) dimension = index->elements[0];
    }
    if (dimension < 0 || dimension >= type.getRank() || type.isDynamicDim(dimension)) return std::nullopt;
    return DimensionValue{{type.getDimSize(dimension)}, true};
  }

  static std::optional<Elements> Evaluate(mlir::Operation* op, llvm::StringRef name, Arguments operands,
                                          int64_t count) {
    if (name == "reshape" || (name == "broadcast_in_dim" && operands[0].elements.size() == 1)) {
      Elements elements = operands[0].elements;
      if (elements.size() == 1) elements.resize(count, elements[0]);
      return elements;
    }
    if (name == "concatenate") {
      Elements elements;
      // Along the first dimension the elements of the operands follow each other, as the scalars of
      // tensor.from_elements do.
      const auto dimension = op->getAttrOfType<mlir::IntegerAttr>("dimension");
      if (dimension && dimension.getInt() != 0) return std::nullopt;
      for (const DimensionValue& operand : operands) llvm::append_range(elements, operand.elements);
      return elements;
    }
    if (name == "slice") return Slice(op, operands[0].elements);
    return Elementwise(op, name, operands, count);
  }

  static std::optional<Elements> Slice(mlir::Operation* op, const Elements& operand) {
    auto starts = op->getAttrOfType<mlir::DenseI64ArrayAttr>("start_indices");
    auto limits = op->getAttrOfType<mlir::DenseI64ArrayAttr>("limit_indices");
    auto strides = op->getAttrOfType<mlir::DenseI64ArrayAttr>("strides");
    if (!starts || !limits || !strides || starts.size() != 1 || limits.size() != 1 || strides.size() != 1) {
      return std::nullopt;
    }
    int64_t size = static_cast<int64_t>(operand.size());
    if (starts[0] < 0 || limits[0] > size || strides[0] < 1) return std::nullopt;
    Elements elements;
    for (int64_t i = starts[0]; i < limits[0]; i += strides[0]) elements.push_back(operand[i]);
    return elements;
  }

  static std::optional<Elements> Elementwise(mlir::Operation* op, llvm::StringRef name, Arguments operands,
                                             int64_t count) {
    Elements elements;
    for (int64_t i = 0; i < count; ++i) {
      llvm::SmallVector<int64_t, 3> at;
      for (const DimensionValue& operand : operands) {
        size_t place = operand.elements.size() == 1 ? 0 : static_cast<size_t>(i);
        if (place >= operand.elements.size()) return std::nullopt;
        at.push_back(operand.elements[place]);
      }
      std::optional<int64_t> element;
      if (name == "compare" && at.size() == 2) {
        element = Compared(op, at[0], at[1]);
      } else if (name == "select" && at.size() == 3) {
        element = at[0] != 0 ? at[1] : at[2];
      } else if (name == "clamp" && at.size() == 3) {
        element = std::min(std::max(at[1], at[0]), at[2]);
      } else if (at.size() == 2) {
        element = Binary(name, at[0], at[1]);
      } else if (at.size() == 1) {
        element = Unary(name, at[0]);
      }
      if (!element) return std::nullopt;
      elements.push_back(*element);
    }
    return elements;
  }

  int budget_ = kMaxOps;
  llvm::DenseMap<mlir::Value, std::optional<DimensionValue>> arguments_;  // of the function that is called
};

}  // namespace

std::optional<DimensionValue> FindDimensionValue(mlir::Value value) { return Finder().Of(value); }

}  // namespace opbyop::generator
