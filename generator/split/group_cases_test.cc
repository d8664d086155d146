// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/group_cases.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>

#include "fmt/format.h"
#include "generator/program/parse_for_test.h"
#include "generator/split/splitter.h"
#include "ir/register.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using testing::SizeIs;
using testing::UnorderedElementsAre;

class GroupCasesTest : public ParsingTest {
 protected:
  GroupCasesTest() { LoadAllDialects(); }

  struct Split {
    SplitResult result;
    std::map<std::string, std::string> texts;

    std::vector<const Case*> Of(std::string_view word) const {
      std::vector<const Case*> cases;
      for (const Case& c : result.manifest.cases) {
        if (c.op == word) cases.push_back(&c);
      }
      return cases;
    }
    std::vector<std::string> Targets(std::string_view word) const {
      std::vector<std::string> targets;
      for (const Case* c : Of(word)) targets.push_back(c->target);
      return targets;
    }
  };

  Split Run(std::string_view model, std::string_view granularity) {
    Split split;
    const Expected<Granularity> parsed = Granularity::Parse(granularity);
    EXPECT_TRUE(parsed) << granularity;
    Splitter splitter({.granularity = *parsed}, [&](const std::string& id, const std::string& text) -> Expected<void> {
      split.texts[id] = text;
      return {};
    });
    auto module = Parse(model);
    const auto added = splitter.Add(0, *module, {.name = "m"});
    EXPECT_TRUE(added && added->error.empty()) << added->error;
    split.result = splitter.Finish();
    for (const auto& [id, text] : split.texts) EXPECT_TRUE(mlir::succeeded(mlir::verify(*Parse(text)))) << text;
    return split;
  }

 private:
  void LoadAllDialects() {
    mlir::DialectRegistry registry;
    RegisterAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }
};

// multiply -> add -> negate, the product also used by the last op
constexpr std::string_view kChain = R"(
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.multiply %x, %y : tensor<4xf32>
    %1 = stablehlo.add %0, %x : tensor<4xf32>
    %2 = stablehlo.negate %1 : tensor<4xf32>
    %3 = stablehlo.subtract %2, %0 : tensor<4xf32>
    return %3 : tensor<4xf32>
  })";

TEST_F(GroupCasesTest, AWindowIsAnOpWithTheFirstProducersAlongItsOperands) {
  const Split split = Run(kChain, "window:2");
  EXPECT_THAT(split.Targets(kWindow), UnorderedElementsAre("multiply.add", "add.negate", "negate.subtract"));
  EXPECT_THAT(Run(kChain, "window:3").Targets(kWindow),
              UnorderedElementsAre("multiply.add", "multiply.add.negate", "multiply.negate.subtract"));
  EXPECT_THAT(Run(kChain, "window:4").Targets(kWindow),
              UnorderedElementsAre("multiply.add", "multiply.add.negate", "multiply.add.negate.subtract"));
  EXPECT_THAT(Run(kChain, "window:1").Of(kWindow), IsEmpty());
}

TEST_F(GroupCasesTest, ResultsThatAreUsedOutsideAreReturned) {
  const Split split = Run(kChain, "window:2");
  for (const Case* c : split.Of(kWindow)) {
    // The product is also subtracted, the sum is not used again.
    EXPECT_THAT(c->outputs, SizeIs(c->target == "multiply.add" ? 2 : 1)) << c->target;
  }
}

TEST_F(GroupCasesTest, MembersAreTheCasesOfTheOps) {
  const Split split = Run(kChain, "window:2");
  std::map<std::string, std::string> op_of;
  for (const Case& c : split.result.manifest.cases) op_of[c.id] = c.op;
  for (const Case* c : split.Of(kWindow)) {
    std::vector<std::string> ops;
    for (const std::string& member : c->members) ops.push_back(op_of.at(member));
    if (c->target == "multiply.add") EXPECT_THAT(ops, UnorderedElementsAre("stablehlo.multiply", "stablehlo.add"));
    EXPECT_THAT(ops, SizeIs(2));
  }
  for (const Case& c : split.result.manifest.cases) EXPECT_EQ(c.members.empty(), c.op != kWindow);
}

TEST_F(GroupCasesTest, WhichResultAnOpTakesDistinguishesWindows) {
  const auto pair = [&](std::string_view last) {
    return Run(fmt::format(R"(
      func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {{
        %0 = stablehlo.multiply %x, %y : tensor<4xf32>
        %1 = stablehlo.subtract {} : tensor<4xf32>
        return %1 : tensor<4xf32>
      }})",
                           last),
               "window:2")
        .Of(kWindow)
        .at(0)
        ->hash;
  };
  EXPECT_NE(pair("%0, %x"), pair("%x, %0"));
  EXPECT_NE(pair("%0, %x"), pair("%0, %y"));
  EXPECT_EQ(pair("%0, %x"), pair("%0, %x"));
}

