// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generator/suite/op_module.h"
#include "generator/suite/pair_choice.h"
#include "generator/suite/pair_parts.h"
#include "generator/suite/suite_command.h"
#include "ir/register.h"
#include "mlir/IR/IRMapping.h"

namespace opbyop::generator {
namespace {

// Adds the two ops of a pair, on arguments of their own.
void AddPair(const ChosenPair& pair, OpModule& module) {
  mlir::IRMapping none;
  const mlir::Value passed = module.Add(pair.first.op, pair.rule->name, none)->getResult(pair.result);
  mlir::IRMapping mapping;
  mapping.map(pair.second.op->getOperand(pair.operand), passed);
  module.Add(pair.second.op, pair.rule->name, mapping);
}

}  // namespace

size_t Pairs::Count() const {
  return static_cast<size_t>(
      std::ranges::count_if(result.manifest.cases, [](const Case& c) { return c.has_several_ops(); }));
}

Expected<Pairs> MakePairs(const Suite& suite, const std::filesystem::path& folder, Level level, const std::string& ops,
                          CaseSink sink) {
  Expected<PairRules> rules = LoadPairRules(folder);
  if (!rules) return Unexpected(rules.error());
  mlir::DialectRegistry registry;
  RegisterAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Expected<PairParts> parts = PairParts::Make(context, suite, *rules, level);
  if (!parts) return Unexpected(parts.error());

  Pairs pairs;
  std::map<std::string, OpModule> modules;  // by the second op
  for (const ChosenPair& pair : ChoosePairs(*parts, *rules, level)) {
    const std::string first = pair.first.name(), second = pair.second.name();
    if (!MatchesOp(ops, first) && !MatchesOp(ops, second)) continue;
    AddPair(pair, modules.try_emplace(second, parts->module()).first->second);
    ++pairs.by_rule[pair.rule->name];
    const auto count = [](PairSide& side, const std::string& partner) {
      ++side.programs;
      side.partners.insert(partner);
    };
    count(pairs.as_first[first], second);
    count(pairs.as_second[second], first);
  }
  if (modules.empty()) {
    return MakeError(ExitCode::kNothingToDo, fmt::format("no op of the suite {} matches {}", suite.name, ops));
  }
  // Constants in a recipe stay constants, and the bodies of an op are parts of it, as in MakeCases.
  Splitter splitter({.walk = {}, .granularity = {Granularity::Kind::kWindow, 2}, .vary_constants = false},
                    std::move(sink));
  size_t turn = 0;
  for (auto& [op, builder] : modules) {
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = builder.Finish();
    if (!module) return Unexpected(module.error());
    const Expected<Splitter::Added> added =
        splitter.Add(turn++, **module, {.name = ModelName(op), .source = op, .frontend = "suite"});
    if (!added) return Unexpected(added.error());
    if (!added->error.empty()) return MakeError(ExitCode::kBadInput, op + ": " + added->error);
  }
  pairs.result = splitter.Finish();
  pairs.rules = std::move(*rules);
  DescribeSuite(suite, level == Level::kSmoke ? std::string(kPairsLevel) : std::string(kPairsLevel) + "-full",
                pairs.result.manifest);
  return pairs;
}

}  // namespace opbyop::generator
