// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Type inference and verifiers of control flow ops.
#include "ir/stablehlo/infer.h"
#include "llvm/ADT/StringExtras.h"

namespace opbyop::stablehlo {

using llvm::LogicalResult;
using mlir::success;
using mlir::Type;
using mlir::TypeRange;

namespace {

// Infers result types from branches. Branches have no arguments, and all of them return the results of the op.
LogicalResult InferBranches(const Site& site, mlir::RegionRange branches, Types& types) {
  if (branches.empty()) return site.emitOpError() << "expects at least one branch";
  for (auto [i, branch] : llvm::enumerate(branches)) {
    if (branch->empty()) return site.emitOpError() << "cannot be inferred without branch " << i;
    if (branch->getNumArguments() != 0)
      return site.emitOpError() << "expects branch " << i << " to take no arguments, but it takes "
                                << branch->getNumArguments();
    llvm::SmallVector<Type> returned = ReturnedTypes(*branch);
    if (i == 0) {
      llvm::append_range(types, returned);
      continue;
    }
    llvm::SmallVector<Type> first = ReturnedTypes(*branches.front());
    if (!CompatibleTypes(TypeRange(returned), TypeRange(first)))
      return site.emitOpError() << "has branches 0 and " << i << " that return different types, " << Show(first)
                                << " and " << Show(returned);
    for (auto [type, other] : llvm::zip(types, returned)) type = Branched(type, other);
  }
  return success();
}

}  // namespace

LogicalResult IfOp::Infer(const Site& site, Adaptor op, Types& types) {
  return InferBranches(site, op.getRegions(), types);
}

LogicalResult CaseOp::Infer(const Site& site, Adaptor op, Types& types) {
  return InferBranches(site, op.getRegions(), types);
}

LogicalResult WhileOp::verify() {
  for (auto [name, region] : {std::pair("condition", &getCond()), std::pair("body", &getBody())})
    if (!CompatibleTypes(TypeRange(region->getArgumentTypes()), getOperandTypes()))
      return emitOpError() << "expects the " << name << "'s arguments to be compatible with the operands, but got "
                           << Show(region->getArgumentTypes()) << " and " << Show(getOperandTypes());
  llvm::SmallVector<Type> predicate = ReturnedTypes(getCond());
  if (!IsPredicate(predicate))
    return emitOpError() << "expects the condition to return one 'tensor<i1>', but it returns " << Show(predicate);
  llvm::SmallVector<Type> returned = ReturnedTypes(getBody());
  if (!CompatibleTypes(TypeRange(returned), getOperandTypes()))
    return emitOpError() << "expects the body to return the operands' types, but got " << Show(returned) << " and "
                         << Show(getOperandTypes());
  return success();
}

LogicalResult CompositeOp::verify() {
  // The name must be `namespace.name`. Each part consists of letters, digits and `_`, and the namespace must not start
  // with a digit. Parts after the first may also contain `$` and `-`.
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