TEST_F(GroupCasesTest, ConstantsAreFoldedAndNotCounted) {
  const Split split = Run(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c = stablehlo.constant dense<2.5> : tensor<f32>
      %0 = stablehlo.negate %x : tensor<4xf32>
      %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %1 = stablehlo.multiply %b, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    })",
                          "window:2");
  ASSERT_THAT(split.Targets(kWindow), ElementsAre("negate.multiply"));
  const Case& c = *split.Of(kWindow).front();
  EXPECT_THAT(c.inputs, SizeIs(1));
  EXPECT_THAT(split.texts.at(c.id), HasSubstr("2.5"));
  EXPECT_FALSE(c.no_runtime_input);
}

TEST_F(GroupCasesTest, WindowsReachThroughCallsAndHaveTheNamesOfTheirLastOp) {
  const Split split = Run(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.negate %x : tensor<4xf32> loc("jit(f)/A/neg")
      %1 = call @g(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/B/call")
      %2 = call @g(%1) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/C/call")
      return %2 : tensor<4xf32>
    }
    func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.tanh %x : tensor<4xf32> loc("tanh")
      return %0 : tensor<4xf32>
    })",
                          "window:2");
  ASSERT_THAT(split.Targets(kWindow), UnorderedElementsAre("negate.tanh", "tanh.tanh"));
  for (const Case* c : split.Of(kWindow)) {
    ASSERT_THAT(c->origins, SizeIs(1));
    EXPECT_EQ(c->origins[0].framework_op, "tanh");
    EXPECT_THAT(c->origins[0].module_path, ElementsAre(c->target == "negate.tanh" ? "B" : "C", "call"));
  }
}

std::string Layers(int count) {
  std::string text =
      "func.func @main(%x: tensor<4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {\n"
      "  %p = stablehlo.sine %x : tensor<4xf32>\n  %q0 = stablehlo.cosine %p : tensor<4xf32>\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(R"(
      %a{0} = stablehlo.tanh %q{0} : tensor<4xf32> loc("jit(f)/Net/layer_{0}/attention/tanh")
      %b{0} = stablehlo.dot_general %a{0}, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32> loc("jit(f)/Net/layer_{0}/attention/dot_general")
      %c{0} = stablehlo.abs %b{0} : tensor<4xf32> loc("jit(f)/Net/layer_{0}/mlp/abs")
      %q{1} = stablehlo.add %c{0}, %q{0} : tensor<4xf32> loc("jit(f)/Net/layer_{0}/add")
    )",
                        i, i + 1);
  }
  return text + fmt::format(
                    "  %s = stablehlo.log %q{} : tensor<4xf32>\n  %t = stablehlo.sqrt %s : tensor<4xf32>\n"
                    "  return %t : tensor<4xf32>\n}}",
                    count);
}

TEST_F(GroupCasesTest, WhatAModelRepeatsIsOneLayerAndTheRestAreSegments) {
  const Split split = Run(Layers(32), "layer");
  ASSERT_THAT(split.Of(kLayer), SizeIs(1));
  const Case& layer = *split.Of(kLayer).front();
  EXPECT_THAT(layer.inputs, SizeIs(2)) << "the residual and the weight";
  EXPECT_THAT(layer.outputs, SizeIs(1));
  EXPECT_THAT(layer.members, SizeIs(4));
  int64_t count = 0;
  for (const Origin& origin : layer.origins) count += origin.count;
  EXPECT_EQ(count, 32);
  EXPECT_THAT(layer.origins.front().module_path, ElementsAre("Net", "layer_0"));
  EXPECT_THAT(split.Of(kSegment), SizeIs(2)) << "what is before and after the layers";
  EXPECT_EQ(split.result.manifest.models.front().ops, 2 + 32 * 4 + 2);
}

// Two layers that share a mask, which is computed inside the first one, where it is first needed.
constexpr std::string_view kSharedMask = R"(
  func.func @main(%x: tensor<4xf32>, %w: tensor<4x4xf32>, %m: tensor<4xi32>) -> tensor<4xf32> {
    %p = stablehlo.sine %x : tensor<4xf32>
    %a0 = stablehlo.dot_general %p, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %b0 = stablehlo.tanh %a0 : tensor<4xf32>
    %n = stablehlo.convert %m : (tensor<4xi32>) -> tensor<4xf32>
    %mask = stablehlo.negate %n : tensor<4xf32>
    %c0 = stablehlo.add %b0, %mask : tensor<4xf32>
    %d0 = stablehlo.abs %c0 : tensor<4xf32>
    %q0 = stablehlo.subtract %d0, %p : tensor<4xf32>
    %a1 = stablehlo.dot_general %q0, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %b1 = stablehlo.tanh %a1 : tensor<4xf32>
    %c1 = stablehlo.add %b1, %mask : tensor<4xf32>
    %d1 = stablehlo.abs %c1 : tensor<4xf32>
    %q1 = stablehlo.subtract %d1, %q0 : tensor<4xf32>
    %s = stablehlo.log %q1 : tensor<4xf32>
    %t = stablehlo.sqrt %s : tensor<4xf32>
    return %t : tensor<4xf32>
  })";

