// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/countable_types.h"

#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "support/countable.h"
#include "support/tensor_type.h"

namespace opbyop {
namespace {

// Checks each type only once, because types are unique in their context.
class Verifier {
 public:
  mlir::LogicalResult Verify(mlir::Operation* op) {
    for (mlir::Type type : op->getResultTypes()) {
      if (mlir::failed(Verify(op, type))) return mlir::failure();
    }
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::Type type : block.getArgumentTypes()) {
          if (mlir::failed(Verify(op, type))) return mlir::failure();
        }
      }
    }
    // The type of a function is an attribute. The module has not been verified, so any attribute may be absent.
    for (const mlir::NamedAttribute& attribute : op->getDiscardableAttrs()) {
      if (mlir::failed(Verify(op, attribute.getValue()))) return mlir::failure();
    }
    for (mlir::StringAttr name : op->getName().getAttributeNames()) {
      if (mlir::failed(Verify(op, op->getInherentAttr(name).value_or(mlir::Attribute())))) return mlir::failure();
    }
    return mlir::success();
  }

 private:
  mlir::LogicalResult Verify(mlir::Operation* op, mlir::Attribute attribute) {
    if (auto typed = mlir::dyn_cast_or_null<mlir::TypedAttr>(attribute)) return Verify(op, typed.getType());
    if (auto type = mlir::dyn_cast_or_null<mlir::TypeAttr>(attribute)) return Verify(op, type.getValue());
    return mlir::success();
  }

  mlir::LogicalResult Verify(mlir::Operation* op, mlir::Type type) {
    if (!type || !known_.insert(type).second) return mlir::success();
    mlir::LogicalResult result = mlir::success();
    type.walk([&](mlir::ShapedType shaped) {
      if (mlir::failed(result) || !shaped.hasRank() || IsCountable(Extents(shaped))) return;
      result = op->emitOpError() << "has a value of type " << mlir::Type(shaped)
                                 << ", whose bytes are more than 64 bits can count";
    });
    return result;
  }

  static llvm::SmallVector<int64_t> Extents(mlir::ShapedType type) {
    llvm::SmallVector<int64_t> extents(type.getShape());
    for (int64_t& extent : extents) {
      if (mlir::ShapedType::isDynamic(extent)) extent = kDynamic;
    }
    return extents;
  }

  llvm::DenseSet<mlir::Type> known_;
};

}  // namespace

mlir::LogicalResult VerifyCountableTypes(mlir::ModuleOp module) {
  Verifier verifier;
  const mlir::WalkResult walked = module.walk([&](mlir::Operation* op) {
    return mlir::failed(verifier.Verify(op)) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return mlir::failure(walked.wasInterrupted());
}

}  // namespace opbyop
