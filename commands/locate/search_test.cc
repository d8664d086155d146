// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/inputs.h"

namespace opbyop::locate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kChain = R"(
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %a : tensor<4xf32>
  %1 = stablehlo.tanh %0 : tensor<4xf32>
  %2 = stablehlo.cosine %1 : tensor<4xf32>
  %3 = stablehlo.negate %2 : tensor<4xf32>
  %4 = stablehlo.abs %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
})";

std::vector<std::string> NamesIn(const Program& program) {
  std::vector<std::string> names;
  for (mlir::Operation* op : ComputationsOf(program.body())) {
    names.push_back(op->getName().getStringRef().drop_front(std::string_view("stablehlo.").size()).str());
  }
  return names;
}

// A device that is a function of the names of the ops.
class SearchTest : public testing::Test {
 protected:
  using Wrong = std::function<bool(const Program&, const std::vector<std::string>&)>;

  Located Find(const std::string& text, const Wrong& wrong, const Verdict& how = {Status::kFail, "compare", "off"}) {
    auto module = ReadModuleFromBytes(text, "model.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    Program program{std::move(*module), std::nullopt};
    program.inputs = reference::MakeInputs(program.module.get(), InputKind::kDomain, 1).value();
    const auto judge = [=, this](const Program& part, const std::string& op, const std::string&) -> Expected<Verdict> {
      ++judged_;
      EXPECT_EQ(part.inputs->size(), part.body().getNumArguments());
      if (judged_ == fails_at_) return MakeError(ExitCode::kPartial, "stopped");
      const std::vector<std::string> names = NamesIn(part);
      EXPECT_EQ(op == "model", names.size() > 1 || names[0] == "while" || names[0] == "if") << op;
      return wrong(part, names) ? how : Verdict{Status::kPass, "", ""};
    };
    const auto measure = [this](const Program&, const std::string&, const std::string&) -> Expected<ThreeWays> {
      return ways_;
    };
    Search search(judge, measure);
    Expected<Located> located = search.Run(std::move(program), "model", how);
    error_ = located ? "" : located.error().message;
    return located ? std::move(*located) : Located();
  }

  static bool Has(const std::vector<std::string>& names, const std::string& name) {
    return llvm::is_contained(names, name);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  int judged_ = 0;
  ThreeWays ways_{.unmeasured = "no device"};
  int fails_at_ = 0;
  std::string error_;
};

TEST_F(SearchTest, AnOpThatIsWrongAloneIsFound) {
  const Located located = Find(kChain, [](const Program&, const auto& names) { return Has(names, "cosine"); });
  EXPECT_EQ(located.cause, Cause::kOp);
  EXPECT_EQ(located.op, "stablehlo.cosine");
  EXPECT_THAT(NamesIn(located.program), ElementsAre("cosine"));
  EXPECT_THAT(Text(located.tree, Style::kPlain),
              HasSubstr("op stablehlo.cosine (model.mlir:5): fail in compare\n      => it fails alone"));
}

TEST_F(SearchTest, TheReferencesValueStandsForAnOpThatIsLeftOut) {
  const Located located =
      Find(kChain, [](const Program&, const auto& names) { return Has(names, "sine") && Has(names, "abs"); });
  EXPECT_EQ(located.cause, Cause::kTogether);
  EXPECT_EQ(located.op, "model");
  EXPECT_THAT(NamesIn(located.program), ElementsAre("sine", "abs"));
  EXPECT_EQ(located.program.inputs->size(), 2u);
  EXPECT_THAT(Text(located.tree, Style::kPlain), HasSubstr("the target combines them wrongly"));
}

TEST_F(SearchTest, AnIntermediateThatHidesTheFaultIsNamed) {
  const Located located = Find(kChain, [](const Program& part, const auto& names) {
    return Has(names, "tanh") && Has(names, "cosine") && part.main().getNumResults() == 1;
  });
  EXPECT_THAT(NamesIn(located.program), ElementsAre("tanh", "cosine"));
  EXPECT_THAT(Text(located.tree, Style::kPlain),
              HasSubstr("the fault disappears if the result of stablehlo.tanh (model.mlir:4) is asked for as well"));
}

TEST_F(SearchTest, AFaultThatAnIntermediateDoesNotHideHasNoSuchNote) {
  const Located located =
      Find(kChain, [](const Program&, const auto& names) { return Has(names, "tanh") && Has(names, "cosine"); });
  EXPECT_THAT(Text(located.tree, Style::kPlain), Not(HasSubstr("disappears")));
}

// The model uses the intermediate elsewhere, so a part would return it, and the fault would be hidden.
TEST_F(SearchTest, AResultThatHidesTheFaultIsNotAskedFor) {
  const Located located = Find(
      R"(
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %a : tensor<4xf32>
  %1 = stablehlo.tanh %0 : tensor<4xf32>
  %2 = stablehlo.cosine %1 : tensor<4xf32>
  %3 = stablehlo.negate %1 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
})",
      [](const Program& part, const auto& names) {
        const bool pair = Has(names, "tanh") && Has(names, "cosine");
        const bool asked = llvm::any_of(part.body().getTerminator()->getOperands(), [](mlir::Value value) {
          return value.getDefiningOp()->getName().getStringRef() == "stablehlo.tanh";
        });
        return pair && !asked;
      });
  EXPECT_THAT(NamesIn(located.program), ElementsAre("tanh", "cosine"));
  EXPECT_THAT(Text(located.tree, Style::kPlain),
              HasSubstr("it passes if the result of stablehlo.tanh (model.mlir:4) is asked for as well"));
}

