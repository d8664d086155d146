// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generator/suite/pair_choice.h"
#include "generator/suite/pair_parts.h"
#include "generator/suite/suite_command.h"
#include "ir/first_error.h"
#include "ir/register.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::generator {
namespace {

// A model whose @main has the two ops of each program, on arguments of their own.
class PairModule {
 public:
  // The functions that ops may name are those of `functions`.
  explicit PairModule(mlir::ModuleOp functions) : module_(functions.clone()), builder_(functions.getContext()) {
    module_->lookupSymbol("main")->erase();
    builder_.setInsertionPointToEnd(module_->getBody());
    main_ = mlir::func::FuncOp::create(builder_, module_->getLoc(), "main", builder_.getFunctionType({}, {}));
    builder_.setInsertionPointToEnd(main_.addEntryBlock());
  }

  void Add(const ChosenPair& pair) {
    mlir::IRMapping none;
    const mlir::Value passed = Clone(pair.first.op, pair.rule->name, none)->getResult(pair.result);
    mlir::IRMapping mapping;
    mapping.map(pair.second.op->getOperand(pair.operand), passed);
    Clone(pair.second.op, pair.rule->name, mapping);
  }

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Finish() {
    mlir::func::ReturnOp::create(builder_, module_->getLoc());
    main_.setType(builder_.getFunctionType(main_.getBody().front().getArgumentTypes(), {}));
    const FirstError error(*module_->getContext());
    if (mlir::failed(mlir::verify(*module_))) return MakeError(ExitCode::kInternal, error.text());
    return std::move(module_);
  }

 private:
  // Copies the op with its constants. Other values that it uses, and that are not mapped, become arguments.
  mlir::Operation* Clone(mlir::Operation* op, const std::string& rule, mlir::IRMapping& mapping) {
    const auto copy = [&](mlir::Value value) {
      if (mapping.contains(value)) return;
      if (mlir::Operation* constant = value.getDefiningOp()) {
        builder_.clone(*constant, mapping);
      } else {
        mapping.map(value, main_.getBody().front().addArgument(value.getType(), value.getLoc()));
      }
    };
    for (mlir::Value operand : op->getOperands()) copy(operand);
    op->walk([&](mlir::Operation* inner) {
      for (mlir::Value operand : inner->getOperands()) {
        if (!op->isAncestor(operand.getParentRegion()->getParentOp())) copy(operand);
      }
    });
    mlir::Operation* made = builder_.clone(*op, mapping);
    made->setLoc(mlir::NameLoc::get(builder_.getStringAttr(rule), op->getLoc()));
    return made;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::OpBuilder builder_;
  mlir::func::FuncOp main_;
};

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
  std::map<std::string, PairModule> modules;  // by the second op
  for (const ChosenPair& pair : ChoosePairs(*parts, *rules, level)) {
    const std::string first = pair.first.name(), second = pair.second.name();
    if (!MatchesOp(ops, first) && !MatchesOp(ops, second)) continue;
    modules.try_emplace(second, parts->module()).first->second.Add(pair);
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
