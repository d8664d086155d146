// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/expanded_program.h"

#include <gmock/gmock.h>

#include <string>

#include "fmt/format.h"
#include "generator/program/parse_for_test.h"
#include "generator/walk/origins.h"
#include "mlir/IR/Verifier.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ExpandedProgramTest : public ParsingTest {
 protected:
  static std::vector<std::string> NamesOf(const Walk& walk) {
    std::vector<std::string> names;
    for (const ReachedOp& reached : walk.ops) names.push_back(reached.op->getName().getStringRef().str());
    return names;
  }
};

constexpr std::string_view kNested = R"(
  func.func @main(%x: i32) -> i32 {
    %0 = "t.first"(%x) : (i32) -> i32
    %1 = call @outer(%0) : (i32) -> i32 loc("jit(f)/A/call")
    %2 = call @outer(%1) : (i32) -> i32 loc("jit(f)/B/call")
    return %2 : i32
  }
  func.func private @outer(%x: i32) -> i32 {
    %0 = call @inner(%x) : (i32) -> i32 loc("mid")
    %1 = "t.outer"(%0) : (i32) -> i32 loc("o")
    return %1 : i32
  }
  func.func private @inner(%x: i32) -> i32 {
    %0 = "t.inner"(%x) : (i32) -> i32 loc("i")
    return %0 : i32
  })";

TEST_F(ExpandedProgramTest, CallsAreReplacedByTheOpsOfTheirCallees) {
  auto module = Parse(kNested);
  const auto program = ExpandCalls(*module, "main", {});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(NamesOf(program->walk), ElementsAre("t.first", "t.inner", "t.outer", "t.inner", "t.outer"));
  mlir::Block* block = program->walk.ops.front().op->getBlock();
  for (const ReachedOp& reached : program->walk.ops) EXPECT_EQ(reached.op->getBlock(), block);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*program->outer)));
  EXPECT_EQ(program->walk.TotalOps(), WalkProgram(*module, "main")->TotalOps());
}

TEST_F(ExpandedProgramTest, EachOpKnowsItsOriginalAndItsCallPath) {
  auto module = Parse(kNested);
  const auto program = ExpandCalls(*module, "main", {});
  ASSERT_TRUE(program);
  mlir::Operation* inner = FindOp(*module, "t.inner");
  OriginTable table(program->walk);
  std::vector<std::vector<std::string>> paths;
  for (const ReachedOp& reached : program->walk.ops) {
    if (program->original.at(reached.op) == inner) paths.push_back(table.PathOf(reached));
  }
  EXPECT_THAT(paths, ElementsAre(ElementsAre("A", "call", "mid"), ElementsAre("B", "call", "mid")));
}

TEST_F(ExpandedProgramTest, CallsInBodiesAndInDecompositionsAreReplaced) {
  auto module = Parse(R"(
    func.func @main(%x: i32) {
      "stablehlo.if"(%x) ({ %0 = func.call @inner(%x) : (i32) -> i32 "stablehlo.return"() : () -> () },
                         { "stablehlo.return"() : () -> () }) : (i32) -> ()
      %1 = "stablehlo.composite"(%x) {name = "a.b", decomposition = @impl} : (i32) -> i32
      return
    }
    func.func private @impl(%x: i32) -> i32 { %0 = call @inner(%x) : (i32) -> i32 return %0 : i32 }
    func.func private @inner(%x: i32) -> i32 { %0 = "t.inner"(%x) : (i32) -> i32 return %0 : i32 })");
  const WalkOptions options = {.inside_regions = true, .composites = Composites::kInside};
  const auto program = ExpandCalls(*module, "main", options);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(NamesOf(program->walk), ElementsAre("stablehlo.if", "t.inner", "stablehlo.composite", "t.inner"));
  const Walk& walk = program->walk;
  EXPECT_EQ(walk.regions[static_cast<size_t>(walk.ops[1].region)].label, "if.true");
  const WalkedFunction& in_composite = walk.functions[static_cast<size_t>(walk.ops[3].function)];
  ASSERT_EQ(in_composite.entries.size(), 1U);
  OriginTable table(walk);
  table.Count(0, walk.ops[3], {});
  EXPECT_THAT(table.Take("m").at(0).second.regions, ElementsAre("composite.a.b"));
}

TEST_F(ExpandedProgramTest, TheProgramItselfStaysAsItIs) {
  auto module = Parse(kNested);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  ASSERT_TRUE(ExpandCalls(*module, "main", {}));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST_F(ExpandedProgramTest, ACallOfAFunctionOfSeveralBlocksStays) {
  auto module = Parse(R"(
    func.func @main(%x: i32) -> i32 { %0 = call @jumps(%x) : (i32) -> i32 return %0 : i32 }
    func.func private @jumps(%x: i32) -> i32 {
      "t.op"() : () -> ()
      "t.jump"()[^next] : () -> ()
    ^next:
      return %x : i32
    })");
  const auto program = ExpandCalls(*module, "main", {});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(NamesOf(program->walk), ElementsAre("t.op"));
}

TEST_F(ExpandedProgramTest, AProgramThatGrowsTooLargeIsRefused) {
  for (const std::string_view leaf : {"\"t.op\"() : () -> ()", ""}) {
    std::string text = "func.func @main() { call @f0() : () -> () return }";
    constexpr int kDepth = 40;
    for (int i = 0; i < kDepth; ++i) {
      text += fmt::format("func.func private @f{0}() {{ call @f{1}() : () -> () call @f{1}() : () -> () return }}\n", i,
                          i + 1);
    }
    text += fmt::format("func.func private @f{}() {{ {} return }}", kDepth, leaf);
    auto module = Parse(text);
    const auto program = ExpandCalls(*module, "main", {});
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ExitCode::kUnsupported);
    EXPECT_THAT(program.error().message, HasSubstr("more than 1048576 ops and calls"));
  }
}

}  // namespace
}  // namespace opbyop::generator
