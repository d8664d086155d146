#include "generator/split_check.h"

#include <map>
#include <utility>

#include "fmt/format.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

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

// Each text by itself: reading it back and splitting it gives its own id and nothing else.
void CheckFixedPoint(const std::map<std::string, std::string>& texts, const SplitOptions& options, SplitCheck& check) {
  for (const auto& [id, text] : texts) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, id, context);
    if (!module) {
      check.problems.push_back(module.error().message);
      continue;
    }
    Splitter splitter(options, [](const std::string&, const std::string&) -> Expected<void> { return {}; });
    Expected<Splitter::Added> added = splitter.Add(0, **module, {.name = "again"});
    if (!added->error.empty()) check.problems.push_back(fmt::format("{}: {}", id, added->error));
    SplitResult again = splitter.Finish();
    if (again.manifest.cases.size() != 1 || again.manifest.cases[0].id != id) {
      std::string ids;
      for (const Case& c : again.manifest.cases) ids += " " + c.id;
      check.problems.push_back(fmt::format("{} splits again into{}", id, ids.empty() ? " nothing" : ids));
    }
  }
}

void CheckPlaces(const std::map<std::string, std::string>& texts, SplitCheck& check) {
  for (const auto& [id, text] : texts) {
    for (const char* folder : {"/home/", "/usr/", "/root/", "/tmp/", "/site-packages/"}) {
      if (text.find(folder) != std::string::npos) check.problems.push_back(fmt::format("{} names {}", id, folder));
    }
  }
}

}  // namespace

SplitCheck CheckSplit(const std::vector<std::filesystem::path>& files, const SplitOptions& options) {
  SplitCheck check;
  std::map<std::string, std::string> texts;
  Splitter splitter(options, [&](const std::string& id, const std::string& text) -> Expected<void> {
    texts[id] = text;
    return {};
  });
  for (size_t i = 0; i < files.size(); ++i) {
    Model model{.name = fmt::format("m{}_{}", i, Identifier(files[i].stem().string()))};
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(files[i], context);
    if (!module) {
      check.unreadable.push_back(module.error().message);
      splitter.AddUnreadable(i, model);
      continue;
    }
    Expected<Splitter::Added> added = splitter.Add(i, **module, model);
    if (!added->error.empty()) check.unreadable.push_back(fmt::format("{}: {}", files[i].string(), added->error));
  }
  check.result = splitter.Finish();
  for (const SplitResult::Renamed& renamed : check.result.renamed) {
    check.problems.push_back(fmt::format("{} had to be renamed to {}", renamed.from, renamed.to));
  }
  CheckCounts(check);
  CheckFixedPoint(texts, options, check);
  CheckPlaces(texts, check);
  return check;
}

}  // namespace opbyop
