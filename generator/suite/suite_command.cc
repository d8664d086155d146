// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/suite_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include "generator/split/case_folder.h"
#include "generator/suite/coverage.h"
#include "generator/suite/lock.h"
#include "generator/suite/mesh.h"
#include "generator/suite/model_use.h"
#include "generator/suite/pairs.h"
#include "generator/suite/program.h"
#include "generator/suite/refused.h"
#include "ir/register.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/text/count_text.h"

namespace opbyop::generator {
namespace {

using Clock = std::chrono::steady_clock;

// The recipes of one op, which become one model.
struct OpRecipes {
  std::string op;
  std::vector<const Recipe*> recipes;
};

// Runs in a thread with a context of its own: a context costs as much as hundreds of programs.
void MakeModels(const std::vector<OpRecipes>& all, Level level, std::atomic<size_t>& next, Splitter& splitter,
                std::mutex& mutex, std::optional<Error>& failure) {
  mlir::DialectRegistry registry;
  RegisterAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  const auto fail = [&](const Error& error) {
    const std::lock_guard<std::mutex> lock(mutex);
    // Collects the errors of all ops, so that the author of recipes sees them together.
    if (failure) failure->message += "\n" + error.message;
    if (!failure) failure = error;
  };
  for (size_t turn = next++; turn < all.size(); turn = next++) {
    ProgramBuilder builder(context);
    for (const Recipe* recipe : all[turn].recipes) builder.Add(*recipe, Combine(*recipe, level));
    Model model{.name = ModelName(all[turn].op), .source = all[turn].op, .frontend = "suite"};
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = builder.Finish();
    if (!module) {
      fail(module.error());
      splitter.AddUnreadable(turn, std::move(model));
      continue;
    }
    const Expected<Splitter::Added> added = splitter.Add(turn, **module, std::move(model));
    if (!added) fail(added.error());
    if (added && !added->error.empty()) fail({ExitCode::kBadInput, all[turn].op + ": " + added->error});
  }
}

CaseSink DropCases() {
  return [](const std::string&, const std::string&) -> Expected<void> { return {}; };
}

Expected<void> WriteCoverage(const Suite& suite, const SuiteCommand& command) {
  if (command.pairs) {
    const Expected<Pairs> pairs = MakePairs(suite, command.suite, Level::kSmoke, "*", DropCases());
    return pairs ? WriteFile(command.coverage, PairsPage(suite, *pairs)) : Unexpected(pairs.error());
  }
  if (command.mesh) {
    const Expected<MeshSuite> made =
        MakeMeshSuite(suite, command.suite, *command.mesh, Level::kSmoke, "*", DropCases());
    return made ? WriteFile(command.coverage, MeshPage(suite, *made)) : Unexpected(made.error());
  }
  const Expected<Requirements> requirements = LoadRequirements(command.suite);
  if (!requirements) return Unexpected(requirements.error());
  const Expected<SuiteCases> cases = MakeAllCases(suite, command.suite);
  if (!cases) return Unexpected(cases.error());
  Coverage coverage = CountCoverage(*cases, *requirements);
  const Expected<std::vector<CaseText>> models = CasesOfModels(CommittedModels());
  if (!models) return Unexpected(models.error());
  coverage.models = UseOfModels(*models, *cases);
  const Expected<void> written = WriteFile(command.coverage, CoveragePage(suite, coverage));
  if (!written) return Unexpected(written.error());
  return WriteFile(SentencesFile(command.coverage), SentencesPage(suite, coverage));
}

// Returns kUsage if the cases differ from those of the locked version, but suite.yaml still has that version.
Expected<std::string> UpdateLock(const Suite& suite, const SuiteCommand& command) {
  const std::filesystem::path file = command.suite / kLockFile;
  SuiteLock old{.name = suite.name};
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    const Expected<std::string> text = ReadFile(file);
    if (!text) return Unexpected(text.error());
    Expected<SuiteLock> read = ParseLock(*text, file);
    if (!read) return Unexpected(read.error());
    old = std::move(*read);
  }
  const Expected<SuiteCases> cases = MakeAllCases(suite, command.suite);
  if (!cases) return Unexpected(cases.error());
  const Expected<Pairs> pairs = MakePairs(suite, command.suite, Level::kSmoke, "*", DropCases());
  if (!pairs) return Unexpected(pairs.error());
  const SuiteLock now = LockOf(suite, *cases, pairs->result.manifest);
  const SuiteChanges changes = CompareLocks(old, now);
  if (changes.empty() && old.version == now.version)
    return fmt::format("{} {}: nothing has changed", suite.name, suite.version);
  if (old.version == now.version) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("the cases differ from those of {} {} ({}): raise `version` in {} first", suite.name,
                                 suite.version, changes.Summary(), (command.suite / "suite.yaml").string()));
  }
  std::string page;
  if (std::filesystem::exists(command.changes, error)) {
    Expected<std::string> text = ReadFile(command.changes);
    if (!text) return text;
    page = std::move(*text);
  }
  // The lock is written last, so that the page also has everything that the lock says.
  if (Expected<void> done = WriteFile(command.changes, WithChanges(page, now, changes)); !done) {
    return Unexpected(done.error());
  }
  if (Expected<void> done = WriteFile(file, LockText(now)); !done) return Unexpected(done.error());
  return fmt::format("{} {} in place of {}: {}", suite.name, suite.version, old.version.empty() ? "none" : old.version,
                     changes.Summary());
}

