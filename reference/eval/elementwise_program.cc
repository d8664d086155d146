// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/elementwise_program.h"

#include <algorithm>

#include "ir/call_target.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/eval/quantization.h"

namespace opbyop::reference {
namespace {

constexpr std::string_view kBitcast = "stablehlo.bitcast_convert";

bool IsOfElements(std::string_view function) { return function == kBitcast || IsElementwise(function); }

// Returns the number of elements, or 0 if the value has no static shape.
int64_t ElementsOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

}  // namespace

std::string NativeNameOf(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.composite") {
    auto inner = op->getAttrOfType<mlir::StringAttr>("name");
    if (inner && inner.getValue().starts_with("chlo.")) return inner.getValue().str();
  }
  const llvm::StringRef target = CallTargetOf(op);
  if (!target.starts_with("mhlo.")) return name.str();
  return target == "mhlo.topk" ? "chlo.top_k" : "chlo." + target.drop_front(5).str();
}

mlir::Attribute NativeAttributeOf(mlir::Operation* op, llvm::StringRef name) {
  if (mlir::Attribute own = op->getAttr(name)) return own;
  for (const char* place : {"mhlo.attributes", "composite_attributes"}) {
    const auto dictionary = op->getAttrOfType<mlir::DictionaryAttr>(place);
    if (mlir::Attribute found = dictionary ? dictionary.get(name) : mlir::Attribute()) return found;
  }
  return {};
}

bool IsNativeComposite(mlir::Operation* op) {
  if (op->getName().getStringRef() != "stablehlo.composite" || op->getNumRegions() != 0) return false;
  const std::string native = NativeNameOf(op);
  return llvm::StringRef(native).starts_with("chlo.") && EvalTable().contains(native);
}

bool IsConstantChain(mlir::Value value) {
  for (int depth = 0; depth < 8; ++depth) {
    mlir::Operation* op = value.getDefiningOp();
    if (op == nullptr) return false;
    const llvm::StringRef name = op->getName().getStringRef();
    if (name == "stablehlo.constant") return true;
    if (op->getNumOperands() != 1 ||
        (name != "stablehlo.broadcast_in_dim" && name != "stablehlo.convert" && name != "stablehlo.reshape")) {
      return false;
    }
    value = op->getOperand(0);
  }
  return false;
}

mlir::Operation* OnlyOpOf(mlir::Operation* entry, llvm::function_ref<bool(mlir::Operation&)> is_given) {
  if (entry->getNumRegions() != 1 || !entry->getRegion(0).hasOneBlock()) return nullptr;
  mlir::Operation* only = nullptr;
  for (mlir::Operation& op : entry->getRegion(0).front()) {
    if (op.hasTrait<mlir::OpTrait::IsTerminator>() || (is_given && is_given(op))) continue;
    if (op.getNumResults() == 1 && IsConstantChain(op.getResult(0))) continue;
    if (only != nullptr) return nullptr;
    only = &op;
  }
  return only;
}

std::optional<ElementwiseProgram> ElementwiseProgramOf(mlir::Operation* entry) {
  mlir::Operation* function = OnlyOpOf(entry);
  if (function == nullptr || function->getNumResults() != 1 || !IsOfElements(NativeNameOf(function)) ||
      UsesQuantization(function)) {
    return std::nullopt;
  }
  const int64_t elements = ElementsOf(function->getResult(0));
  ElementwiseProgram program{NativeNameOf(function), {}, elements};
  for (mlir::Value operand : function->getOperands()) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(operand);
    if (!argument) continue;
    const unsigned number = argument.getArgNumber();
    const bool meets = ElementsOf(operand) == elements || (program.function == kBitcast && elements > 0);
    if (meets && !llvm::is_contained(program.arguments, number)) {
      program.arguments.push_back(number);
    }
  }
  if (program.arguments.empty()) return std::nullopt;
  program.orders_nan = ComparesInTotalOrder(function);
  return program;
}

}  // namespace opbyop::reference
