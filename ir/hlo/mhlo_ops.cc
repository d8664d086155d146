// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/hlo/mhlo_ops.h"

#include <optional>
#include <string>

#include "ir/chlo/chlo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace opbyop {
namespace {

constexpr llvm::StringLiteral kPrefix = "mhlo.";

// The op of CHLO with the same meaning, if there is one.
std::optional<mlir::RegisteredOperationName> CounterpartOf(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (op->isRegistered() || op->getNumRegions() != 0 || !name.consume_front(kPrefix)) return std::nullopt;
  op->getContext()->loadDialect<chlo::ChloDialect>();
  return mlir::RegisteredOperationName::lookup(name == "topk" ? "chlo.top_k" : ("chlo." + name).str(),
                                               op->getContext());
}

// The attributes that CHLO's op has. nullopt if one of MHLO's gives the op another meaning.
std::optional<mlir::NamedAttrList> AttributesOf(mlir::Operation* op) {
  mlir::NamedAttrList attributes(op->getDiscardableAttrDictionary());
  if (auto properties = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(op->getPropertiesAsAttribute())) {
    attributes.append(properties.getValue());
  }
  // mhlo.topk may choose the least elements; chlo.top_k chooses the greatest.
  if (const auto largest = llvm::dyn_cast_or_null<mlir::BoolAttr>(attributes.erase("largest"))) {
    if (!largest.getValue()) return std::nullopt;
  }
  return attributes;
}

}  // namespace

void ReadMhloAsChlo(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation*> found;
  module.walk([&](mlir::Operation* op) {
    if (CounterpartOf(op)) found.push_back(op);
  });
  for (mlir::Operation* op : found) {
    const std::optional<mlir::NamedAttrList> attributes = AttributesOf(op);
    if (!attributes) continue;
    mlir::OpBuilder builder(op);
    mlir::OperationState state(op->getLoc(), *CounterpartOf(op), op->getOperands(), op->getResultTypes(), *attributes);
    op->replaceAllUsesWith(builder.create(state));
    op->erase();
  }
}

}  // namespace opbyop