std::string SecondsSince(Clock::time_point start) {
  return fmt::format("{:.2f} s", std::chrono::duration<double>(Clock::now() - start).count());
}

}  // namespace

std::string ModelName(std::string op) {
  std::replace_if(op.begin(), op.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return op;
}

void DescribeSuite(const Suite& suite, std::string_view level, Manifest& manifest) {
  std::string cases;
  for (const Case& c : manifest.cases) cases += fmt::format("{} {}\n", c.id, c.hash);
  manifest.suite = {
      .name = suite.name, .version = suite.version, .level = std::string(level), .digest = Sha256Hex(cases)};
}

Expected<SplitResult> MakeCases(const Suite& suite, Level level, const std::string& ops, CaseSink sink) {
  std::map<std::string, OpRecipes> by_op;
  for (const Recipe& recipe : suite.recipes) {
    if (!MatchesOp(ops, recipe.op)) continue;
    OpRecipes& entry = by_op[recipe.op];
    entry.op = recipe.op;
    entry.recipes.push_back(&recipe);
  }
  if (by_op.empty()) {
    return MakeError(ExitCode::kNothingToDo, fmt::format("no op of the suite {} matches {}", suite.name, ops));
  }
  std::vector<OpRecipes> all;
  for (auto& [op, recipes] : by_op) all.push_back(std::move(recipes));

  // Constants in a recipe must stay constants. Each program is of one op, which its bodies are a part of.
  Splitter splitter({.walk = {}, .vary_constants = false}, std::move(sink));
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> failure;
  const size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, all.size());
  std::vector<std::thread> threads;
  const auto work = [&] { MakeModels(all, level, next, splitter, mutex, failure); };
  for (size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) return Unexpected(*failure);
  SplitResult result = splitter.Finish();
  DescribeSuite(suite, level == Level::kSmoke ? "smoke" : "full", result.manifest);
  return result;
}

ExitCode RunSuite(const SuiteCommand& command, std::ostream& out, std::ostream& err) {
  const auto start = Clock::now();
  const auto fail = [&](const Error& error) {
    err << "suite: " << error.message << "\n";
    return error.code;
  };
  const Expected<Suite> suite = LoadSuite(command.suite);
  if (!suite) return fail(suite.error());
  if (!command.coverage.empty()) {
    const Expected<void> done = WriteCoverage(*suite, command);
    return done ? ExitCode::kOk : fail(done.error());
  }
  if (!command.changes.empty()) {
    const Expected<std::string> done = UpdateLock(*suite, command);
    if (!done) return fail(done.error());
    out << *done << "\n";
    return ExitCode::kOk;
  }
  const Expected<std::unique_ptr<CaseFolder>> folder = CaseFolder::Open(command.output);
  if (!folder) return fail(folder.error());
  const CaseSink store = [&](const std::string& id, const std::string& text) { return (*folder)->Store(id, text); };
  const auto make = [&]() -> Expected<SplitResult> {
    if (command.refused) return MakeRefusedCases(*suite, command.ops, store);
    if (command.mesh) {
      Expected<MeshSuite> made = MakeMeshSuite(*suite, command.suite, *command.mesh, command.level, command.ops, store);
      if (!made) return Unexpected(made.error());
      return std::move(made->result);
    }
    if (!command.pairs) return MakeCases(*suite, command.level, command.ops, store);
    Expected<Pairs> pairs = MakePairs(*suite, command.suite, command.level, command.ops, store);
    if (!pairs) return Unexpected(pairs.error());
    return std::move(pairs->result);
  };
  const Expected<SplitResult> result = make();
  if (!result) return fail(result.error());
  if (Expected<void> done = (*folder)->Publish(*result); !done) return fail(done.error());
  out << fmt::format("suite {} {}, level {}: {}, {} in {}: {}\n", suite->name, suite->version,
                     result->manifest.suite->level, CountText(result->manifest.models.size(), "op"),
                     CountText(result->manifest.cases.size(), "case"), SecondsSince(start),
                     (command.output / "manifest.yaml").string());
  return ExitCode::kOk;
}

}  // namespace opbyop::generator