TEST_F(SearchTest, ErrorsThatAccumulateAreToldFromAWrongOp) {
  const Located located = Find(kChain, [](const Program&, const auto& names) { return names.size() >= 4; },
                               {Status::kFail, "compare", "off", true});
  EXPECT_EQ(located.cause, Cause::kAccumulated);
  EXPECT_EQ(NamesIn(located.program).size(), 4u);
  const std::string text = Text(located.tree, Style::kPlain);
  EXPECT_THAT(text, HasSubstr("errors accumulate"));
  EXPECT_THAT(text, HasSubstr("op stablehlo.tanh (model.mlir:4): pass"));
}

TEST_F(SearchTest, OpsThatAreOffByMoreThanThePromisedPrecisionAreWrongTogether) {
  const auto wrong = [](const Program&, const auto& names) { return names.size() >= 4; };
  const Verdict how = {Status::kFail, "compare", "off", true};
  ways_ = {.promised = 1e-3, .device = 2e-3};
  EXPECT_EQ(Find(kChain, wrong, how).cause, Cause::kAccumulated);
  ways_ = {.promised = 1e-3, .device = 0.5};
  const Located located = Find(kChain, wrong, how);
  EXPECT_EQ(located.cause, Cause::kTogether);
  EXPECT_THAT(Text(located.tree, Style::kPlain),
              testing::AllOf(HasSubstr("off by 1.0e-03 of their size, the device by 5.0e-01: 500.0 times as far"),
                             HasSubstr("off by much more than the promised precision")));
}

TEST_F(SearchTest, WhatIsBeyondItsBoundIsWrongHoweverFarThePromiseIsOff) {
  ways_ = {.promised = 1e-3, .device = 1e-3};
  const Located located = Find(kChain, [](const Program&, const auto& names) { return names.size() >= 4; });
  EXPECT_EQ(located.cause, Cause::kTogether);
}

TEST_F(SearchTest, AFailureInAnotherStageIsNotTheSame) {
  const Located located =
      Find(kChain, [](const Program&, const auto& names) { return names.size() > 1 && Has(names, "abs"); },
           {Status::kCrash, "lower", "boom"});
  EXPECT_EQ(NamesIn(located.program).size(), 2u);
  EXPECT_THAT(Text(located.tree, Style::kPlain), HasSubstr("=> no op of it fails alone, only together do they"));
}

TEST_F(SearchTest, AnErrorOfTheJudgeEndsTheSearch) {
  fails_at_ = 2;
  Find(kChain, [](const Program&, const auto& names) { return Has(names, "cosine"); });
  EXPECT_EQ(error_, "stopped");
  EXPECT_EQ(judged_, 2);
}

constexpr const char* kCounted = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<2xf32>
    cond {
      %p = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.sine %c : tensor<2xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %n : tensor<i32>, tensor<2xf32>
    }
  return %r#1 : tensor<2xf32>
})";

// The input of type i32, or -1.
int32_t CounterOf(const Program& part) {
  for (const reference::InputData& input : *part.inputs) {
    if (input.type == reference::ElementType::kI32) return *reinterpret_cast<const int32_t*>(input.bytes.data());
  }
  return -1;
}

TEST_F(SearchTest, AnOpThatIsWrongInOneTripIsFoundWithTheValuesOfThatTrip) {
  const Located located = Find(kCounted, [](const Program& part, const auto& names) {
    return Has(names, "while") || (Has(names, "add") && CounterOf(part) == 2);
  });
  EXPECT_THAT(NamesIn(located.program), ElementsAre("add"));
  EXPECT_EQ(CounterOf(located.program), 2);
  const std::string text = Text(located.tree, Style::kPlain);
  EXPECT_THAT(text, HasSubstr("trips 1 to 2: pass"));
  EXPECT_THAT(text, HasSubstr("trip 3 of 4: 2 ops"));
}

