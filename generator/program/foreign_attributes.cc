// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/foreign_attributes.h"

#include "fmt/format.h"
#include "generator/program/inert_attributes.h"
#include "ir/sdy/sdy.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop::generator {
namespace {

std::string Argument(unsigned i) { return fmt::format("argument {}", i); }
std::string Result(unsigned i) { return fmt::format("result {}", i); }

// Whether it is an attribute of an unknown dialect. Attributes of known frontends are not foreign, whatever they say.
bool IsForeign(mlir::StringAttr name) {
  const auto [dialect, rest] = name.getValue().split('.');
  if (rest.empty() || name.getReferencedDialect() != nullptr) return false;
  const bool is_known =
      llvm::StringSwitch<bool>(dialect).Cases({"jax", "tf", "mhlo", "xla", "opbyop"}, true).Default(false);
  if (is_known) return false;
  mlir::MLIRContext* context = name.getContext();
  return context->getLoadedDialect(dialect) == nullptr && !context->getDialectRegistry().getDialectAllocator(dialect);
}

struct Parts {
  mlir::DictionaryAttr foreign;  // null if there are none
  mlir::DictionaryAttr left;     // without those that are not part of a case
};

Parts Divide(mlir::DictionaryAttr attributes) {
  if (!attributes) return {};
  llvm::SmallVector<mlir::NamedAttribute> foreign, left;
  for (mlir::NamedAttribute attribute : attributes) {
    const bool is_foreign = IsForeign(attribute.getName());
    if (is_foreign) foreign.push_back(attribute);
    if (!is_foreign || IsInert(attribute.getName())) left.push_back(attribute);
  }
  if (foreign.empty()) return {{}, attributes};
  mlir::MLIRContext* context = attributes.getContext();
  return {mlir::DictionaryAttr::get(context, foreign), mlir::DictionaryAttr::get(context, left)};
}

// The value that an argument of a manual computation stands for, outside of it. Other values stand for themselves.
mlir::Value OutsideManual(mlir::Value value) {
  while (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(argument.getOwner()->getParentOp());
    if (!manual) break;
    value = manual->getOperand(argument.getArgNumber());
  }
  return value;
}

}  // namespace

ForeignAttributes::ForeignAttributes(mlir::ModuleOp module) {
  module->walk([this](mlir::Operation* op) { RemoveFrom(op); });
  if (of_arguments_.empty()) return;
  mlir::SymbolTableCollection symbols;
  module->walk([&](mlir::Operation* op) {
    const bool is_composite = op->getName().getStringRef() == "stablehlo.composite";
    if (!is_composite && !mlir::isa<mlir::func::CallOp>(op)) return;
    const auto name = op->getAttrOfType<mlir::SymbolRefAttr>(is_composite ? "decomposition" : "callee");
    mlir::Operation* callee = name ? symbols.lookupNearestSymbolFrom(op, name) : nullptr;
    if (callee != nullptr) calls_[callee].push_back(op);
  });
}

mlir::DictionaryAttr ForeignAttributes::OfArgument(mlir::FunctionOpInterface function, unsigned index) {
  const Value value = {function, index};
  if (const auto own = of_arguments_.find(value); own != of_arguments_.end()) return own->second;
  const auto [known, is_new] = passed_.try_emplace(value);  // stays empty if a function calls itself
  if (!is_new) return known->second;
  std::optional<mlir::DictionaryAttr> common;
  for (mlir::Operation* call : calls_.lookup(function)) {
    if (index >= call->getNumOperands()) return {};
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(OutsideManual(call->getOperand(index)));
    auto caller = argument ? mlir::dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
    const bool is_passed_on = caller && argument.getOwner()->isEntryBlock();
    const mlir::DictionaryAttr passed = is_passed_on ? OfArgument(caller, argument.getArgNumber()) : nullptr;
    if (common && *common != passed) return {};
    common = passed;
  }
  return passed_[value] = common.value_or(mlir::DictionaryAttr());
}

// The attributes of a result of the function that returns the value; null if there are none.
mlir::DictionaryAttr ForeignAttributes::OfReturned(mlir::Value value, mlir::FunctionOpInterface function) const {
  for (mlir::OpOperand& use : value.getUses()) {
    mlir::Operation* user = use.getOwner();
    if (!user->hasTrait<mlir::OpTrait::IsTerminator>()) continue;
    mlir::Operation* around = user->getParentOp();
    if (mlir::isa<sdy::ManualComputationOp>(around)) {
      if (const auto found = OfReturned(around->getResult(use.getOperandNumber()), function)) return found;
    } else if (around == function) {
      if (const auto found = of_results_.lookup({function, use.getOperandNumber()})) return found;
    }
  }
  return {};
}

void ForeignAttributes::RemoveFrom(mlir::Operation* op) {
  if (!op->isRegistered()) return;
  if (const Parts parts = Divide(op->getDiscardableAttrDictionary()); parts.foreign) {
    of_ops_[op] = parts.foreign;
    op->setDiscardableAttrs(parts.left);
  }
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function) return;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    const Parts parts = Divide(function.getArgAttrDict(i));
    if (!parts.foreign) continue;
    of_arguments_[{op, i}] = parts.foreign;
    function.setArgAttrs(i, parts.left);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    const Parts parts = Divide(function.getResultAttrDict(i));
    if (!parts.foreign) continue;
    of_results_[{op, i}] = parts.foreign;
    function.setResultAttrs(i, parts.left);
  }
}

void ForeignAttributes::AddAround(mlir::FunctionOpInterface function, std::vector<PlacedAttribute>& list) {
  if (auto module = function->getParentOfType<mlir::ModuleOp>()) Add("module", of_ops_.lookup(module), list);
  Add("function", of_ops_.lookup(function), list);
}

std::vector<PlacedAttribute> ForeignAttributes::Of(mlir::Operation* op, const CaseInputs& inputs) {
  std::vector<PlacedAttribute> list;
  if (auto function = op->getParentOfType<mlir::FunctionOpInterface>()) {
    AddAround(function, list);
    for (const CaseInputs::Input& input : inputs.inputs) {
      auto argument = mlir::dyn_cast<mlir::BlockArgument>(OutsideManual(input.value));
      if (input.folded || !argument || argument.getOwner() != &function.getFunctionBody().front()) continue;
      Add(Argument(input.argument), OfArgument(function, argument.getArgNumber()), list);
    }
    for (mlir::OpResult result : op->getResults()) {
      Add(Result(result.getResultNumber()), OfReturned(result, function), list);
    }
  }
  Add("op", of_ops_.lookup(op), list);
  return list;
}

std::vector<PlacedAttribute> ForeignAttributes::OfWhole(mlir::FunctionOpInterface function) {
  std::vector<PlacedAttribute> list;
  AddAround(function, list);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) Add(Argument(i), of_arguments_.lookup({function, i}), list);
  for (unsigned i = 0; i < function.getNumResults(); ++i) Add(Result(i), of_results_.lookup({function, i}), list);
  return list;
}

void ForeignAttributes::Add(const std::string& place, mlir::DictionaryAttr attributes,
                            std::vector<PlacedAttribute>& list) {
  if (!attributes) return;
  for (mlir::NamedAttribute attribute : attributes) {
    auto [text, is_new] = texts_.try_emplace(attribute.getValue());
    if (is_new) {
      llvm::raw_string_ostream out(text->second);
      attribute.getValue().print(out);
    }
    list.push_back({place, attribute.getName().str(), text->second});
  }
}

}  // namespace opbyop::generator
