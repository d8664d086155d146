// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/call_attribute.h"

#include <nlohmann/json.hpp>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::reference {
namespace {

mlir::Attribute Find(mlir::Operation* op, llvm::StringRef name) {
  for (const llvm::StringRef place : {"backend_config", "mhlo.backend_config", "mhlo.attributes",
                                      "composite_attributes", "tt.composite_attributes", "mhlo.frontend_attributes"}) {
    const auto dictionary = op->getAttrOfType<mlir::DictionaryAttr>(place);
    if (const mlir::Attribute found = dictionary ? dictionary.get(name) : mlir::Attribute()) return found;
  }
  return op->getAttr(name);
}

std::string TextOf(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

mlir::Attribute FindCallAttribute(mlir::Operation* op, llvm::StringRef path) {
  if (const mlir::Attribute whole = Find(op, path)) return whole;
  auto [first, rest] = path.split('.');
  const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(Find(op, first));
  if (!text || rest.empty()) return nullptr;
  if (size_t index = 0; !rest.getAsInteger(10, index)) {
    llvm::SmallVector<llvm::StringRef> parts;
    text.getValue().split(parts, ',');
    return index < parts.size() ? mlir::StringAttr::get(op->getContext(), parts[index].trim()) : nullptr;
  }
  nlohmann::json value = nlohmann::json::parse(text.getValue().str(), nullptr, /*allow_exceptions=*/false);
  while (!rest.empty()) {
    const auto [name, more] = rest.split('.');
    const auto found = value.is_object() ? value.find(name.str()) : value.end();
    if (!value.is_object() || found == value.end()) return nullptr;
    value = nlohmann::json(*found);
    rest = more;
  }
  return mlir::StringAttr::get(op->getContext(), TextOf(value));
}

std::optional<double> NumberOf(mlir::Attribute attribute) {
  if (const auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attribute)) {
    const bool is_unsigned = integer.getType().isUnsignedInteger() || integer.getType().isInteger(1);
    return integer.getValue().roundToDouble(/*isSigned=*/!is_unsigned);
  }
  if (const auto real = llvm::dyn_cast_or_null<mlir::FloatAttr>(attribute)) return real.getValueAsDouble();
  const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
  if (!text) return std::nullopt;
  if (text.getValue().equals_insensitive("true")) return 1;
  if (text.getValue().equals_insensitive("false")) return 0;
  double number = 0;
  if (text.getValue().getAsDouble(number)) return std::nullopt;
  return number;
}

bool IsSameValue(mlir::Attribute a, mlir::Attribute b) {
  if (a == b) return true;
  const std::optional<double> x = NumberOf(a), y = NumberOf(b);
  return x && y && *x == *y;
}

}  // namespace opbyop::reference
