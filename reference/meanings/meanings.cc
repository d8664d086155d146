// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/meanings.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ir/call_target.h"
#include "ir/read_module.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "reference/eval/evaluator.h"
#include "reference/meanings/definition.h"
#include "support/files/file.h"

namespace opbyop::reference {
namespace {

constexpr llvm::StringLiteral kIdentities = "opbyop.identities";
// Attribute of a call whose meaning is a function of Python: the number of its file.
constexpr llvm::StringLiteral kPython = "opbyop.python";

std::string TextOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool IsComposite(mlir::Operation* op) { return op->getName().getStringRef() == "stablehlo.composite"; }

// Returns the name that a definition must have; empty for other ops.
llvm::StringRef TargetOf(mlir::Operation* op) {
  if (!IsComposite(op)) return CallTargetOf(op);
  const auto name = op->getAttrOfType<mlir::StringAttr>("name");
  return name ? name.getValue() : "";
}

// The demands of the function on each operand of the call, for RoleOfArgument.
mlir::ArrayAttr DemandsOf(const PythonFunction& function, mlir::Operation* op) {
  mlir::SmallVector<mlir::Attribute> demands(op->getNumOperands(), mlir::UnitAttr::get(op->getContext()));
  for (const auto& [operand, declared] : function.inputs) {
    if (operand < demands.size()) demands[operand] = ToAttribute(declared, op->getContext());
  }
  return mlir::ArrayAttr::get(op->getContext(), demands);
}

struct Definitions {
  std::set<std::string> identities;
  std::map<std::string, std::vector<Definition>> functions;  // by target
};

// Whether both are for the same types and attributes.
bool IsSameCase(const Definition& a, const Definition& b) {
  return mlir::func::FuncOp(a.function).getFunctionType() == mlir::func::FuncOp(b.function).getFunctionType() &&
         a.function->getAttr("opbyop.where") == b.function->getAttr("opbyop.where");
}

Expected<Definitions> DefinitionsIn(mlir::ModuleOp module, const std::string& file) {
  Definitions found;
  if (const auto names = module->getAttrOfType<mlir::ArrayAttr>(kIdentities)) {
    for (const auto name : names.getAsRange<mlir::StringAttr>()) found.identities.insert(name.str());
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const Expected<std::optional<Definition>> read = ReadDefinition(function);
    if (!read) return MakeError(read.error().code, fmt::format("{}: {}", file, read.error().message));
    if (!*read) continue;
    for (const std::string& target : TargetsOf(**read)) {
      std::vector<Definition>& same = found.functions[target];
      const bool twice = llvm::any_of(same, [&](const Definition& other) { return IsSameCase(other, **read); });
      if (twice || found.identities.contains(target)) {
        return MakeError(ExitCode::kBadInput, fmt::format("{}: {} is defined twice for {}", file, target,
                                                          TextOf(function.getFunctionType())));
      }
      same.push_back(**read);
    }
  }
  if (found.functions.empty() && found.identities.empty()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} defines nothing: expected public functions with the names of custom calls", file));
  }
  return found;
}

// Moves the functions that `from` calls, and those that they call, into the module, under names that it does not have.
Expected<void> MoveHelpers(mlir::func::FuncOp from, const std::string& prefix, mlir::SymbolTable& defining,
                           mlir::SymbolTable& symbols) {
  std::vector<mlir::func::FuncOp> pending = {from};
  while (!pending.empty()) {
    mlir::func::FuncOp caller = pending.back();
    pending.pop_back();
    const auto uses = mlir::SymbolTable::getSymbolUses(&caller.getBody());
    if (!uses) continue;
    for (const mlir::SymbolTable::SymbolUse& use : *uses) {
      const std::string name = use.getSymbolRef().getRootReference().str();
      if (name.starts_with(prefix)) continue;
      auto helper = defining.lookup<mlir::func::FuncOp>(name);
      if (!helper) return MakeError(ExitCode::kBadInput, fmt::format("there is no function @{} to call", name));
      const std::string moved = prefix + name;
      if (symbols.lookup(moved) == nullptr) {
        mlir::func::FuncOp copy = helper.clone();
        copy.setSymName(moved);
        copy.setPrivate();
        symbols.insert(copy);
        pending.push_back(copy);
      }
      const auto to = mlir::StringAttr::get(caller.getContext(), moved);
      if (failed(mlir::SymbolTable::replaceAllSymbolUses(mlir::StringAttr::get(caller.getContext(), name), to,
                                                         &caller.getBody()))) {
        return MakeError(ExitCode::kBadInput, fmt::format("@{} cannot be renamed", name));
      }
      // The uses that were found are no longer those of the function.
      pending.push_back(caller);
      break;
    }
  }
  return {};
}

// Calls the function in place of the op: for one element of the batch after the other. The types of a definition for
// several sizes are not those of the call.
void CallInstead(mlir::Operation* op, mlir::func::FuncOp function, const Fit& fit) {
  mlir::OpBuilder builder(op);
  if (fit.is_exact) {
    op->replaceAllUsesWith(mlir::func::CallOp::create(builder, op->getLoc(), function, op->getOperands()));
    return;
  }
  mlir::OperationState state(op->getLoc(), "stablehlo.custom_call");
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttribute("call_target_name", builder.getStringAttr(kForEach));
  state.addAttribute("called_computations", builder.getArrayAttr(mlir::FlatSymbolRefAttr::get(function)));
  state.addAttribute(kBatchRank, builder.getI64IntegerAttr(static_cast<int64_t>(fit.batch.size())));
  op->replaceAllUsesWith(builder.create(state));
}

void Say(const std::string& words, Applied& applied) {
  if (applied.words.find(words) == std::string::npos) applied.words += (applied.words.empty() ? "" : ", ") + words;
}

void Refuse(mlir::Operation* op, const std::string& why) {
  op->setAttr(kOtherMeaning, mlir::StringAttr::get(op->getContext(), why));
}

}  // namespace

