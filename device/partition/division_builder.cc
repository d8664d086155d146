// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/partition/division_builder.h"

#include <algorithm>
#include <complex>
#include <vector>

#include "ir/sharding/sharding_rule.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

namespace opbyop::device {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;

// The type of the tensor with another size of one dimension.
RankedTensorType Resized(Value value, int64_t dimension, int64_t size) {
  llvm::SmallVector<int64_t> shape(SizesOf(value));
  shape[static_cast<size_t>(dimension)] = size;
  return RankedTensorType::get(shape, mlir::getElementTypeOrSelf(value.getType()));
}

// The axes of `axes` after those that `other` begins with too.
Axes Rest(const Axes& axes, const Axes& other) {
  const auto [rest, unused] = std::ranges::mismatch(axes, other);
  return {rest, axes.end()};
}

}  // namespace

Value DivisionBuilder::Reshard(Value value, llvm::ArrayRef<int64_t> shape, const Division& from, const Division& to) {
  // Where parts have padding, those by a part of the axes do not begin where those by all of them do.
  const auto common = [&](size_t i, const Axes& axes) {
    const bool even = shape[i] % PartsOf(from[i]) == 0 && shape[i] % PartsOf(to[i]) == 0;
    return even || from[i] == to[i] ? axes : Axes();
  };
  for (size_t i = 0; i < from.size(); ++i) {
    const Axes axes = Rest(from[i], common(i, to[i]));
    if (axes.empty()) continue;
    value = AllGather(value, static_cast<int64_t>(i), axes);
    if (axes == from[i]) value = Resize(value, static_cast<int64_t>(i), shape[i]);
  }
  for (size_t i = 0; i < to.size(); ++i) {
    const Axes axes = Rest(to[i], common(i, from[i]));
    if (axes.empty()) continue;
    if (axes == to[i]) {
      const auto padded = llvm::alignTo(static_cast<uint64_t>(shape[i]), static_cast<uint64_t>(PartsOf(axes)));
      value = Resize(value, static_cast<int64_t>(i), static_cast<int64_t>(padded));
    }
    value = Slice(value, static_cast<int64_t>(i), axes);
  }
  return value;
}

Value DivisionBuilder::Resize(Value value, int64_t dimension, int64_t size) {
  const llvm::ArrayRef<int64_t> shape = SizesOf(value);
  const int64_t own = shape[static_cast<size_t>(dimension)];
  if (own == size) return value;
  if (own < size) {
    const int64_t copies = llvm::divideCeilSigned(size, own);
    value = stablehlo::ConcatenateOp::create(b_, Resized(value, dimension, copies * own),
                                             llvm::SmallVector<Value>(static_cast<size_t>(copies), value),
                                             static_cast<uint64_t>(dimension));
  }
  const RankedTensorType type = Resized(value, dimension, size);
  const llvm::SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
  return stablehlo::SliceOp::create(b_, type, value, starts, type.getShape(), strides);
}

Value DivisionBuilder::FillPadding(Value part, int64_t dimension, int64_t size, const Axes& axes, Value fill) {
  const auto type = mlir::cast<RankedTensorType>(part.getType());
  const int64_t own = type.getDimSize(static_cast<unsigned>(dimension));
  const Value first = FirstOfPart(axes, own);
  const auto numbers = RankedTensorType::get(type.getShape(), mlir::getElementTypeOrSelf(first.getType()));
  const auto everywhere = [&](Value scalar, mlir::Type to) -> Value {
    return stablehlo::BroadcastInDimOp::create(b_, to, scalar, llvm::ArrayRef<int64_t>());
  };
  Value place = stablehlo::IotaOp::create(b_, numbers, static_cast<uint64_t>(dimension));
  place = stablehlo::AddOp::create(b_, numbers, ValueRange{place, everywhere(first, numbers)});
  const auto bits = RankedTensorType::get(type.getShape(), b_.getI1Type());
  Value is_element = stablehlo::CompareOp::create(b_, bits, place, everywhere(Number(size), numbers),
                                                  stablehlo::ComparisonDirection::LT, stablehlo::ComparisonTypeAttr());
  return stablehlo::SelectOp::create(b_, type, ValueRange{is_element, part, everywhere(fill, type)});
}

Value DivisionBuilder::Zero(mlir::Type element) {
  const auto scalar = RankedTensorType::get({}, element);
  const auto complex = mlir::dyn_cast<mlir::ComplexType>(element);
  if (!complex) return stablehlo::ConstantOp::create(b_, mlir::cast<mlir::ElementsAttr>(b_.getZeroAttr(scalar)));
  const auto zero = llvm::APFloat::getZero(mlir::cast<mlir::FloatType>(complex.getElementType()).getFloatSemantics());
  return stablehlo::ConstantOp::create(b_,
                                       mlir::DenseElementsAttr::get(scalar, std::complex<llvm::APFloat>(zero, zero)));
}