TEST_F(GroupCasesTest, WhatLayersShareIsBeforeThemWhereverItIsWritten) {
  const Split split = Run(kSharedMask, "layer");
  ASSERT_THAT(split.Of(kLayer), SizeIs(1));
  const Case& layer = *split.Of(kLayer).front();
  EXPECT_THAT(layer.members, SizeIs(5));
  EXPECT_THAT(layer.inputs, SizeIs(3)) << "the residual, the weight and the mask";
  EXPECT_EQ(layer.origins.front().count, 2);
  ASSERT_THAT(split.Of(kSegment), SizeIs(2));
  for (const Case* segment : split.Of(kSegment)) {
    const bool is_head = segment->members.size() == 2;
    EXPECT_THAT(segment->members, SizeIs(is_head ? 2 : 3)) << "the sine and the two ops of the mask";
    EXPECT_THAT(segment->outputs, SizeIs(is_head ? 1 : 2));
  }
}

// Encoder and decoder: the layers of the decoder share what the encoder's last op computes.
TEST_F(GroupCasesTest, WhatLayersShareStandsAfterTheLayersThatItNeeds) {
  std::string text =
      "func.func @main(%e0: tensor<4xf32>, %q0: tensor<4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {\n";
  const auto product = [](std::string_view result, std::string_view operand) {
    return fmt::format(
        "%{} = stablehlo.dot_general %{}, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> "
        "tensor<4xf32>\n",
        result, operand);
  };
  for (int i = 0; i < 2; ++i) {
    text += product(fmt::format("f{}", i), fmt::format("e{}", i));
    text += fmt::format(R"(
      %g{0} = stablehlo.tanh %f{0} : tensor<4xf32>
      %h{0} = stablehlo.sine %g{0} : tensor<4xf32>
      %e{1} = stablehlo.abs %h{0} : tensor<4xf32>
    )",
                        i, i + 1);
  }
  for (int i = 0; i < 2; ++i) {
    text += product(fmt::format("a{}", i), fmt::format("q{}", i));
    if (i == 0) text += "%k = stablehlo.cosine %e2 : tensor<4xf32>\n%m = stablehlo.negate %k : tensor<4xf32>\n";
    text += fmt::format(R"(
      %b{0} = stablehlo.add %a{0}, %m : tensor<4xf32>
      %c{0} = stablehlo.exponential %b{0} : tensor<4xf32>
      %d{0} = stablehlo.multiply %c{0}, %a{0} : tensor<4xf32>
      %q{1} = stablehlo.floor %d{0} : tensor<4xf32>
    )",
                        i, i + 1);
  }
  const Split split = Run(text + "return %q2 : tensor<4xf32>\n}", "layer");
  EXPECT_THAT(split.Of(kLayer), SizeIs(2));
  ASSERT_THAT(split.Of(kSegment), SizeIs(1));
  EXPECT_THAT(split.Of(kSegment).front()->inputs, SizeIs(1)) << "what the encoder's last layer returns";
  EXPECT_THAT(split.Of(kSegment).front()->members, SizeIs(2));
}

TEST_F(GroupCasesTest, AModelWithoutRepeatsOrLoopsHasNoLayer) {
  const Split split = Run(Layers(1), "layer");
  EXPECT_THAT(split.Of(kLayer), IsEmpty());
  EXPECT_THAT(split.Of(kSegment), IsEmpty());
}

TEST_F(GroupCasesTest, ARepeatWithoutAProductIsNoLayer) {
  const std::string elementwise = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.sine %x : tensor<4xf32>
      %1 = stablehlo.cosine %0 : tensor<4xf32>
      %2 = stablehlo.tanh %1 : tensor<4xf32>
      %3 = stablehlo.abs %2 : tensor<4xf32>
      %4 = stablehlo.sine %3 : tensor<4xf32>
      %5 = stablehlo.cosine %4 : tensor<4xf32>
      %6 = stablehlo.tanh %5 : tensor<4xf32>
      %7 = stablehlo.abs %6 : tensor<4xf32>
      return %7 : tensor<4xf32>
    })";
  EXPECT_THAT(Run(elementwise, "layer").Of(kLayer), IsEmpty());
}

