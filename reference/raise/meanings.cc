// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/raise/meanings.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ir/read_module.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "reference/eval/evaluator.h"
#include "support/files/file.h"

namespace opbyop::reference {
namespace {

constexpr llvm::StringLiteral kMeaning = "opbyop.meaning";
constexpr llvm::StringLiteral kIdentities = "opbyop.identities";

std::string TextOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Returns the name that a definition must have; empty for other ops.
llvm::StringRef TargetOf(mlir::Operation* op) {
  const llvm::StringRef name = op->getName().getStringRef();
  const char* key = name == "stablehlo.custom_call" ? "call_target_name" : name == "stablehlo.composite" ? "name" : "";
  const auto target = *key == '\0' ? mlir::StringAttr() : op->getAttrOfType<mlir::StringAttr>(key);
  return target ? target.getValue() : "";
}

llvm::StringRef TargetDefinedBy(mlir::func::FuncOp function) {
  const auto target = function->getAttrOfType<mlir::StringAttr>(kMeaning);
  return target ? target.getValue() : function.getSymName();
}

struct Definitions {
  std::set<std::string> identities;
  std::map<std::string, std::vector<mlir::func::FuncOp>> functions;  // by target

  mlir::func::FuncOp Find(llvm::StringRef target, mlir::Operation* op) const {
    const auto found = functions.find(target.str());
    if (found == functions.end()) return nullptr;
    for (mlir::func::FuncOp function : found->second) {
      const mlir::FunctionType type = function.getFunctionType();
      if (llvm::equal(type.getInputs(), op->getOperandTypes()) &&
          llvm::equal(type.getResults(), op->getResultTypes())) {
        return function;
      }
    }
    return nullptr;
  }
};

Expected<Definitions> DefinitionsIn(mlir::ModuleOp module, const std::string& file) {
  Definitions found;
  if (const auto names = module->getAttrOfType<mlir::ArrayAttr>(kIdentities)) {
    for (const auto name : names.getAsRange<mlir::StringAttr>()) found.identities.insert(name.str());
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const std::string target = TargetDefinedBy(function).str();
    if (function.isPrivate()) continue;
    if (function.isExternal()) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: the definition of {} has no body", file, target));
    }
    std::vector<mlir::func::FuncOp>& same = found.functions[target];
    const mlir::FunctionType type = function.getFunctionType();
    const bool twice = llvm::any_of(same, [&](mlir::func::FuncOp other) { return other.getFunctionType() == type; });
    if (twice || found.identities.contains(target)) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: {} is defined twice for {}", file, target, TextOf(type)));
    }
    same.push_back(function);
  }
  if (found.functions.empty() && found.identities.empty()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} defines nothing: expected public functions with the names of custom calls", file));
  }
  return found;
}

}  // namespace

Expected<Meanings> Meanings::Load(const std::vector<std::filesystem::path>& files) {
  Meanings meanings;
  for (const std::filesystem::path& path : files) {
    File file{.name = path.filename().string(), .text = {}, .targets = {}};
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(path, context);
    if (!module) return Unexpected(module.error());
    const Expected<Definitions> found = DefinitionsIn(module->get(), path.string());
    if (!found) return Unexpected(found.error());
    file.targets = found->identities;
    for (const auto& [target, functions] : found->functions) file.targets.insert(target);
    Expected<std::string> text = ReadFile(path);
    if (!text) return Unexpected(text.error());
    file.text = std::move(*text);
    meanings.files_.push_back(std::move(file));
  }
  return meanings;
}

Expected<std::string> Meanings::Apply(mlir::ModuleOp module) const {
  std::string used;
  for (size_t i = 0; i < files_.size(); ++i) {
    const File& file = files_[i];
    llvm::SmallVector<mlir::Operation*> calls;
    module->walk([&](mlir::Operation* op) {
      if (op->getParentOfType<mlir::ModuleOp>() == module && file.targets.contains(TargetOf(op).str())) {
        calls.push_back(op);
      }
    });
    if (calls.empty()) continue;
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> defining =
        ReadModuleFromBytes(file.text, file.name, *module->getContext());
    if (!defining) return Unexpected(defining.error());
    const Expected<Definitions> definitions = DefinitionsIn(defining->get(), file.name);
    if (!definitions) return Unexpected(definitions.error());

    // No name of the module's own functions may be taken.
    mlir::SymbolTable symbols(defining->get());
    for (auto function : llvm::make_early_inc_range(defining->get().getOps<mlir::func::FuncOp>())) {
      const std::string name = fmt::format("opbyop.meaning.{}.{}", i, function.getSymName().str());
      if (failed(symbols.rename(function, name))) {
        return MakeError(ExitCode::kBadInput, fmt::format("{}: {} cannot be renamed", file.name, name));
      }
    }
    bool moved = false;
    for (mlir::Operation* op : calls) {
      const std::string target = TargetOf(op).str();
      if (definitions->identities.contains(target)) {
        if (op->getOperandTypes() != op->getResultTypes()) {
          op->setAttr(kOtherMeaning, mlir::StringAttr::get(op->getContext(), file.name + " calls it an identity"));
          continue;
        }
        op->replaceAllUsesWith(op->getOperands());
      } else if (mlir::func::FuncOp function = definitions->Find(target, op)) {
        mlir::OpBuilder builder(op);
        op->replaceAllUsesWith(mlir::func::CallOp::create(builder, op->getLoc(), function, op->getOperands()));
        moved = true;
      } else {
        mlir::func::FuncOp first = definitions->functions.at(target).front();
        const mlir::Type defined = first.getFunctionType();
        op->setAttr(kOtherMeaning,
                    mlir::StringAttr::get(op->getContext(), file.name + " defines it for " + TextOf(defined)));
        continue;
      }
      const std::string words = fmt::format("{} as {} defines it", target, file.name);
      if (used.find(words) == std::string::npos) used += (used.empty() ? "" : ", ") + words;
      op->erase();
    }
    if (!moved) continue;
    for (auto function : llvm::make_early_inc_range(defining->get().getOps<mlir::func::FuncOp>())) {
      function.setPrivate();
      function->moveBefore(module.getBody(), module.getBody()->end());
    }
  }
  return used;
}

}  // namespace opbyop::reference
