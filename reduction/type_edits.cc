// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits that make element types simpler.
#include <fmt/format.h>

#include "ir/first_error.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "reduction/edit.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reduction {
namespace {

// Null if there is no simpler type.
mlir::Type SimplerType(mlir::Type type) {
  mlir::Builder builder(type.getContext());
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type)) {
    return complex.getElementType().isF32() ? mlir::Type() : mlir::ComplexType::get(builder.getF32Type());
  }
  if (mlir::isa<mlir::FloatType>(type)) return type.isF32() ? mlir::Type() : builder.getF32Type();
  auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() == 1) return {};
  return integer.isSignlessInteger(32) ? mlir::Type() : builder.getI32Type();
}

mlir::Type ElementOf(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getElementType() : mlir::Type();
}

mlir::DenseElementsAttr Converted(mlir::DenseElementsAttr elements, mlir::Type to) {
  if (auto to_float = mlir::dyn_cast<mlir::FloatType>(to);
      to_float && mlir::isa<mlir::FloatType>(elements.getElementType())) {
    return mlir::cast<mlir::DenseFPElementsAttr>(elements).mapValues(to, [&](const llvm::APFloat& value) {
      llvm::APFloat converted = value;
      bool inexact = false;
      converted.convert(to_float.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      return converted.bitcastToAPInt();
    });
  }
  auto from = mlir::dyn_cast<mlir::IntegerType>(elements.getElementType());
  if (!from || !to.isInteger()) return {};
  return mlir::cast<mlir::DenseIntElementsAttr>(elements).mapValues(to, [&](const llvm::APInt& value) {
    return from.isUnsigned() ? value.zextOrTrunc(to.getIntOrFloatBitWidth())
                             : value.sextOrTrunc(to.getIntOrFloatBitWidth());
  });
}

// Converts to the nearest value of the other type; false if there is none.
bool ConvertInput(reference::InputData& data, reference::ElementType to) {
  using reference::ElementKind;
  const Expected<reference::Tensor> from = reference::TensorFromBytes(data.type, data.shape, data.bytes);
  if (!from || reference::KindOf(data.type) != reference::KindOf(to)) return false;
  reference::Tensor converted = reference::Tensor::Make(to, data.shape);
  const auto copy = [&]<typename T>(auto&& convert) {
    const std::span<const T> values = from->data<T>();
    std::transform(values.begin(), values.end(), converted.Mutable<T>().begin(), convert);
  };
  switch (reference::KindOf(to)) {
    case ElementKind::kFloat:
      copy.operator()<double>([&](double value) { return reference::RoundTo(reference::FormatOf(to), value); });
      break;
    case ElementKind::kInteger:
      copy.operator()<int64_t>(
          [&](int64_t value) { return reference::WrapInteger(reference::Info(to), static_cast<uint64_t>(value)); });
      break;
    default:
      return false;
  }
  data.type = to;
  data.bytes = reference::TensorToBytes(converted);
  return true;
}

bool ConvertInputs(Program& program, mlir::Type from, mlir::Type to) {
  const std::optional<reference::ElementType> type = reference::ElementTypeOf(mlir::RankedTensorType::get({}, to));
  if (!type) return false;
  for (unsigned i = 0; i < program.body().getNumArguments(); ++i) {
    if (ElementOf(program.body().getArgument(i).getType()) != from) continue;
    if (!ConvertInput((*program.inputs)[i], *type)) return false;
  }
  return true;
}

bool ReplaceType(Program& program, mlir::Type from, mlir::Type to) {
  if (program.inputs && !ConvertInputs(program, from, to)) return false;
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](mlir::Type type) -> std::optional<mlir::Type> { return type == from ? std::optional(to) : std::nullopt; });
  // Integers in attributes stay: only types of values change, and elements of constants.
  bool valid = true;
  program.module.get()->walk([&](mlir::Operation* op) {
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::BlockArgument argument : block.getArguments())
          argument.setType(replacer.replace(argument.getType()));
      }
    }
    if (op->hasTrait<mlir::OpTrait::ConstantLike>() && ElementOf(op->getResult(0).getType()) == from) {
      auto elements = op->getAttrOfType<mlir::DenseElementsAttr>("value");
      const mlir::DenseElementsAttr converted = elements ? Converted(elements, to) : elements;
      valid = valid && converted;
      if (converted) op->setAttr("value", converted);
    }
    for (mlir::Value result : op->getResults()) result.setType(replacer.replace(result.getType()));
    if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op)) {
      function.setFunctionType(mlir::cast<mlir::FunctionType>(replacer.replace(function.getFunctionType())));
    }
  });
  return valid;
}

}  // namespace

bool WidenFloats(Program& program) {
  llvm::SetVector<mlir::Type> floats;
  const auto add = [&](mlir::Type type) {
    const mlir::Type element = ElementOf(type);
    if (element && mlir::isa<mlir::FloatType>(element) && !element.isF64()) floats.insert(element);
  };
  for (mlir::Type type : program.body().getArgumentTypes()) add(type);
  for (mlir::Operation* op : OpsOf(program)) {
    op->removeAttr("algorithm");  // of a product, which names the types that it is computed with
    for (mlir::Type type : op->getResultTypes()) add(type);
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::Type type : block.getArgumentTypes()) add(type);
      }
    }
  }
  const mlir::Type wide = mlir::Float64Type::get(program.module.get().getContext());
  for (const mlir::Type each : floats) {
    if (!ReplaceType(program, each, wide)) return false;
  }
  const FirstError silent(*program.module.get().getContext());
  return succeeded(mlir::verify(program.module.get()));
}

Edits TypeEdits(const Program& program) {
  llvm::SetVector<mlir::Type> types;
  for (mlir::Type type : program.body().getArgumentTypes()) types.insert(ElementOf(type));
  for (mlir::Operation* op : OpsOf(program)) {
    for (mlir::Type type : op->getResultTypes()) types.insert(ElementOf(type));
  }
  Edits edits;
  for (const mlir::Type from : types) {
    const mlir::Type to = from ? SimplerType(from) : mlir::Type();
    if (!to) continue;
    edits.push_back({"a simpler element type", [from, to](Program& p) { return ReplaceType(p, from, to); }});
  }
  return edits;
}

}  // namespace opbyop::reduction
