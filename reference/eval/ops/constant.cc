// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// constant, iota, dynamic_iota and CHLO's constants.
#include "reference/eval/constant.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"
#include "reference/eval/shape_check.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kCachedElements = 4096;

Expected<Values> Constant(OpContext& context) {
  auto& cache = context.evaluator.constants();
  const auto found = cache.find(context.op);
  if (found != cache.end()) return Values{found->second};
  const auto attribute = context.op->getAttrOfType<mlir::ElementsAttr>("value");
  if (!attribute) return context.Fail(ExitCode::kBadInput, "has no elements");
  Expected<Tensor> tensor = TensorFromAttribute(attribute);
  if (!tensor) return context.Fail(tensor.error().code, tensor.error().message);
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  if (tensor->size() <= kCachedElements) cache[context.op] = *tensor;
  return Values{std::move(*tensor)};
}

// Repeats a scalar attribute over the operand's shape.
Expected<Values> ConstantLike(OpContext& context) {
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const Shape& shape = context.in(0).shape();
  const mlir::Attribute value = context.op->getAttr("value");
  if (auto real = llvm::dyn_cast_or_null<mlir::FloatAttr>(value)) {
    llvm::APFloat wide = real.getValue();
    bool lost = false;
    wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
    const double v = RoundTo(FormatOf(*type), wide.convertToDouble());
    if (KindOf(*type) == ElementKind::kComplex) return Values{Tensor::Splat<Complex>(*type, shape, v)};
    return Values{Tensor::Splat<double>(*type, shape, v)};
  }
  if (auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value)) {
    if (KindOf(*type) == ElementKind::kBool) {
      return Values{Tensor::Splat<uint8_t>(*type, shape, !integer.getValue().isZero())};
    }
    const uint64_t bits = integer.getValue().sextOrTrunc(64).getZExtValue();
    return Values{Tensor::Splat<int64_t>(*type, shape, WrapInteger(Info(*type), bits))};
  }
  return context.Unsupported("constant_like of this value");
}

Expected<Values> IotaOf(OpContext& context, Shape shape) {
  const Expected<ElementType> type = context.ResultType();
  if (!type) return Unexpected(type.error());
  const auto d = static_cast<size_t>(context.Int("iota_dimension"));
  const Tensor line = CountingLine(*type, shape[d]);
  return Values{BroadcastInDim(line, std::move(shape), {static_cast<int64_t>(d)})};
}

Expected<Values> Iota(OpContext& context) {
  const Expected<Shape> shape = context.ResultShape();
  if (!shape) return Unexpected(shape.error());
  return IotaOf(context, *shape);
}

Expected<Values> DynamicIota(OpContext& context) {
  const Expected<Shape> shape = ShapeAt(context, 0);
  return shape ? IotaOf(context, *shape) : Unexpected(shape.error());
}

}  // namespace

Tensor CountingLine(ElementType type, int64_t count) {
  const ElementTypeInfo& info = Info(type);
  Tensor line = Tensor::Make(type, {count});
  WithStorage(line.kind(), [&]<typename T>() {
    const auto to = line.Mutable<T>();
    for (size_t i = 0; i < to.size(); ++i) {
      if constexpr (std::is_same_v<T, int64_t>) {
        to[i] = WrapInteger(info, i);
      } else {
        to[i] = static_cast<T>(static_cast<double>(i));
      }
    }
  });
  RoundResult(line);
  return line;
}

void AddConstants(EvalTableType& table) {
  table["stablehlo.constant"] = &Constant;
  table["chlo.constant"] = &Constant;
  table["sdy.constant"] = &Constant;
  table["chlo.constant_like"] = &ConstantLike;
  table["stablehlo.iota"] = &Iota;
  table["stablehlo.dynamic_iota"] = &DynamicIota;
}

}  // namespace opbyop::reference