TEST_F(GroupCasesTest, TheBodyOfALoopIsALayer) {
  const Split split = Run(R"(
    func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %e = stablehlo.sine %x : tensor<4xf32>
      %f = stablehlo.cosine %e : tensor<4xf32>
      %0:2 = stablehlo.while(%i = %zero, %y = %f) : tensor<i32>, tensor<4xf32>
      cond {
        %n = stablehlo.constant dense<32> : tensor<i32>
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %1 = stablehlo.multiply %y, %w : tensor<4xf32>
        %2 = stablehlo.tanh %1 : tensor<4xf32>
        %3 = stablehlo.subtract %2, %y : tensor<4xf32>
        stablehlo.return %j, %3 : tensor<i32>, tensor<4xf32>
      }
      %g = stablehlo.negate %0#1 : tensor<4xf32>
      %h = stablehlo.abs %g : tensor<4xf32>
      return %h : tensor<4xf32>
    })",
                          "layer");
  ASSERT_THAT(split.Of(kLayer), SizeIs(1));
  const Case& layer = *split.Of(kLayer).front();
  EXPECT_THAT(layer.inputs, SizeIs(3)) << "the counter, the carried value and the captured weight";
  EXPECT_THAT(layer.outputs, SizeIs(2));
  EXPECT_EQ(layer.origins.front().count, 1);
  EXPECT_EQ(layer.origins.front().trips, 32);
  EXPECT_THAT(layer.origins.front().regions, ElementsAre("while.body"));
  EXPECT_THAT(split.Of(kSegment), SizeIs(2));
  EXPECT_THAT(split.Of("stablehlo.while"), SizeIs(1)) << "the loop stays a case";
}

TEST_F(GroupCasesTest, ModulesAreTheOpsThatFollowEachOtherInOne) {
  const Split innermost = Run(Layers(2), "module");
  ASSERT_THAT(innermost.Of(kModule), SizeIs(1)) << "the two ops of attention, the others are alone in their module";
  EXPECT_THAT(innermost.Of(kModule).front()->members, SizeIs(2));
  const Split layers = Run(Layers(2), "module:2");
  ASSERT_THAT(layers.Of(kModule), SizeIs(1)) << "both layers are one case";
  const Case& module = *layers.Of(kModule).front();
  EXPECT_THAT(module.members, SizeIs(4));
  ASSERT_THAT(module.origins, SizeIs(2));
  EXPECT_THAT(module.origins[1].module_path, ElementsAre("Net", "layer_1"));
  ASSERT_THAT(Run(Layers(2), "module:1").Of(kModule), SizeIs(1));
  EXPECT_THAT(Run(kChain, "module").Of(kModule), IsEmpty()) << "no location names a module";
}

TEST_F(GroupCasesTest, AFileOfSeveralOpsIsAModelThatSplitsIntoItsMembers) {
  const Split split = Run(Layers(2), "layer");
  const Case& layer = *split.Of(kLayer).front();
  const Split again = Run(split.texts.at(layer.id), "op");
  std::vector<std::string> ids;
  for (const Case& c : again.result.manifest.cases) ids.push_back(c.id);
  EXPECT_EQ(ids, layer.members);
}

TEST_F(GroupCasesTest, AFileOfOneOpHasNoGroups) {
  const Split split = Run(kChain, "op");
  const auto add = std::ranges::find(split.result.manifest.cases, "stablehlo.add", &Case::op);
  EXPECT_THAT(Run(split.texts.at(add->id), "window:2").result.manifest.cases, SizeIs(1));
}

TEST_F(GroupCasesTest, AnOpThatUsesAValueTwiceHasItsProducerOnce) {
  const Split split = Run(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.negate %x : tensor<4xf32>
      %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    })",
                          "window:3");
  EXPECT_THAT(split.Targets(kWindow), ElementsAre("negate.multiply"));
}

TEST_F(GroupCasesTest, AProducerMayBeALoopOrWhatALoopCaptures) {
  const Split split = Run(R"(
    func.func @main(%x: tensor<i1>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.negate %y : tensor<4xf32>
      %1 = "stablehlo.if"(%x) ({
        %2 = stablehlo.abs %0 : tensor<4xf32>
        stablehlo.return %2 : tensor<4xf32>
      }, {
        stablehlo.return %y : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %3 = stablehlo.tanh %1 : tensor<4xf32>
      return %3 : tensor<4xf32>
    })",
                          "window:2");
  EXPECT_THAT(split.Targets(kWindow), UnorderedElementsAre("negate.if", "if.tanh"));
}

}  // namespace
}  // namespace opbyop::generator
