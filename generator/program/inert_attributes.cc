// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/inert_attributes.h"

#include "ir/vendor_dialects.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {
namespace {

mlir::DictionaryAttr WithoutInert(mlir::DictionaryAttr attributes) {
  llvm::SmallVector<mlir::NamedAttribute> kept;
  for (mlir::NamedAttribute attribute : attributes) {
    if (!IsInert(attribute.getName())) kept.push_back(attribute);
  }
  return kept.size() == attributes.size() ? attributes : mlir::DictionaryAttr::get(attributes.getContext(), kept);
}

}  // namespace

bool IsInert(llvm::StringRef name) {
  if (llvm::StringSwitch<bool>(name)
          .Cases({"mhlo.frontend_attributes", "mhlo.sharding", "mhlo.layout_mode", "mhlo.memory_kind",
                  "mhlo.is_same_data_across_replicas", "mhlo.parameter_replication", "mhlo.original_value"},
                 true)
          .Cases({"stream.affinity", "xla_shape", "result_layout"}, true)
          .Default(false)) {
    return true;
  }
  for (llvm::StringRef prefix : {"jax.", "tf.", "opbyop.", "sdy."}) {
    if (name.starts_with(prefix)) return true;
  }
  return IsVendorAttribute(name);
}

void StripInert(mlir::Operation* root) {
  root->walk([](mlir::Operation* op) {
    llvm::SmallVector<mlir::StringAttr> inert;
    for (mlir::NamedAttribute attribute : op->getDiscardableAttrs()) {
      if (IsInert(attribute.getName())) inert.push_back(attribute.getName());
    }
    for (mlir::StringAttr name : inert) op->removeDiscardableAttr(name);

    auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
    if (!function) return;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (mlir::DictionaryAttr attributes = function.getArgAttrDict(i)) {
        function.setArgAttrs(i, WithoutInert(attributes));
      }
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      if (mlir::DictionaryAttr attributes = function.getResultAttrDict(i)) {
        function.setResultAttrs(i, WithoutInert(attributes));
      }
    }
  });
}

}  // namespace opbyop::generator