Expected<Meanings::File> Meanings::Read(std::string name, std::string text, const std::string& path) {
  File file{.name = std::move(name), .text = std::move(text)};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(file.text, path, context);
  if (!module) return Unexpected(module.error());
  const Expected<Definitions> found = DefinitionsIn(module->get(), path);
  if (!found) return Unexpected(found.error());
  file.targets = found->identities;
  for (const auto& [target, functions] : found->functions) file.targets.insert(target);
  return file;
}

Expected<Meanings> Meanings::Load(const std::vector<std::filesystem::path>& files) {
  Meanings meanings;
  for (const std::filesystem::path& path : files) {
    if (path.extension() == ".py") {
      Expected<PythonFile> python = PythonFile::Load(path);
      if (!python) return Unexpected(python.error());
      File& file = meanings.files_.emplace_back(File{.name = python->name()});
      for (const auto& [target, function] : python->functions()) file.targets.insert(target);
      file.python = std::make_shared<const PythonFile>(std::move(*python));
      continue;
    }
    Expected<std::string> text = ReadFile(path);
    if (!text) return Unexpected(text.error());
    Expected<File> file = Read(path.filename().string(), std::move(*text), path.string());
    if (!file) return Unexpected(file.error());
    meanings.files_.push_back(std::move(*file));
  }
  return meanings;
}

const std::vector<Meanings::File>& Meanings::Shipped() {
  static const std::vector<File> files = [] {
    std::vector<File> read;
    for (const ShippedFile& shipped : ShippedFiles()) {
      const std::string name = fmt::format("opbyop's {}", shipped.name);
      Expected<File> file = Read(name, std::string(shipped.text), name);
      if (file) read.push_back(std::move(*file));  // meanings_test reads all
    }
    return read;
  }();
  return files;
}