Value DivisionBuilder::AllReduce(Value value, const Axes& axes, llvm::StringRef combine) {
  mlir::Operation* sum = Collective("stablehlo.all_reduce", value, value.getType(), axes, {}, 1);
  AddComputation(sum->getRegion(0), mlir::getElementTypeOrSelf(value.getType()), combine);
  return sum->getResult(0);
}

Value DivisionBuilder::Convert(Value value, mlir::Type element) {
  const auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element) return value;
  return stablehlo::ConvertOp::create(b_, RankedTensorType::get(type.getShape(), element), value);
}

void DivisionBuilder::AddComputation(mlir::Region& region, mlir::Type element, llvm::StringRef combine) {
  const mlir::OpBuilder::InsertionGuard guard(b_);
  const auto scalar = RankedTensorType::get({}, element);
  mlir::Block* block = b_.createBlock(&region, region.end(), {scalar, scalar}, {b_.getLoc(), b_.getLoc()});
  mlir::OperationState state(b_.getLoc(), combine);
  state.addOperands(block->getArguments());
  state.addTypes(scalar);
  stablehlo::ReturnOp::create(b_, b_.create(state)->getResults());
}

Value DivisionBuilder::AllGather(Value value, int64_t dimension, const Axes& axes) {
  const RankedTensorType type =
      Resized(value, dimension, SizesOf(value)[static_cast<size_t>(dimension)] * PartsOf(axes));
  return Collective("stablehlo.all_gather", value, type, axes,
                    b_.getNamedAttr("all_gather_dim", b_.getI64IntegerAttr(dimension)), 0)
      ->getResult(0);
}

Value DivisionBuilder::Slice(Value value, int64_t dimension, const Axes& axes) {
  const int64_t size = SizesOf(value)[static_cast<size_t>(dimension)] / PartsOf(axes);
  const RankedTensorType type = Resized(value, dimension, size);
  llvm::SmallVector<Value> starts(SizesOf(value).size(), Number(0));
  starts[static_cast<size_t>(dimension)] = FirstOfPart(axes, size);
  return stablehlo::DynamicSliceOp::create(b_, type, value, starts, type.getShape());
}

Value DivisionBuilder::FirstOfPart(const Axes& axes, int64_t size) {
  const Value part = Part(axes);
  return stablehlo::MulOp::create(b_, part.getType(), ValueRange{part, Number(size)});
}

Value DivisionBuilder::Part(const Axes& axes) {
  const auto scalar = RankedTensorType::get({}, b_.getIntegerType(32, /*isSigned=*/false));
  Value id = stablehlo::PartitionIdOp::create(b_, scalar, ValueRange());
  Value part;
  for (const Axis& axis : axes) {
    Value digit = stablehlo::DivOp::create(b_, scalar, ValueRange{id, Number(axis.stride)});
    digit = stablehlo::RemOp::create(b_, scalar, ValueRange{digit, Number(axis.size)});
    if (part) {
      part = stablehlo::MulOp::create(b_, scalar, ValueRange{part, Number(axis.size)});
      digit = stablehlo::AddOp::create(b_, scalar, ValueRange{part, digit});
    }
    part = digit;
  }
  return part;
}

Value DivisionBuilder::Number(int64_t value) {
  const auto scalar = RankedTensorType::get({}, b_.getIntegerType(32, /*isSigned=*/false));
  return stablehlo::ConstantOp::create(
      b_, mlir::DenseElementsAttr::get(scalar, llvm::APInt(32, static_cast<uint64_t>(value))));
}

mlir::Operation* DivisionBuilder::Collective(llvm::StringRef name, Value operand, mlir::Type result, const Axes& axes,
                                             llvm::ArrayRef<mlir::NamedAttribute> attributes, unsigned regions) {
  std::vector<int64_t> ids;
  const std::vector<std::vector<int64_t>> groups = GroupsAlong(axes, devices_);
  for (const std::vector<int64_t>& group : groups) ids.insert(ids.end(), group.begin(), group.end());
  const auto matrix = RankedTensorType::get({static_cast<int64_t>(groups.size()), PartsOf(axes)}, b_.getI64Type());
  mlir::OperationState state(b_.getLoc(), name);
  state.addOperands(operand);
  state.addTypes(result);
  state.addAttributes(attributes);
  state.addAttribute("replica_groups", mlir::DenseIntElementsAttr::get(matrix, llvm::ArrayRef(ids)));
  state.addAttribute("channel_handle", stablehlo::ChannelHandleAttr::get(b_.getContext(), ++channel_, 1));
  state.addAttribute("use_global_device_ids", b_.getUnitAttr());
  for (unsigned i = 0; i < regions; ++i) state.addRegion();
  return b_.create(state);
}

}  // namespace opbyop::device
