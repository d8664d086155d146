// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/call_attribute.h"

#include <array>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::reference {
namespace {

// The dictionaries that are looked into, first things first.
constexpr std::array<llvm::StringLiteral, 6> kPlaces = {"backend_config",          "mhlo.backend_config",
                                                        "mhlo.attributes",         "composite_attributes",
                                                        "tt.composite_attributes", "mhlo.frontend_attributes"};

mlir::Attribute Find(mlir::Operation* op, llvm::StringRef name) {
  for (const llvm::StringRef place : kPlaces) {
    const auto dictionary = op->getAttrOfType<mlir::DictionaryAttr>(place);
    if (const mlir::Attribute found = dictionary ? dictionary.get(name) : mlir::Attribute()) return found;
  }
  return op->getAttr(name);
}

nlohmann::json ToJson(mlir::Attribute attribute) {
  if (const auto text = llvm::dyn_cast<mlir::StringAttr>(attribute)) return text.str();
  if (const auto truth = llvm::dyn_cast<mlir::BoolAttr>(attribute)) return truth.getValue();
  if (const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attribute)) {
    const llvm::APInt value = integer.getValue();
    if (integer.getType().isUnsignedInteger()) return value.getZExtValue();
    return value.getSExtValue();
  }
  if (const auto real = llvm::dyn_cast<mlir::FloatAttr>(attribute)) return real.getValueAsDouble();
  nlohmann::json list = nlohmann::json::array();
  const auto add_all = [&](const auto& values) {
    for (const auto& value : values) list.push_back(value);
    return list;
  };
  if (const auto array = llvm::dyn_cast<mlir::ArrayAttr>(attribute)) {
    for (const mlir::Attribute element : array) list.push_back(ToJson(element));
    return list;
  }
  if (const auto array = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute)) return add_all(array.asArrayRef());
  if (const auto array = llvm::dyn_cast<mlir::DenseI32ArrayAttr>(attribute)) return add_all(array.asArrayRef());
  if (const auto array = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(attribute)) return add_all(array.asArrayRef());
  if (const auto array = llvm::dyn_cast<mlir::DenseF64ArrayAttr>(attribute)) return add_all(array.asArrayRef());
  if (const auto array = llvm::dyn_cast<mlir::DenseF32ArrayAttr>(attribute)) return add_all(array.asArrayRef());
  if (const auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute)) {
    for (const mlir::Attribute element : elements.getValues<mlir::Attribute>()) list.push_back(ToJson(element));
    return list;
  }
  if (const auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(attribute)) {
    nlohmann::json named = nlohmann::json::object();
    for (const mlir::NamedAttribute& entry : dictionary) named[entry.getName().str()] = ToJson(entry.getValue());
    return named;
  }
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
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

nlohmann::json CallAttributes(mlir::Operation* op) {
  nlohmann::json all = nlohmann::json::object();
  for (const mlir::NamedAttribute& own : op->getAttrs()) {
    if (own.getName().getValue().starts_with("opbyop.")) continue;  // meanings.cc's, not the framework's
    const bool place = llvm::is_contained(kPlaces, own.getName().getValue());
    if (!place || !llvm::isa<mlir::DictionaryAttr>(own.getValue())) all[own.getName().str()] = ToJson(own.getValue());
  }
  for (const llvm::StringRef place : llvm::reverse(kPlaces)) {
    const auto dictionary = op->getAttrOfType<mlir::DictionaryAttr>(place);
    if (!dictionary) continue;
    for (const mlir::NamedAttribute& entry : dictionary) all[entry.getName().str()] = ToJson(entry.getValue());
  }
  return all;
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
