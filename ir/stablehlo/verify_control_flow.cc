// Verifiers of control flow.
#include "ir/stablehlo/verify.h"
#include "llvm/ADT/StringExtras.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace {

bool Compatible(TypeRange a, TypeRange b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto pair) { return CompatibleTypes(std::get<0>(pair), std::get<1>(pair)); });
}

// Branches take nothing and all return what the op returns.
LogicalResult VerifyBranches(mlir::Operation* op, llvm::ArrayRef<Region*> branches) {
  if (branches.empty()) return op->emitOpError() << "expects at least one branch";
  for (auto [i, branch] : llvm::enumerate(branches)) {
    if (branch->getNumArguments() != 0)
      return op->emitOpError() << "expects branch " << i << " to take no arguments, but it takes "
                               << branch->getNumArguments();
    llvm::SmallVector<Type> returned = ReturnedTypes(*branch);
    if (!Compatible(returned, op->getResultTypes()))
      return op->emitOpError() << "has branch " << i << " that returns " << Show(returned) << ", but results of "
                               << Show(op->getResultTypes());
    llvm::SmallVector<Type> first = ReturnedTypes(*branches.front());
    if (!Compatible(returned, first))
      return op->emitOpError() << "has branches 0 and " << i << " that return different types, " << Show(first)
                               << " and " << Show(returned);
  }
  return success();
}

}  // namespace

LogicalResult IfOp::verify() { return VerifyBranches(*this, {&getTrueBranch(), &getFalseBranch()}); }

LogicalResult CaseOp::verify() {
  llvm::SmallVector<Region*> branches;
  for (Region& branch : getBranches()) branches.push_back(&branch);
  return VerifyBranches(*this, branches);
}

LogicalResult WhileOp::verify() {
  for (auto [name, region] : {std::pair("condition", &getCond()), std::pair("body", &getBody())})
    if (!Compatible(region->getArgumentTypes(), getOperandTypes()))
      return emitOpError() << "expects the " << name << "'s arguments to be compatible with the operands, but got "
                           << Show(region->getArgumentTypes()) << " and " << Show(getOperandTypes());
  llvm::SmallVector<Type> predicate = ReturnedTypes(getCond());
  auto tensor = predicate.size() == 1 ? llvm::dyn_cast<RankedTensorType>(predicate.front()) : RankedTensorType();
  if (!tensor || tensor.getRank() != 0 || !IsBoolean(tensor.getElementType()))
    return emitOpError() << "expects the condition to return one 'tensor<i1>', but it returns " << Show(predicate);
  llvm::SmallVector<Type> returned = ReturnedTypes(getBody());
  if (!Compatible(returned, getOperandTypes()))
    return emitOpError() << "expects the body to return the operands' types, but got " << Show(returned) << " and "
                         << Show(getOperandTypes());
  return VerifyResultTypes(*this, getOperandTypes(), getResultTypes());
}

LogicalResult OptimizationBarrierOp::verify() { return VerifyResultTypes(*this, getOperandTypes(), getResultTypes()); }

LogicalResult CompositeOp::verify() {
  // `namespace.name`, each part of letters, digits and `_`, a namespace not
  // beginning with a digit; parts after the first may also hold `$`, `-`.
  llvm::SmallVector<llvm::StringRef> parts;
  getName().split(parts, '.');
  bool valid = parts.size() >= 2 && !parts.front().empty() && !llvm::isDigit(parts.front().front()) &&
               llvm::all_of(parts, [](llvm::StringRef part) {
                 return !part.empty() &&
                        llvm::all_of(part, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '-'; });
               });
  if (!valid) return emitOpError() << "expects a name of the form 'namespace.op', but got '" << getName() << "'";
  return success();
}

}  // namespace opbyop::stablehlo
