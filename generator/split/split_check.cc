// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/split_check.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "generator/program/canonical_hash.h"
#include "generator/shard/op_sharding.h"
#include "ir/foreign_dialects.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/files/file.h"

namespace opbyop::generator {
namespace {

// A context for several modules in turn: loading dialects takes longer than reading a case. The memory of attributes is
// freed only with the context, so it is replaced at times.
class ContextPool {
 public:
  mlir::MLIRContext& Next() {
    constexpr int kUses = 128;
    if (uses_++ % kUses == 0) {
      context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
      AllowAnyDialect(*context_);
    }
    return *context_;
  }

 private:
  std::unique_ptr<mlir::MLIRContext> context_;
  int uses_ = 0;
};

void CheckCounts(SplitCheck& check) {
  std::map<std::string, int64_t> counts;
  for (const Case& c : check.result.manifest.cases) {
    if (c.origins.empty()) check.problems.push_back(fmt::format("{}: no origin", c.id));
    for (const Origin& origin : c.origins) counts[origin.model] += origin.count;
  }
  for (const Model& model : check.result.manifest.models) {
    if (counts[model.name] != model.ops) {
      check.problems.push_back(
          fmt::format("{}: {} ops reached, {} counted", model.name, model.ops, counts[model.name]));
    }
  }
}

// Whether a case that the file of `c` splits into is `c`. The file of a sharded case is the plain op.
bool IsItself(const Case& c, const Case& again) {
  if (!c.sharding || again.sharding) return again.id == c.id;
  constexpr size_t kDigits = 16;
  const Digest plain{std::stoull(again.hash.substr(0, kDigits), nullptr, 16),
                     std::stoull(again.hash.substr(kDigits), nullptr, 16)};
  return WithSharding(plain, *c.sharding).Hex() == c.hash;
}

// Reads each text back and splits it: the result must be the case itself and nothing else.
void CheckFixedPoint(const SplitOptions& options, SplitCheck& check) {
  ContextPool contexts;
  for (const Case& c : check.result.manifest.cases) {
    const auto text = check.texts.find(c.id);
    if (text == check.texts.end()) continue;
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text->second, c.id, contexts.Next());
    if (!module) {
      check.problems.push_back(module.error().message);
      continue;
    }
    Splitter splitter(options, [](const std::string&, const std::string&) -> Expected<void> { return {}; });
    Expected<Splitter::Added> added = splitter.Add(0, **module, {.name = "again"});
    if (!added->error.empty()) check.problems.push_back(fmt::format("{}: {}", c.id, added->error));
    const SplitResult result = splitter.Finish();
    const std::vector<Case>& again = result.manifest.cases;
    if (again.size() == 1 && IsItself(c, again[0])) continue;
    std::string ids;
    for (const Case& other : again) ids += " " + other.id;
    check.problems.push_back(fmt::format("{} splits again into{}", c.id, ids.empty() ? " nothing" : ids));
  }
}

void CheckPlaces(SplitCheck& check) {
  for (const auto& [id, text] : check.texts) {
    for (const char* folder : {"/home/", "/usr/", "/root/", "/tmp/", "/site-packages/"}) {
      if (text.find(folder) != std::string::npos) check.problems.push_back(fmt::format("{} names {}", id, folder));
    }
  }
}

bool HasBody(mlir::Operation& op) {
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
  return function && !function.isExternal();
}

void NameFirstFunctionMain(mlir::ModuleOp module) {
  if (mlir::SymbolTable::lookupSymbolIn(module, "main") != nullptr) return;
  auto first = llvm::find_if(*module.getBody(), HasBody);
  if (first == module.getBody()->end()) return;
  mlir::SymbolTable::setSymbolName(&*first, "main");
}

}  // namespace

int64_t SplitCheck::Ops() const {
  int64_t ops = 0;
  for (const Model& model : result.manifest.models) ops += model.ops;
  return ops;
}

SplitCheck CheckSplit(const std::vector<SplitSource>& sources, const SplitOptions& options) {
  SplitCheck check;
  Splitter splitter(options, [&](const std::string& id, const std::string& text) -> Expected<void> {
    check.texts[id] = text;
    return {};
  });
  ContextPool contexts;
  for (size_t i = 0; i < sources.size(); ++i) {
    const SplitSource& source = sources[i];
    Model model{.name = fmt::format("m{}_{}", i, Identifier(std::filesystem::path(source.name).stem().string()))};
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
        ReadModuleFromBytes(source.bytes, source.name, contexts.Next());
    if (!module) {
      check.unreadable.push_back(module.error().message);
      splitter.AddUnreadable(i, model);
      continue;
    }
    if (source.any_entry) NameFirstFunctionMain(**module);
    Expected<Splitter::Added> added = splitter.Add(i, **module, model);
    if (!added->error.empty()) check.unreadable.push_back(fmt::format("{}: {}", source.name, added->error));
  }
  check.result = splitter.Finish();
  for (const SplitResult::Renamed& renamed : check.result.renamed) {
    check.problems.push_back(fmt::format("{} had to be renamed to {}", renamed.from, renamed.to));
  }
  CheckCounts(check);
  CheckFixedPoint(options, check);
  CheckPlaces(check);
  return check;
}

SplitCheck CheckSplitOfFiles(const std::vector<std::filesystem::path>& files, const SplitOptions& options) {
  std::vector<SplitSource> sources;
  for (const std::filesystem::path& file : files) {
    Expected<std::string> bytes = ReadFile(file);
    sources.push_back({.name = file.string(), .bytes = bytes ? std::move(*bytes) : ""});
  }
  return CheckSplit(sources, options);
}

}  // namespace opbyop::generator
