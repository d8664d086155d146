// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/specialize/static_form.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "generator/specialize/dimension_values.h"
#include "ir/call_target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop::generator {
namespace {

constexpr llvm::StringLiteral kCall = "stablehlo.custom_call";
constexpr llvm::StringLiteral kConfiguration = "mhlo.backend_config";

struct StaticForm {
  llvm::StringRef name;
  unsigned replaced;  // trailing operands that attributes or the result's type take the place of
  llvm::SmallVector<llvm::StringRef, 5> attributes = {};  // for the first of them
};

// By the name of the op, of a custom call by its target.
const StaticForm* FormOf(llvm::StringRef name) {
  static const llvm::StringMap<StaticForm> kForms = {
      {"stablehlo.dynamic_broadcast_in_dim", {"stablehlo.broadcast_in_dim", 1}},
      {"stablehlo.dynamic_conv", {"stablehlo.convolution", 1, {"padding"}}},
      {"stablehlo.dynamic_gather", {"stablehlo.gather", 1, {"slice_sizes"}}},
      {"stablehlo.dynamic_iota", {"stablehlo.iota", 1}},
      {"stablehlo.dynamic_pad", {"stablehlo.pad", 3, {"edge_padding_low", "edge_padding_high", "interior_padding"}}},
      {"stablehlo.dynamic_reduce_window",
       {"stablehlo.reduce_window",
        5,
        {"window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"}}},
      {"stablehlo.dynamic_reshape", {"stablehlo.reshape", 1}},
      {"stablehlo.dynamic_rng_bit_generator", {"stablehlo.rng_bit_generator", 1}},
      {"stablehlo.dynamic_top_k", {"chlo.top_k", 1, {"k"}}},
      {"stablehlo.real_dynamic_slice", {"stablehlo.slice", 3, {"start_indices", "limit_indices", "strides"}}},
  };
  const auto found = kForms.find(name);
  return found == kForms.end() ? nullptr : &found->second;
}

// The value of an operand as the attribute of this name.
mlir::Attribute AttributeFor(llvm::StringRef name, mlir::Value operand) {
  const std::optional<DimensionValue> value = FindDimensionValue(operand);
  if (!value) return nullptr;
  mlir::Builder builder(operand.getContext());
  if (name == "padding") {
    const auto type = mlir::cast<mlir::ShapedType>(operand.getType()).clone(builder.getI64Type());
    return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(value->elements));
  }
  if (name == "k") return value->elements.size() == 1 ? builder.getI64IntegerAttr(value->elements[0]) : nullptr;
  return builder.getDenseI64ArrayAttr(value->elements);
}

// Gives the op the function that the call names as its region.
bool AddBody(mlir::Operation* call, mlir::OperationState& state) {
  const auto functions = call->getAttrOfType<mlir::ArrayAttr>("called_computations");
  const bool is_one = functions && functions.size() == 1 && mlir::isa<mlir::FlatSymbolRefAttr>(functions[0]);
  if (!is_one) return false;
  auto function = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      call, mlir::cast<mlir::FlatSymbolRefAttr>(functions[0]));
  if (!function || !function.getBody().hasOneBlock()) return false;
  auto body = std::make_unique<mlir::Region>();
  mlir::IRMapping mapping;
  function.getBody().cloneInto(body.get(), mapping);
  mlir::Operation* end = body->front().getTerminator();
  mlir::OpBuilder builder(end);
  builder.create(mlir::OperationState(end->getLoc(), "stablehlo.return", end->getOperands(), {}));
  end->erase();
  state.addRegion(std::move(body));
  return true;
}

// A call of JAX without the operands that say what the types of its results now do. `top_k` stands among the operands of
// a dynamic call and in the configuration of any other.
mlir::Operation* CreateStaticCall(mlir::Operation* op) {
  const auto shapes = op->getAttrOfType<mlir::DenseIntElementsAttr>(kShapeOperands);
  if (!shapes) return nullptr;
  llvm::SmallVector<bool> kept(op->getNumOperands(), true);
  for (const llvm::APInt& index : shapes.getValues<llvm::APInt>()) {
    if (index.getZExtValue() >= kept.size()) return nullptr;
    kept[index.getZExtValue()] = false;
  }
  mlir::NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(kShapeOperands);
  if (CallTargetOf(op) == "stablehlo.dynamic_approx_top_k") {
    const auto number = std::distance(kept.begin(), llvm::find(kept, false)) - 1;
    const auto configuration = op->getAttrOfType<mlir::DictionaryAttr>(kConfiguration);
    const mlir::Attribute k = number > 0 ? AttributeFor("k", op->getOperand(number)) : mlir::Attribute();
    if (!configuration || !k) return nullptr;
    kept[number] = false;
    mlir::NamedAttrList extended(configuration);
    extended.set("top_k", k);
    attributes.set(kConfiguration, extended.getDictionary(op->getContext()));
    attributes.set("call_target_name", mlir::StringAttr::get(op->getContext(), "ApproxTopK"));
    attributes.erase("api_version");
  }
  mlir::OperationState state(op->getLoc(), kCall);
  for (const auto& [operand, is_kept] : llvm::zip(op->getOperands(), kept)) {
    if (is_kept) state.operands.push_back(operand);
  }
  state.addTypes(op->getResultTypes());
  state.addAttributes(attributes);
  return mlir::Operation::create(state);
}

}  // namespace

mlir::Operation* CreateStaticForm(mlir::Operation* op) {
  const llvm::StringRef target = CallTargetOf(op);
  const StaticForm* form = FormOf(target.empty() ? op->getName().getStringRef() : target);
  if (form == nullptr) return CreateStaticCall(op);
  if (op->getNumOperands() < form->replaced) return nullptr;
  const unsigned kept = op->getNumOperands() - form->replaced;
  op->getContext()->getOrLoadDialect(form->name.split('.').first);
  mlir::OperationState state(op->getLoc(), form->name, op->getOperands().take_front(kept), op->getResultTypes());
  const auto attributes = target.empty() ? op->getAttrDictionary() : op->getDiscardableAttrDictionary();
  for (const mlir::NamedAttribute attribute : attributes) {
    if (!attribute.getName().strref().starts_with("known_")) state.attributes.push_back(attribute);
  }
  for (const auto& [i, name] : llvm::enumerate(form->attributes)) {
    const mlir::Attribute value = AttributeFor(name, op->getOperand(kept + i));
    if (!value) return nullptr;
    state.addAttribute(name, value);
  }
  if (form->name == "stablehlo.reduce_window" && !AddBody(op, state)) return nullptr;
  return mlir::Operation::create(state);
}

}  // namespace opbyop::generator
