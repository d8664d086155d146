// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/walk/walk.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "fmt/format.h"
#include "generator/program/parse_for_test.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WalkTest : public ParsingTest {
 protected:
  static std::vector<std::string> Names(const Walk& walk) {
    std::vector<std::string> names;
    for (const ReachedOp& reached : walk.ops) names.push_back(reached.op->getName().getStringRef().str());
    return names;
  }
  static std::string Refusal(mlir::ModuleOp module) {
    Expected<Walk> walk = WalkProgram(module, "main");
    return walk ? "accepted" : walk.error().message;
  }
};

TEST_F(WalkTest, FollowsCallsInProgramOrderAndSkipsConstantsAndReturns) {
  auto module = Parse(R"(
    func.func @main(%x: i32) -> i32 {
      %c = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %0 = "t.first"(%x) : (i32) -> i32
      %1 = call @inner(%0) : (i32) -> i32
      %2 = "t.last"(%1) : (i32) -> i32
      return %2 : i32
    }
    func.func private @inner(%x: i32) -> i32 {
      %0 = "t.inner"(%x) : (i32) -> i32
      return %0 : i32
    })");
  Expected<Walk> walk = WalkProgram(*module, "main");
  ASSERT_TRUE(walk);
  EXPECT_THAT(Names(*walk), ElementsAre("t.first", "t.inner", "t.last"));
  EXPECT_EQ(walk->TotalOps(), 3);
}

TEST_F(WalkTest, CountsACalleeOncePerCallSite) {
  auto module = Parse(R"(
    func.func @main() { call @a() : () -> () call @b() : () -> () call @b() : () -> () return }
    func.func private @a() { call @b() : () -> () return }
    func.func private @b() { "t.op"() : () -> () return })");
  Expected<Walk> walk = WalkProgram(*module, "main");
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->ops.size(), 1U);
  EXPECT_EQ(walk->TotalOps(), 3);
  EXPECT_EQ(walk->functions[walk->ops[0].function].entries.size(), 3U);
}

TEST_F(WalkTest, ManyDoublingCallsTakeLinearTime) {
  std::string text = "func.func @main() { call @f0() : () -> () return }";
  constexpr int kDepth = 50;
  for (int i = 0; i < kDepth; ++i) {
    text += fmt::format("func.func private @f{0}() {{ call @f{1}() : () -> () call @f{1}() : () -> () return }}\n", i,
                        i + 1);
  }
  text += fmt::format("func.func private @f{}() {{ \"t.op\"() : () -> () return }}", kDepth);
  auto module = Parse(text);
  Expected<Walk> walk = WalkProgram(*module, "main");
  ASSERT_TRUE(walk) << walk.error().message;
  EXPECT_EQ(walk->TotalOps(), int64_t{1} << kDepth);
}

TEST_F(WalkTest, MoreCallsThanAnInt64CountsAreAnError) {
  std::string text = "func.func @main() { call @f0() : () -> () return }";
  for (int i = 0; i < 70; ++i) {
    text += fmt::format("func.func private @f{0}() {{ call @f{1}() : () -> () call @f{1}() : () -> () return }}\n", i,
                        i + 1);
  }
  text += "func.func private @f70() { \"t.op\"() : () -> () return }";
  EXPECT_THAT(Refusal(*Parse(text)), HasSubstr("more than 2^63"));
}

TEST_F(WalkTest, AVeryDeepCallChainDoesNotOverflowTheStack) {
  std::string text = "func.func @main() { call @f0() : () -> () return }";
  constexpr int kDepth = 20000;
  for (int i = 0; i < kDepth; ++i) {
    text += fmt::format("func.func private @f{}() {{ call @f{}() : () -> () return }}\n", i, i + 1);
  }
  text += fmt::format("func.func private @f{}() {{ \"t.op\"() : () -> () return }}", kDepth);
  auto module = Parse(text);
  EXPECT_EQ(WalkProgram(*module, "main")->TotalOps(), 1);
}

TEST_F(WalkTest, OpsWithRegionsStayWhole) {
  auto module = Parse(R"(
    func.func @main() {
      "t.while"() ({ "t.call"() {callee = @inner} : () -> () }) : () -> ()
      return
    }
    func.func private @inner() { "t.inner"() : () -> () return })");
  EXPECT_THAT(Names(*WalkProgram(*module, "main")), ElementsAre("t.while"));
}

constexpr std::string_view kLoopWithBranch = R"(
  func.func @main(%p: tensor<i1>, %n: tensor<i32>) {
    %0 = "stablehlo.while"(%n) ({
    ^bb0(%i: tensor<i32>):
      %c = "t.compare"(%i) : (tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%i: tensor<i32>):
      %1 = "stablehlo.if"(%p) ({
        %2 = func.call @inner(%i) : (tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%2) : (tensor<i32>) -> ()
      }, {
        "stablehlo.return"(%i) : (tensor<i32>) -> ()
      }) : (tensor<i1>) -> tensor<i32>
      %3 = "t.reduce"(%1) ({ "t.add"() : () -> () }) : (tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%3) : (tensor<i32>) -> ()
    }) : (tensor<i32>) -> tensor<i32>
    "t.last"() : () -> ()
    return
  }
  func.func private @inner(%x: tensor<i32>) -> tensor<i32> {
    %0 = "t.inner"(%x) : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  })";

