// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/model_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "generator/program/signature.h"
#include "generator/split/model_list.h"
#include "generator/split/splitter.h"
#include "ir/foreign_dialects.h"
#include "ir/read_module.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/files/project_folder.h"

namespace opbyop::generator {
namespace {

// An op with the element types and ranks of its operands and results.
struct OpClass {
  std::string op;    // "stablehlo.add"
  std::string form;  // "(f32[2], f32[2]) -> (f32[2])"
  std::set<std::string> types;

  auto operator<=>(const OpClass&) const = default;
};

std::string FormOf(mlir::TypeRange types, std::set<std::string>& elements) {
  std::vector<std::string> forms;
  for (const TensorType& type : ToTensorTypes(types)) {
    const std::string element = ElementName(type.dtype);
    elements.insert(element);
    forms.push_back(fmt::format("{}[{}]", element, type.shape.size()));
  }
  return fmt::format("({})", fmt::join(forms, ", "));
}

// Reads the programs of cases in turn.
class ClassReader {
 public:
  // The class of the op that @main returns results of: the last one, after constants and indices.
  std::optional<OpClass> Read(const std::string& text) {
    constexpr int kUses = 128;  // memory of attributes is freed with the context
    if (uses_++ % kUses == 0) {
      context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
      AllowAnyDialect(*context_);
    }
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, "a case", *context_);
    if (!module) return std::nullopt;
    for (mlir::Operation& function : (**module).getBody()->getOperations()) {
      auto main = llvm::dyn_cast<mlir::FunctionOpInterface>(function);
      if (!main || main.getName() != "main" || main.isExternal()) continue;
      mlir::Block& body = main.getFunctionBody().front();
      mlir::Operation* last = body.empty() ? nullptr : body.getTerminator()->getPrevNode();
      if (last == nullptr) return std::nullopt;
      OpClass found{.op = last->getName().getStringRef().str()};
      found.form = FormOf(last->getOperandTypes(), found.types) + " -> " + FormOf(last->getResultTypes(), found.types);
      return found;
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<mlir::MLIRContext> context_;
  int uses_ = 0;
};

using Ids = std::set<std::string>;

// Keeps the ids that both have; `known` is nullopt before the first.
void Intersect(const Ids& ids, std::optional<Ids>& known) {
  if (!known) {
    known = ids;
    return;
  }
  std::erase_if(*known, [&](const std::string& id) { return !ids.contains(id); });
}

// The constraints of its op that a case covers: {"C1", "C2"}.
Ids ConstraintsOf(const Case& c) {
  Ids ids;
  const std::string prefix = std::string(ShortName(c.op)) + ".C";
  for (const std::string& id : c.covers) {
    if (id.starts_with(prefix)) ids.insert(id.substr(prefix.size() - 1));
  }
  return ids;
}

}  // namespace

std::vector<std::string> CommittedModels() {
  const std::filesystem::path fixtures = ProjectFolder() / "fixtures";
  return {fixtures / "models", fixtures / "zoo/small", fixtures / "zoo/real"};
}

Expected<std::vector<CaseText>> CasesOfModels(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> texts;
  Splitter splitter({}, [&](const std::string& id, const std::string& text) -> Expected<void> {
    texts[id] = text;
    return {};
  });
  size_t turn = 0;
  for (const ModelSource& source : ListModels(folders)) {
    if (source.error) return Unexpected(*source.error);
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    AllowAnyDialect(context);
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(source.file, context);
    if (!module) return Unexpected(module.error());
    const Expected<Splitter::Added> added = splitter.Add(turn++, **module, {.name = source.name});
    if (!added) return Unexpected(added.error());
    if (!added->error.empty()) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: {}", source.file.string(), added->error));
    }
  }
  SplitResult result = splitter.Finish();
  for (const SplitResult::Renamed& renamed : result.renamed) texts[renamed.to] = texts[renamed.from];
  std::vector<CaseText> cases;
  cases.reserve(result.manifest.cases.size());
  for (const Case& c : result.manifest.cases) cases.push_back({texts[c.id], c.origins.front().model});
  return cases;
}

ModelUse UseOfModels(const std::vector<CaseText>& models, const SuiteCases& cases) {
  ClassReader reader;
  std::map<OpClass, std::optional<Ids>> in_suite;
  std::map<std::string, std::optional<Ids>> of_op;
  for (const Case& c : cases.full.cases) {
    const std::optional<OpClass> read = reader.Read(cases.texts.at(c.id));
    const Ids ids = ConstraintsOf(c);
    if (read) Intersect(ids, in_suite[*read]);
    Intersect(ids, of_op[c.op]);
  }
  ModelUse use;
  for (const CaseText& c : models) {
    const std::optional<OpClass> read = reader.Read(c.text);
    if (!read) continue;
    OpInModels& op = use[std::string(ShortName(read->op))];
    const auto same = in_suite.find(*read);
    if (same == in_suite.end()) op.lacking.emplace(read->form, c.model);
    const std::optional<Ids>& ids = same == in_suite.end() ? of_op[read->op] : same->second;
    if (!ids) continue;
    for (const std::string& id : *ids) op.types_of[id].insert(read->types.begin(), read->types.end());
  }
  return use;
}

}  // namespace opbyop::generator