Expected<void> Meanings::ApplyFile(const File& file, size_t number, std::vector<mlir::Operation*>& calls,
                                   mlir::ModuleOp module, Applied& applied) {
  const auto is_defined = [&](mlir::Operation* op) { return file.targets.contains(TargetOf(op).str()); };
  if (llvm::none_of(calls, is_defined)) return {};
  if (file.python) {
    llvm::erase_if(calls, [&](mlir::Operation* op) {
      if (!is_defined(op)) return false;
      const std::string target = TargetOf(op).str();
      const PythonFunction& function = file.python->functions().at(target);
      op->setAttr(kPython, mlir::Builder(op).getI64IntegerAttr(static_cast<int64_t>(number)));
      op->setAttr(kInputAttribute, DemandsOf(function, op));
      Say(fmt::format("{} as {} computes it, {}", target, file.name, ToText(function)), applied);
      return true;
    });
    return {};
  }
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> defining =
      ReadModuleFromBytes(file.text, file.name, *module.getContext());
  if (!defining) return Unexpected(defining.error());
  const Expected<Definitions> definitions = DefinitionsIn(defining->get(), file.name);
  if (!definitions) return Unexpected(definitions.error());
  mlir::SymbolTable symbols(module), helpers(defining->get());
  const std::string prefix = fmt::format("opbyop.meaning.{}.", number);

  llvm::erase_if(calls, [&](mlir::Operation* op) {
    if (!is_defined(op)) return false;
    const std::string target = TargetOf(op).str();
    const std::string words = fmt::format("{} as {} defines it", target, file.name);
    if (definitions->identities.contains(target)) {
      if (op->getOperandTypes() != op->getResultTypes()) {
        Refuse(op, file.name + " calls it an identity");
        return false;
      }
      op->replaceAllUsesWith(op->getOperands());
      Say(words, applied);
      op->erase();
      return true;
    }
    const std::vector<Definition>& candidates = definitions->functions.at(target);
    for (const Definition& definition : candidates) {
      const std::optional<Fit> fit = FitOf(definition, op);
      if (!fit) continue;
      if (definition.property != nullptr) {
        Expected<PropertyJudge> judge = PropertyJudge::For(op, definition, *fit);
        Refuse(op, fmt::format("{} says what its results must satisfy{}{}", file.name,
                               judge ? ", not which they are" : ": ", judge ? "" : judge.error().message));
        if (judge) {
          applied.judge = std::move(*judge);
          Say(words, applied);
        }
        return true;
      }
      Expected<mlir::func::FuncOp> function =
          Instantiate(definition, op, *fit,
                      fmt::format("{}{}", prefix, mlir::func::FuncOp(definition.function).getSymName().str()));
      if (!function) {
        Refuse(op, fmt::format("{}: {}", file.name, function.error().message));
        return false;
      }
      symbols.insert(*function);  // makes the name unique
      if (const Expected<void> moved = MoveHelpers(*function, prefix, helpers, symbols); !moved) {
        Refuse(op, fmt::format("{}: {}", file.name, moved.error().message));
        function->erase();
        return false;
      }
      CallInstead(op, *function, *fit);
      Say(words, applied);
      op->erase();
      return true;
    }
    const mlir::Type defined = mlir::func::FuncOp(candidates.front().function).getFunctionType();
    Refuse(op, file.name + " defines it for " + TextOf(defined));
    return false;
  });
  return {};
}

Expected<Applied> Meanings::Apply(mlir::ModuleOp module) const {
  Applied applied;
  std::vector<mlir::Operation*> calls;
  module->walk([&](mlir::Operation* op) {
    if (op->getParentOfType<mlir::ModuleOp>() == module && !TargetOf(op).empty()) calls.push_back(op);
  });
  if (calls.empty()) return applied;
  size_t number = 0;
  for (const std::vector<File>* files : {&files_, &Shipped()}) {
    for (const File& file : *files) {
      if (const Expected<void> done = ApplyFile(file, number++, calls, module, applied); !done) {
        return Unexpected(done.error());
      }
    }
  }
  for (mlir::Operation* op : calls) {
    if (IsComposite(op) && !EvalTable().contains(TargetOf(op))) {
      Say(TargetOf(op).str() + " by its decomposition", applied);
    }
  }
  return applied;
}

EvalHook Meanings::CallingPython(EvalHook next) const {
  std::vector<std::shared_ptr<const PythonFile>> files;
  files.reserve(files_.size());
  for (const File& file : files_) files.push_back(file.python);
  if (llvm::none_of(files, [](const auto& file) { return file != nullptr; })) return next;
  return [files = std::move(files), next = std::move(next)](OpContext& context, Values& results) -> Expected<bool> {
    const auto number = context.op->getAttrOfType<mlir::IntegerAttr>(kPython);
    if (!number) return next ? next(context, results) : false;
    Expected<Values> called = files[static_cast<size_t>(number.getInt())]->Call(TargetOf(context.op).str(), context);
    if (!called) return Unexpected(called.error());
    results = std::move(*called);
    return true;
  };
}

}  // namespace opbyop::reference