TEST_F(WalkTest, OnRequestTheBodiesOfControlFlowAreWalkedAfterTheirOp) {
  auto module = Parse(kLoopWithBranch);
  Expected<Walk> walk = WalkProgram(*module, "main", {.inside_regions = true});
  EXPECT_THAT(Names(*walk),
              ElementsAre("stablehlo.while", "t.compare", "stablehlo.if", "t.inner", "t.reduce", "t.last"));
  EXPECT_EQ(walk->TotalOps(), 6);
}

TEST_F(WalkTest, RegionsNameTheirOpAndPosition) {
  auto module = Parse(kLoopWithBranch);
  Expected<Walk> walk = WalkProgram(*module, "main", {.inside_regions = true});
  std::vector<std::string> labels;
  for (const ReachedOp& reached : walk->ops) labels.push_back(walk->regions[reached.region].label);
  EXPECT_THAT(labels, ElementsAre("", "while.cond", "while.body", "", "while.body", ""));
  const WalkedFunction& inner = walk->functions[walk->ops[3].function];
  ASSERT_EQ(inner.entries.size(), 1U);
  const WalkedRegion& call = walk->regions[walk->paths[inner.entries[0].path].region];
  EXPECT_EQ(call.label, "if.true");
  EXPECT_EQ(walk->regions[call.parent].label, "while.body");
}

constexpr std::string_view kComposite = R"(
  func.func @main(%x: i32) {
    %0 = "stablehlo.composite"(%x) {name = "a.b", decomposition = @impl} : (i32) -> i32
    %1 = "stablehlo.composite"(%x) {name = "a.b", decomposition = @impl} : (i32) -> i32
    return
  }
  func.func private @impl(%x: i32) -> i32 {
    %0 = call @inner(%x) : (i32) -> i32
    return %0 : i32
  }
  func.func private @inner(%x: i32) -> i32 {
    %0 = "t.inner"(%x) : (i32) -> i32
    return %0 : i32
  })";

TEST_F(WalkTest, CompositesAreOpsOrOnRequestTheirDecompositions) {
  auto module = Parse(kComposite);
  EXPECT_THAT(Names(*WalkProgram(*module, "main")), ElementsAre("stablehlo.composite", "stablehlo.composite"));
  Expected<Walk> walk = WalkProgram(*module, "main", {.composites = Composites::kInline});
  EXPECT_THAT(Names(*walk), ElementsAre("t.inner"));
  EXPECT_EQ(walk->TotalOps(), 2);
}

TEST_F(WalkTest, OnRequestDecompositionsAreWalkedAfterTheirComposite) {
  auto module = Parse(kComposite);
  Expected<Walk> walk = WalkProgram(*module, "main", {.composites = Composites::kInside});
  EXPECT_THAT(Names(*walk), ElementsAre("stablehlo.composite", "t.inner", "stablehlo.composite"));
  EXPECT_EQ(walk->TotalOps(), 4);
  std::set<std::string> labels;
  for (const CallPath& path : walk->paths) labels.insert(walk->regions[path.region].label);
  EXPECT_THAT(labels, ElementsAre("", "composite.a.b"));
}

TEST_F(WalkTest, ACallOfADeclaredFunctionIsAnOp) {
  auto module = Parse(R"(
    func.func @main() { call @external() : () -> () return }
    func.func private @external())");
  EXPECT_THAT(Names(*WalkProgram(*module, "main")), ElementsAre("func.call"));
}

TEST_F(WalkTest, FindsMainInANestedModule) {
  auto module = Parse(R"(
    "t.device_module"() ({ module { func.func @main() { "t.op"() : () -> () return } } }) : () -> ())");
  EXPECT_THAT(Names(*WalkProgram(*module, "main")), ElementsAre("t.op"));
}

TEST_F(WalkTest, RecursionIsRefusedWithItsCycle) {
  auto module = Parse(R"(
    func.func @main() { call @a() : () -> () return }
    func.func private @a() { call @b() : () -> () return }
    func.func private @b() { call @a() : () -> () return })");
  EXPECT_THAT(Refusal(*module), HasSubstr("@a -> @b -> @a"));
}

TEST_F(WalkTest, TheErrorForNoMainNamesTheFunctions) {
  EXPECT_THAT(Refusal(*Parse("func.func @predict() { return }")),
              HasSubstr("no function @main in the module, only @predict"));
  EXPECT_THAT(Refusal(*Parse("module {}")), HasSubstr("empty module"));
  EXPECT_THAT(Refusal(*Parse("func.func private @main()")), HasSubstr("no function @main"));
}

}  // namespace
}  // namespace opbyop::generator
