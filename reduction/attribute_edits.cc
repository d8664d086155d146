// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits that leave fewer and simpler attributes and constants.
#include <fmt/format.h>

#include "reduction/edit.h"

namespace opbyop::reduction {
namespace {

// Returns a simpler attribute; null if there is none.
using Simpler = mlir::Attribute (*)(mlir::Attribute);

mlir::Attribute Limited(mlir::Attribute attribute, int64_t most) {
  mlir::Builder builder(attribute.getContext());
  const auto limit = [most](int64_t value) { return value < 0 || value > most ? most : value; };
  if (auto array = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute)) {
    llvm::SmallVector<int64_t> numbers(llvm::map_range(array.asArrayRef(), limit));
    return builder.getDenseI64ArrayAttr(numbers);
  }
  if (auto boolean = mlir::dyn_cast<mlir::BoolAttr>(attribute)) return builder.getBoolAttr(boolean.getValue() && most);
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute)) {
    if (!integer.getType().isSignlessInteger(64) && !integer.getType().isSignlessInteger(32)) return attribute;
    return mlir::IntegerAttr::get(integer.getType(), limit(integer.getInt()));
  }
  auto elements = mlir::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
  if (!elements || !elements.getElementType().isSignlessInteger(64)) return attribute;
  return elements.mapValues(elements.getElementType(), [&](const llvm::APInt& value) {
    return llvm::APInt(64, static_cast<uint64_t>(limit(value.getSExtValue())), true);
  });
}

mlir::Attribute Zeros(mlir::Attribute attribute) { return Limited(attribute, 0); }
mlir::Attribute AtMostOne(mlir::Attribute attribute) { return Limited(attribute, 1); }

bool SetAttribute(Program& program, size_t index, llvm::StringRef name, Simpler simpler) {
  mlir::Operation* op = OpsOf(program)[index];
  const mlir::Attribute before = op->getAttr(name);
  const mlir::Attribute after = simpler(before);
  if (!after || after == before) return false;
  op->setAttr(name, after);
  InferTypes(program);
  return true;
}

// Types are not inferred for an op that may lack a required attribute: the verifier checks it first.
bool RemoveAttribute(Program& program, size_t index, llvm::StringRef name) {
  return static_cast<bool>(OpsOf(program)[index]->removeAttr(name));
}

enum class Splat { kZero, kOne, kFirst };

mlir::Attribute OneOf(mlir::Type type) {
  mlir::Builder builder(type.getContext());
  return mlir::isa<mlir::FloatType>(type)     ? mlir::Attribute(builder.getFloatAttr(type, 1))
         : mlir::isa<mlir::IntegerType>(type) ? mlir::Attribute(mlir::IntegerAttr::get(type, 1))
                                              : mlir::Attribute();
}

mlir::Attribute ZeroOf(mlir::Type type) {
  return type.isIntOrFloat() ? mlir::Builder(type.getContext()).getZeroAttr(type) : mlir::Attribute();
}

// Zero is simpler than one, one than any other value, and equal elements than different ones.
bool MakeSplat(Program& program, size_t index, Splat splat) {
  mlir::Operation* op = OpsOf(program)[index];
  auto elements = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  if (!elements || elements.empty()) return false;
  const mlir::Type type = elements.getElementType();
  const mlir::Attribute zero = ZeroOf(type), one = OneOf(type);
  const mlir::Attribute now = elements.isSplat() ? elements.getSplatValue<mlir::Attribute>() : mlir::Attribute();
  const mlir::Attribute value = splat == Splat::kZero  ? zero
                                : splat == Splat::kOne ? one
                                : elements.isSplat()   ? now
                                                       : *elements.value_begin<mlir::Attribute>();
  if (!value || value == now || (now && now == zero)) return false;
  op->setAttr("value", mlir::DenseElementsAttr::get(elements.getType(), value));
  return true;
}

}  // namespace

Edits AttributeEdits(const Program& program) {
  Edits edits;
  for (mlir::NamedAttribute attribute : program.module.get().getOperation()->getDiscardableAttrs()) {
    edits.push_back(
        {fmt::format("module without {}", attribute.getName().str()), [name = attribute.getName().str()](Program& p) {
           return static_cast<bool>(p.module.get().getOperation()->removeAttr(name));
         }});
  }
  const std::vector<mlir::Operation*> ops = OpsOf(program);
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::string op = ops[i]->getName().getStringRef().str();
    if (IsConstant(ops[i])) {
      for (const Splat splat : {Splat::kZero, Splat::kOne, Splat::kFirst}) {
        edits.push_back({"constant of equal elements", [i, splat](Program& p) { return MakeSplat(p, i, splat); }});
      }
      continue;
    }
    for (mlir::NamedAttribute attribute : ops[i]->getAttrs()) {
      const std::string name = attribute.getName().str();
      edits.push_back(
          {fmt::format("{} without {}", op, name), [i, name](Program& p) { return RemoveAttribute(p, i, name); }});
      for (const Simpler simpler : {&Zeros, &AtMostOne}) {
        if (simpler(attribute.getValue()) == attribute.getValue()) continue;
        edits.push_back({fmt::format("simpler {} of {}", name, op),
                         [i, name, simpler](Program& p) { return SetAttribute(p, i, name, simpler); }});
      }
    }
  }
  return edits;
}

}  // namespace opbyop::reduction
