// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/entry_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/text/count_text.h"

namespace opbyop {
namespace {

// The functions of the module, or those of its nested modules if it has none itself.
std::vector<mlir::FunctionOpInterface> FunctionsOf(mlir::ModuleOp module) {
  std::vector<mlir::FunctionOpInterface> functions;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) functions.push_back(function);
  if (!functions.empty()) return functions;
  module.walk([&](mlir::ModuleOp inner) {
    for (auto function : inner.getOps<mlir::FunctionOpInterface>()) functions.push_back(function);
  });
  return functions;
}

bool HasEntry(mlir::ModuleOp module, std::string_view entry) {
  mlir::Operation* op = mlir::SymbolTable::lookupSymbolIn(module, llvm::StringRef(entry));
  return op != nullptr && mlir::isa<mlir::FunctionOpInterface>(op) && op->getNumRegions() == 1 &&
         !op->getRegion(0).empty();
}

}  // namespace

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
  std::vector<mlir::FunctionOpInterface> free, visible;
  for (mlir::FunctionOpInterface function : FunctionsOf(module)) {
    if (function.isExternal() || named.contains(mlir::SymbolTable::getSymbolName(function))) continue;
    free.push_back(function);
    if (mlir::SymbolTable::getSymbolVisibility(function) == mlir::SymbolTable::Visibility::Public) {
      visible.push_back(function);
    }
  }
  if (free.size() > 1) free = visible;
  return free.size() == 1 ? mlir::SymbolTable::getSymbolName(free[0]).str() : std::string(asked);
}

Expected<mlir::ModuleOp> FindEntryModule(mlir::ModuleOp module, std::string_view entry) {
  if (HasEntry(module, entry)) return module;
  std::vector<mlir::ModuleOp> nested;
  module.walk([&](mlir::ModuleOp inner) {
    if (inner != module && HasEntry(inner, entry)) nested.push_back(inner);
  });
  if (nested.size() == 1) return nested[0];
  if (nested.size() > 1) {
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("{} nested modules define @{}; which one is the program is not clear", nested.size(), entry));
  }
  return Unexpected(NoEntry(module, entry));
}

Error NoEntry(mlir::ModuleOp module, std::string_view asked) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (mlir::FunctionOpInterface function : FunctionsOf(module)) {
    std::string name = "@" + mlir::SymbolTable::getSymbolName(function).str();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
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