TEST_F(SearchTest, ALoopIsRunFromLaterTripsOnIfItsBodyIsRight) {
  const Located located = Find(kCounted, [](const Program& part, const auto& names) {
    // Without a counter among its inputs the loop starts at 0.
    const int32_t start = std::max(0, CounterOf(part));
    return Has(names, "while") && start <= 1;
  });
  EXPECT_EQ(located.cause, Cause::kLoop);
  EXPECT_THAT(NamesIn(located.program), ElementsAre("while"));
  EXPECT_EQ(CounterOf(located.program), 1);
  EXPECT_THAT(Text(located.tree, Style::kPlain), HasSubstr("the loop itself fails, with 3 trips already"));
}

TEST_F(SearchTest, TheBranchThatIsTakenIsOpened) {
  const Located located = Find(
      R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %n = stablehlo.sine %x : tensor<2xf32>
    stablehlo.return %n : tensor<2xf32>
  }, {
    %n = stablehlo.cosine %x : tensor<2xf32>
    %m = stablehlo.tanh %n : tensor<2xf32>
    stablehlo.return %m : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %r : tensor<2xf32>
})",
      [](const Program&, const auto& names) { return Has(names, "if") || Has(names, "tanh"); });
  EXPECT_THAT(NamesIn(located.program), ElementsAre("tanh"));
  EXPECT_THAT(Text(located.tree, Style::kPlain), HasSubstr("branch the one that is taken: 2 ops"));
}

TEST_F(SearchTest, RepeatedOpsAreLayers) {
  std::string text = "func.func @main(%x0: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(
        "%a{0} = stablehlo.sine %x{0} : tensor<4xf32>\n%b{0} = stablehlo.tanh %a{0} : tensor<4xf32>\n"
        "%c{0} = stablehlo.abs %b{0} : tensor<4xf32>\n%x{1} = stablehlo.cosine %c{0} : tensor<4xf32>\n",
        i, i + 1);
  }
  text += "return %x4 : tensor<4xf32>\n}";
  auto module = ReadModuleFromBytes(text, "model.mlir", context_);
  ASSERT_TRUE(module) << module.error().message;
  const Program program{std::move(*module), std::nullopt};
  const std::vector<Division> parts = Divide(ComputationsOf(program.body()));
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[1].name, "2 of 4");
  EXPECT_EQ(parts[1].ops.size(), 4u);
}

TEST_F(SearchTest, WhatLayersShareIsInNoneOfThem) {
  // The mask is made where the first of the layers needs it.
  std::string text =
      "func.func @main(%x0: tensor<4xf32>) -> tensor<4xf32> {\n%e = stablehlo.exponential %x0 : tensor<4xf32>\n";
  for (int i = 0; i < 3; ++i) {
    text += fmt::format("%a{0} = stablehlo.sine %x{0} : tensor<4xf32>\n", i);
    if (i == 0) text += "%s = stablehlo.sqrt %e : tensor<4xf32>\n%m = stablehlo.negate %s : tensor<4xf32>\n";
    text += fmt::format(
        "%b{0} = stablehlo.add %a{0}, %m : tensor<4xf32>\n%c{0} = stablehlo.abs %b{0} : tensor<4xf32>\n"
        "%x{1} = stablehlo.cosine %c{0} : tensor<4xf32>\n",
        i, i + 1);
  }
  text += "return %x3 : tensor<4xf32>\n}";
  const Located located = Find(text, [](const Program&, const auto& names) {
    return Has(names, "exponential") || (Has(names, "sine") && Has(names, "cosine"));
  });
  const std::string tree = Text(located.tree, Style::kPlain);
  EXPECT_THAT(tree, HasSubstr("window 3 ops, stablehlo.exponential"));
  const Located in_layer =
      Find(text, [](const Program&, const auto& names) { return Has(names, "sine") && Has(names, "cosine"); });
  EXPECT_THAT(Text(in_layer.tree, Style::kPlain), HasSubstr("layer 1 of 3: 4 ops"));
  EXPECT_THAT(NamesIn(in_layer.program), ElementsAre("sine", "cosine"));
}

TEST(TreeTest, ALocationCannotControlTheTerminal) {
  EXPECT_EQ(Text({.kind = "op", .what = "a\033[2Jb", .verdict = {Status::kPass, "", ""}}, Style::kPlain),
            "op ab: pass\n");
}

TEST(TreeTest, OnlyWhatFailsIsRed) {
  const Node model{.kind = "model",
                   .what = "m",
                   .verdict = {Status::kFail, "compare", ""},
                   .parts = {{.kind = "op", .what = "a", .verdict = {Status::kPass, "", ""}}}};
  EXPECT_EQ(Text(model, Style::kColored), "\033[31mmodel m: fail in compare\033[0m\n  op a: pass\n");
}

}  // namespace
}  // namespace opbyop::locate
