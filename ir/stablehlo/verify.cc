// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/stablehlo/verify.h"

#include "ir/stablehlo/wide_size.h"
#include "llvm/ADT/SmallSet.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace opbyop::stablehlo {

using llvm::cast;
using llvm::dyn_cast;
using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

std::string Show(Dims dims) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(dims, stream, [&](int64_t dim) {
    if (IsDynamic(dim))
      stream << '?';
    else
      stream << dim;
  });
  stream << ']';
  return text;
}

std::string Show(TypeRange types) {
  if (types.empty()) return "nothing";
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(types, stream, [&](Type type) { stream << '\'' << type << '\''; });
  return text;
}

//===----------------------------------------------------------------------===//
// Lists of dimensions
//===----------------------------------------------------------------------===//

LogicalResult VerifyInRange(const Site& site, llvm::StringRef name, Dims dims, int64_t size) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= size)
      return site.emitOpError() << "expects each of " << name << " to be in range [0, " << size << "), but got " << dim;
  return success();
}

LogicalResult VerifyUnique(const Site& site, llvm::StringRef name, Dims dims) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims)
    if (!seen.insert(dim).second)
      return site.emitOpError() << "expects " << name << " to be unique, but got " << Show(dims);
  return success();
}

LogicalResult VerifySorted(const Site& site, llvm::StringRef name, Dims dims) {
  if (!llvm::is_sorted(dims))
    return site.emitOpError() << "expects " << name << " to be sorted, but got " << Show(dims);
  return success();
}

