// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits of programs with many ops: inlining of calls, and runs of consecutive ops.
#include <fmt/format.h>

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "reduction/edit.h"

namespace opbyop::reduction {
namespace {

std::vector<mlir::Operation*> Computations(const Program& program) {
  std::vector<mlir::Operation*> ops;
  for (mlir::Operation& op : program.body()) {
    if (IsComputation(&op)) ops.push_back(&op);
  }
  return ops;
}

bool InlineCalls(Program& program) {
  bool changed = false;
  for (mlir::Operation* op = &program.body().front(); op != nullptr;) {
    auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
    auto callee = call ? mlir::dyn_cast_or_null<mlir::func::FuncOp>(
                             mlir::SymbolTable::lookupSymbolIn(program.module.get(), call.getCallee()))
                       : nullptr;
    if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock()) {
      op = op->getNextNode();
      continue;
    }
    mlir::IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    mlir::OpBuilder builder(call);
    mlir::Operation* first = nullptr;
    for (mlir::Operation& inner : callee.getBody().front().without_terminator()) {
      mlir::Operation* copy = builder.clone(inner, mapping);
      if (first == nullptr) first = copy;
    }
    mlir::Operation* terminator = callee.getBody().front().getTerminator();
    for (auto [result, value] : llvm::zip(call.getResults(), terminator->getOperands())) {
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    }
    op = first != nullptr ? first : call->getNextNode();  // a callee may contain calls
    call.erase();
    changed = true;
  }
  return changed;
}

bool CutToRun(Program& program, int64_t begin, int64_t end) {
  const std::vector<mlir::Operation*> ops = Computations(program);
  const auto count = static_cast<int64_t>(ops.size());
  if (begin < 0 || end > count || begin >= end || end - begin == count) return false;
  mlir::Block& body = program.body();
  mlir::DenseMap<mlir::Operation*, int64_t> place;
  for (int64_t i = 0; i < count; ++i) place[ops[static_cast<size_t>(i)]] = i;
  const auto user_place = [&](mlir::Operation* user) {
    mlir::Operation* top = body.findAncestorOpInBlock(*user);
    const auto found = place.find(top);
    return found == place.end() ? count : found->second;  // the return
  };

  llvm::SmallVector<mlir::Value> results;
  for (int64_t i = begin; i < end; ++i) {
    for (mlir::Value result : ops[static_cast<size_t>(i)]->getResults()) {
      if (llvm::any_of(result.getUsers(), [&](mlir::Operation* user) { return user_place(user) >= end; })) {
        results.push_back(result);
      }
    }
  }
  if (results.empty()) return false;
  for (int64_t i = 0; i < begin; ++i) {
    for (mlir::Value result : ops[static_cast<size_t>(i)]->getResults()) {
      const bool is_read = llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
        return user_place(user) >= begin && user_place(user) < end;
      });
      if (!is_read) continue;
      // Fixed values exist only for the present arguments.
      if (program.inputs) return false;
      const mlir::Value argument = body.addArgument(result.getType(), result.getLoc());
      result.replaceUsesWithIf(argument, [&](mlir::OpOperand& use) {
        const int64_t at = user_place(use.getOwner());
        return at >= begin && at < end;
      });
    }
  }
  body.getTerminator()->setOperands(results);
  for (int64_t i = count - 1; i >= 0; --i) {
    if (i < begin || i >= end) {
      ops[static_cast<size_t>(i)]->dropAllUses();
      ops[static_cast<size_t>(i)]->erase();
    }
  }
  UpdateSignature(program);
  return true;
}

}  // namespace

Edits CallEdits(const Program& program) { return {{"calls in place", &InlineCalls}}; }

int64_t RunLength(const Program& program) { return static_cast<int64_t>(Computations(program).size()); }

Edit RunEdit(int64_t begin, int64_t end) {
  return {fmt::format("ops {} to {}", begin, end - 1),
          [begin, end](Program& program) { return CutToRun(program, begin, end); }};
}

}  // namespace opbyop::reduction
