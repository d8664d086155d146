// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/placed_attributes.h"

#include <optional>

#include "llvm/ADT/StringRef.h"
#include "mlir/AsmParser/AsmParser.h"

namespace opbyop::generator {
namespace {

// The number after `word`, if it is below `limit`.
std::optional<unsigned> IndexAfter(llvm::StringRef place, llvm::StringRef word, unsigned limit) {
  unsigned index = 0;
  if (!place.consume_front(word) || place.getAsInteger(10, index) || index >= limit) return std::nullopt;
  return index;
}

}  // namespace

bool PlaceAttribute(mlir::ModuleOp module, mlir::FunctionOpInterface function, const PlacedAttribute& attribute) {
  const mlir::Attribute value = mlir::parseAttribute(attribute.value, module.getContext());
  if (!value || function.isExternal()) return false;
  const llvm::StringRef place = attribute.place;
  const llvm::StringRef name = attribute.name;
  if (place == "module") {
    module->setDiscardableAttr(name, value);
  } else if (place == "function") {
    function->setDiscardableAttr(name, value);
  } else if (place == "op") {
    mlir::Operation* op = function.getFunctionBody().front().getTerminator()->getPrevNode();
    if (op == nullptr) return false;
    op->setDiscardableAttr(name, value);
  } else if (const auto argument = IndexAfter(place, "argument ", function.getNumArguments())) {
    function.setArgAttr(*argument, name, value);
  } else if (const auto result = IndexAfter(place, "result ", function.getNumResults())) {
    function.setResultAttr(*result, mlir::StringAttr::get(module.getContext(), name), value);
  } else {
    return false;
  }
  return true;
}

}  // namespace opbyop::generator
