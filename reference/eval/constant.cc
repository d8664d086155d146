// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/constant.h"

#include <fmt/format.h>

#include "ir/missing_elements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "reference/eval/evaluator.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

std::span<const std::byte> AsBytes(llvm::ArrayRef<char> raw) {
  return {reinterpret_cast<const std::byte*>(raw.data()), raw.size()};
}

// Repeats the only element of a splat.
Tensor Repeat(const Tensor& one, Shape shape) {
  Tensor out = Tensor::Make(one.type(), std::move(shape));
  WithStorage(out.kind(), [&]<typename T>() { std::ranges::fill(out.Mutable<T>(), one.data<T>()[0]); });
  return out;
}

}  // namespace

Expected<Tensor> TensorFromAttribute(mlir::ElementsAttr attribute) {
  const mlir::ShapedType type = attribute.getShapedType();
  const auto element = ElementTypeOf(type);
  if (!element) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    type.print(stream);
    return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: a constant of type {}", text));
  }
  Shape shape(type.getShape().begin(), type.getShape().end());
  if (std::optional<std::string> why = MissingElements(attribute)) {
    return MakeError(ExitCode::kBadInput, "the constant " + *why);
  }
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attribute)) {
    const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    return TensorFromBytes(*element, std::move(shape), AsBytes(blob->getData()));
  }
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!dense) return MakeError(ExitCode::kUnsupported, "unsupported: a constant that is neither dense nor a resource");
  if (*element == ElementType::kI1) {
    if (dense.isSplat()) return Tensor::Splat<uint8_t>(*element, std::move(shape), dense.getSplatValue<bool>());
    Tensor out = Tensor::Make(*element, std::move(shape));
    const auto values = out.Mutable<uint8_t>();
    size_t i = 0;
    for (const bool v : dense.getValues<bool>()) values[i++] = v;
    return out;
  }
  if (dense.isSplat()) {
    Expected<Tensor> one = TensorFromBytes(*element, {}, AsBytes(dense.getRawData()));
    if (!one) return one;
    return Repeat(*one, std::move(shape));
  }
  return TensorFromBytes(*element, std::move(shape), AsBytes(dense.getRawData()));
}

}  // namespace opbyop::reference
