// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/signature.h"

#include "generator/program/inert_attributes.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::generator {
namespace {

template <typename T>
std::string Print(T thing) {
  std::string text;
  llvm::raw_string_ostream out(text);
  thing.print(out);
  return text;
}

bool NamesSymbol(mlir::Attribute attribute) {
  return attribute.walk([](mlir::SymbolRefAttr) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

}  // namespace

TensorType ToTensorType(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return {{}, Print(type)};
  TensorType result{{}, Print(tensor.getElementType())};
  for (int64_t size : tensor.getShape()) {
    result.shape.push_back(mlir::ShapedType::isDynamic(size) ? kDynamic : size);
  }
  return result;
}

std::vector<TensorType> ToTensorTypes(mlir::TypeRange types) {
  std::vector<TensorType> result;
  for (mlir::Type type : types) result.push_back(ToTensorType(type));
  return result;
}

std::map<std::string, std::string> AttributeTexts(mlir::Operation* op) {
  std::map<std::string, std::string> texts;
  for (mlir::NamedAttribute attribute : op->getAttrDictionary()) {
    if (IsInert(attribute.getName()) || NamesSymbol(attribute.getValue())) continue;
    std::string text;
    llvm::raw_string_ostream out(text);
    auto elements = mlir::dyn_cast<mlir::ElementsAttr>(attribute.getValue());
    constexpr int64_t kShownElements = 64;
    if (elements && !elements.isSplat() && elements.getNumElements() > kShownElements) {
      out << "dense<...> : ";
      elements.getShapedType().print(out);
    } else {
      attribute.getValue().print(out);
    }
    if (text.size() > kMaxAttributeText) {
      text.resize(kMaxAttributeText);
      text += "...";
    }
    texts[attribute.getName().str()] = std::move(text);
  }
  return texts;
}

std::string TargetOf(mlir::Operation* op) {
  llvm::StringRef name = op->getName().getStringRef();
  llvm::StringRef key = name == "stablehlo.composite"     ? "name"
                        : name == "stablehlo.custom_call" ? "call_target_name"
                                                          : "";
  if (key.empty()) return "";
  auto target = op->getAttrOfType<mlir::StringAttr>(key);
  return target ? target.str() : "";
}

}  // namespace opbyop::generator