LogicalResult VerifySize(const Site& site, llvm::StringRef name, size_t size, size_t expected) {
  if (size != expected)
    return site.emitOpError() << "expects " << expected << " elements in " << name << ", but got " << size;
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult VerifyResultType(const Site& site, Type inferred, Type actual) {
  if (CompatibleTypes(inferred, actual)) return success();
  return site.emitOpError() << "has result type " << actual << ", but its operands imply " << inferred;
}

LogicalResult VerifyResultTypes(const Site& site, TypeRange inferred, TypeRange actual) {
  bool agree = inferred.size() == actual.size() && llvm::all_of(llvm::zip(inferred, actual), [](auto pair) {
                 return CompatibleTypes(std::get<0>(pair), std::get<1>(pair));
               });
  if (agree) return success();
  return site.emitOpError() << "has result types " << Show(actual) << ", but its operands imply " << Show(inferred);
}

llvm::SmallVector<Type> ReturnedTypes(mlir::Region& region) {
  if (region.empty() || region.front().empty()) return {};
  auto terminator = dyn_cast<ReturnOp>(region.front().back());
  return terminator ? llvm::to_vector(terminator.getOperandTypes()) : llvm::SmallVector<Type>();
}

bool IsPredicate(TypeRange returned) {
  auto tensor = returned.size() == 1 ? dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  return tensor && tensor.getRank() == 0 && IsBoolean(tensor.getElementType());
}

std::optional<llvm::SmallVector<int64_t>> ConstantOf(mlir::Value value) {
  mlir::DenseIntElementsAttr elements;
  if (!mlir::matchPattern(value, mlir::m_Constant(&elements))) return std::nullopt;
  llvm::SmallVector<int64_t> values;
  for (const llvm::APInt& element : elements.getValues<llvm::APInt>())
    values.push_back(element.getBitWidth() > 64 ? 0 : element.getSExtValue());
  return values;
}

//===----------------------------------------------------------------------===//
// Reducers
//===----------------------------------------------------------------------===//

bool IsPromotable(Type from, Type to) {
  from = mlir::getElementTypeOrSelf(from);
  to = mlir::getElementTypeOrSelf(to);
  if (from == to) return true;
  if (auto left = dyn_cast<mlir::IntegerType>(from)) {
    auto right = dyn_cast<mlir::IntegerType>(to);
    return right && left.getSignedness() == right.getSignedness() && IsBoolean(from) == IsBoolean(to) &&
           left.getWidth() <= right.getWidth();
  }
  if (auto left = dyn_cast<mlir::FloatType>(from)) {
    auto right = dyn_cast<mlir::FloatType>(to);
    return right && left.getWidth() <= right.getWidth();
  }
  if (auto left = dyn_cast<mlir::ComplexType>(from)) {
    auto right = dyn_cast<mlir::ComplexType>(to);
    return right && IsPromotable(left.getElementType(), right.getElementType());
  }
  auto left = dyn_cast<mlir::quant::QuantizedType>(from), right = dyn_cast<mlir::quant::QuantizedType>(to);
  return left && right && left.getExpressedType() == right.getExpressedType() &&
         IsPromotable(left.getStorageType(), right.getStorageType());
}

namespace {

bool SameParameter(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  return left && right && CompatibleElements(left.getElementType(), right.getElementType()) && CompatibleShapes(a, b);
}

// Whether a shape consists of some of the sizes of `free`, in order: an accumulator may keep dimensions that are not
// reduced.
bool IsSubsequence(Dims shape, Dims free) {
  size_t next = 0;
  for (int64_t size : shape) {
    while (next < free.size() && !CompatibleDim(size, free[next])) ++next;
    if (next++ >= free.size()) return false;
  }
  return true;
}

}  // namespace

LogicalResult VerifyReducer(const Site& site, mlir::Region& region, TypeRange inputs, TypeRange inits, Dims free) {
  if (region.empty()) return success();  // an op under construction
  mlir::Block& block = region.front();
  size_t count = inputs.size();
  if (block.getNumArguments() != 2 * count)
    return site.emitOpError() << "expects the region to take " << 2 * count << " parameters, but it takes "
                              << block.getNumArguments();
  llvm::SmallVector<Type> returned = ReturnedTypes(region);
  if (returned.size() != count)
    return site.emitOpError() << "expects the region to return " << count << " values, but it returns "
                              << returned.size();
  for (Type type : returned)
    if (!llvm::isa<RankedTensorType>(type))
      return site.emitOpError() << "expects the region to return tensors, but it returns " << type;
  for (size_t i = 0; i < 2 * count; ++i) {
    Type parameter = block.getArgument(i).getType();
    if (!SameParameter(parameter, returned[i % count]))
      return site.emitOpError() << "has a region whose parameter " << i << " of type " << parameter
                                << " differs from its result " << i % count << " of type " << returned[i % count];
  }
  for (size_t i = 0; i < count; ++i) {
    if (!IsPromotable(inits[i], returned[i]))
      return site.emitOpError() << "has a region whose result " << i << " of type " << returned[i]
                                << " cannot hold the initial value of type " << inits[i];
    if (!CompatibleShapes(inits[i], returned[i]))
      return site.emitOpError() << "has a region whose result " << i << " of type " << returned[i]
                                << " differs in shape from the initial value of type " << inits[i];
    auto parameter = cast<RankedTensorType>(block.getArgument(count + i).getType());
    if (!IsPromotable(inputs[i], parameter))
      return site.emitOpError() << "has a region whose parameter " << count + i << " of type " << parameter
                                << " cannot hold elements of the input of type " << inputs[i];
    if (parameter.getRank() > static_cast<int64_t>(free.size()) || !IsSubsequence(parameter.getShape(), free))
      return site.emitOpError() << "has a region whose parameter " << count + i << " of type " << parameter
                                << " does not fit what remains of the input, " << Show(free);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

LogicalResult Fill(const Site& site, llvm::StringRef name, std::optional<Dims> values, size_t rank,
                   llvm::SmallVector<int64_t>& out) {
  if (!values || values->empty()) {
    out.assign(rank, 1);
    return success();
  }
  if (failed(VerifySize(site, name, values->size(), rank))) return failure();
  for (auto [i, value] : llvm::enumerate(*values))
    if (value <= 0)
      return site.emitOpError() << "expects positive " << name << ", but got " << value << " in dimension " << i;
  out.assign(values->begin(), values->end());
  return success();
}

}  // namespace

LogicalResult VerifyWindow(const Site& site, Dims sizes, const WindowAttributes& attributes, Window& window) {
  size_t rank = sizes.size();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!IsDynamic(size) && size <= 0)
      return site.emitOpError() << "expects positive window sizes, but got " << size << " in dimension " << i;
  window.sizes.assign(sizes.begin(), sizes.end());
  if (failed(Fill(site, "window strides", attributes.strides, rank, window.strides)) ||
      failed(Fill(site, "base dilations", attributes.base_dilations, rank, window.base_dilations)) ||
      failed(Fill(site, "window dilations", attributes.window_dilations, rank, window.window_dilations)))
    return failure();
  if (attributes.reversal && !attributes.reversal->empty() &&
      failed(VerifySize(site, "window reversal", attributes.reversal->size(), rank)))
    return failure();
  window.low.assign(rank, 0);
  window.high.assign(rank, 0);
  if (!attributes.padding || attributes.padding.empty()) return success();
  Dims shape = attributes.padding.getType().getShape();
  if (shape.size() != 2 || shape[1] != 2 || shape[0] != static_cast<int64_t>(rank))
    return site.emitOpError() << "expects padding of shape [" << rank << ", 2], but got " << Show(shape);
  for (auto [i, value] : llvm::enumerate(attributes.padding.getValues<int64_t>()))
    (i % 2 == 0 ? window.low : window.high)[i / 2] = value;
  return success();
}

Extent WindowPositions(const Window& window, size_t i, Extent size) {
  if (IsDynamic(window.sizes[i])) return {};
  auto dilated = [](WideInt bound, int64_t dilation) -> WideInt { return bound == 0 ? 0 : (bound - 1) * dilation + 1; };
  return Map(size, [&](int64_t size) -> int64_t {
    WideInt base = dilated(size, window.base_dilations[i]) + window.low[i] + window.high[i];
    WideInt extent = dilated(window.sizes[i], window.window_dilations[i]);
    return base == 0 || extent > base ? 0 : Narrow((base - extent) / window.strides[i] + 1);
  });
}

// The specification allows each comparison type for one kind of elements only. Producers also write SIGNED for floats,
// TOTALORDER for integers and UNSIGNED for signless integers. This has no effect, because the elements decide how they
// are compared. Only orders on complex numbers are refused, because they have no meaning.
LogicalResult VerifyComparisonType(const Site& site, Type element, ComparisonType type) {
  bool no_order = IsComplex(element) && type != ComparisonType::FLOAT && type != ComparisonType::NOTYPE;
  if (!no_order) return success();
  return site.emitOpError() << "has compare_type " << stringifyComparisonType(type) << ", which does not suit elements "
                            << "of " << element;
}

LogicalResult VerifyPrecisionConfig(const Site& site, std::optional<mlir::ArrayAttr> precision) {
  if (precision && precision->size() > 2)
    return site.emitOpError() << "expects at most 2 elements in precision_config, but got " << precision->size();
  return success();
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

LogicalResult VerifySameQuantization(const Site& site, Type from, Type to) {
  Type left = mlir::getElementTypeOrSelf(from), right = mlir::getElementTypeOrSelf(to);
  if (!IsQuantized(left) && !IsQuantized(right)) return success();
  auto differ = [&]() {
    return site.emitOpError() << "expects the same quantization for operand and result, but got " << left << " and "
                              << right;
  };
  if (!CompatibleElements(left, right)) return differ();
  if (auto a = dyn_cast<mlir::quant::UniformQuantizedType>(left)) {
    auto b = dyn_cast<mlir::quant::UniformQuantizedType>(right);
    if (!b || a.getScale() != b.getScale() || a.getZeroPoint() != b.getZeroPoint()) return differ();
  } else if (auto a = dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(left)) {
    auto b = dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(right);
    if (!b || a.getScales() != b.getScales() || a.getZeroPoints() != b.getZeroPoints()) return differ();
  }
  return success();
}

}  // namespace opbyop::stablehlo
