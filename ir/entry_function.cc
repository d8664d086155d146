// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/entry_function.h"

#include <fmt/format.h>

#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/text/count_text.h"

namespace opbyop {

std::string EntryName(mlir::ModuleOp module, std::string_view asked) {
  if (asked != kMainFunction) return std::string(asked);
  bool has_main = false;
  llvm::DenseSet<mlir::StringAttr> named;
  module->walk([&](mlir::Operation* op) {
    has_main |= mlir::isa<mlir::FunctionOpInterface>(op) &&
                mlir::SymbolTable::getSymbolName(op).getValue() == llvm::StringRef(kMainFunction);
    op->getAttrDictionary().walk([&](mlir::SymbolRefAttr symbol) { named.insert(symbol.getRootReference()); });
  });
  if (has_main) return std::string(asked);
  std::string only;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    if (function.isExternal() || named.contains(mlir::SymbolTable::getSymbolName(function))) continue;
    if (!only.empty()) return std::string(asked);
    only = mlir::SymbolTable::getSymbolName(function).str();
  }
  return only.empty() ? std::string(asked) : only;
}

Error NoEntry(mlir::ModuleOp module, std::string_view asked) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    names.push_back("@" + mlir::SymbolTable::getSymbolName(function).str());
  }
  if (names.empty()) {
    return {ExitCode::kBadInput,
            fmt::format("no function @{} and no other function in the module; is this an empty module?", asked)};
  }
  return {ExitCode::kBadInput, fmt::format("no function @{} in the module, only {}; name the one that runs with "
                                           "--entry",
                                           asked, SomeOf(names, kShown))};
}

}  // namespace opbyop
