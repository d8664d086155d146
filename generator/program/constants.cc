// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/constants.h"

#include <algorithm>

#include "ir/missing_elements.h"
#include "ir/register.h"
#include "ir/vendor_dialects.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OpDefinition.h"

namespace opbyop::generator {
namespace {

// A longer chain is computed at run time: otherwise it would be copied into every case that uses a part of it.
constexpr int kMaxChain = 16;

int64_t BytesOf(mlir::ElementsAttr elements) {
  if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(elements)) {
    if (auto strings = mlir::dyn_cast<mlir::DenseStringElementsAttr>(elements)) return strings.getNumElements() * 16;
    return static_cast<int64_t>(dense.getRawData().size());
  }
  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    // The packing of i1 in a resource depends on the producer, so its contents are not trusted.
    if (blob == nullptr || resource.getElementType().isInteger(1)) return -1;
    return static_cast<int64_t>(blob->getData().size());
  }
  if (auto sparse = mlir::dyn_cast<mlir::SparseElementsAttr>(elements)) {
    return static_cast<int64_t>(sparse.getIndices().getRawData().size() + sparse.getValues().getRawData().size());
  }
  return -1;
}

bool IsDefinedInside(mlir::Value value, mlir::Operation* op) {
  for (mlir::Operation* parent = value.getParentRegion()->getParentOp(); parent != nullptr;
       parent = parent->getParentOp()) {
    if (parent == op) return true;
  }
  return false;
}

// The results of the ops of a group. Those of a single op are not used by itself, except in a graph region, where they
// are arguments of its case.
class OwnResults {
 public:
  explicit OwnResults(const OpGroup& group) {
    if (!group.is_one_op()) ops_.insert(group.ops().begin(), group.ops().end());
  }
  bool Contain(mlir::Value value) const { return ops_.contains(value.getDefiningOp()); }

 private:
  llvm::SmallPtrSet<mlir::Operation*, 8> ops_;
};

}  // namespace

bool IsConstant(mlir::Operation* op) {
  if (op->getNumOperands() != 0 || op->getNumResults() != 1) return false;
  if (op->hasTrait<mlir::OpTrait::ConstantLike>()) return true;
  const llvm::StringRef name = op->getName().getStringRef();
  if (VendorPartOf(name) == VendorPart::kConstant) return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"stablehlo.constant", "chlo.constant", "sdy.constant", "mhlo.constant", "tosa.const"}, true)
      // It holds no values, but a device does not get them at run time either.
      .Case("tensor.empty", true)
      .Default(false);
}

bool IsChainOp(mlir::Operation* op) {
  return op->getNumResults() == 1 && llvm::StringSwitch<bool>(op->getName().getStringRef())
                                         .Cases({"stablehlo.reshape", "stablehlo.broadcast_in_dim", "stablehlo.convert",
                                                 "stablehlo.iota", "linalg.fill"},
                                                true)
                                         .Default(false);
}

mlir::ElementsAttr ConstantElements(mlir::Operation* op) {
  for (llvm::StringRef name : {"value", "values"}) {
    if (auto elements = op->getAttrOfType<mlir::ElementsAttr>(name)) return elements;
  }
  return {};
}

bool IsElided(mlir::Operation* op) {
  if (!IsConstant(op)) return false;
  mlir::ElementsAttr elements = ConstantElements(op);
  return elements && MissingElements(elements).has_value();
}

bool ConstantFolder::CanFold(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (op == nullptr) return false;
  Size size = SizeOf(op);
  return size.bytes >= 0 && size.bytes <= limit_;
}

ConstantFolder::Size ConstantFolder::SizeOf(mlir::Operation* op) {
  constexpr Size kNever{-1, 0};
  if (auto it = sizes_.find(op); it != sizes_.end()) return it->second;
  Size size = kNever;
  if (IsConstant(op)) {
    mlir::ElementsAttr elements = ConstantElements(op);
    size = {elements ? BytesOf(elements) : 0, 1};
  } else if (IsChainOp(op)) {
    // Entered first: a value that depends on itself (a graph region) is no constant.
    sizes_[op] = kNever;
    size = {0, 1};
    for (mlir::Value operand : op->getOperands()) {
      mlir::Operation* source = operand.getDefiningOp();
      Size inner = source == nullptr ? kNever : SizeOf(source);
      if (inner.bytes < 0 || inner.depth >= kMaxChain) {
        size = kNever;
        break;
      }
      size = {size.bytes + inner.bytes, std::max(size.depth, inner.depth + 1)};
    }
  }
  sizes_[op] = size;
  return size;
}

void ConstantFolder::AppendChain(mlir::Value value, llvm::SetVector<mlir::Operation*>& chain) const {
  mlir::Operation* op = value.getDefiningOp();
  if (chain.contains(op)) return;
  for (mlir::Value operand : op->getOperands()) AppendChain(operand, chain);
  chain.insert(op);
}

CaseInputs FindInputs(const OpGroup& group, ConstantFolder& folder) {
  CaseInputs inputs;
  const OwnResults own(group);
  auto add = [&](mlir::Value value) {
    if (own.Contain(value)) return;
    auto [it, is_new] = inputs.index.try_emplace(value, static_cast<int32_t>(inputs.inputs.size()));
    if (!is_new) return;
    bool folded = folder.CanFold(value);
    inputs.inputs.push_back({value, folded, folded ? -1 : inputs.arguments++});
  };
  for (mlir::Operation* op : group.ops()) {
    for (mlir::Value operand : op->getOperands()) add(operand);
    for (mlir::Region& region : op->getRegions()) {
      region.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* inner) {
        for (mlir::Value operand : inner->getOperands()) {
          if (!IsDefinedInside(operand, op)) add(operand);
        }
      });
    }
  }
  // A compiler's IR may require constants for some operands: not every value in it can be an argument.
  const auto is_argument = [](const CaseInputs::Input& input) {
    return mlir::isa<mlir::TensorType>(input.value.getType());
  };
  const bool is_own = llvm::all_of(group.ops(), [](mlir::Operation* op) {
    return llvm::is_contained(kOwnDialects, op->getName().getDialectNamespace());
  });
  if (inputs.arguments == 0 && folder.vary_constants() && is_own && llvm::all_of(inputs.inputs, is_argument)) {
    for (CaseInputs::Input& input : inputs.inputs) input = {input.value, false, inputs.arguments++};
  }
  return inputs;
}

}  // namespace opbyop::generator
