// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/foreign_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "generator/program/parse_for_test.h"
#include "generator/split/splitter.h"
#include "ir/read_module.h"

namespace opbyop::generator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kProgram = R"(
module @jit attributes {ttcore.system = #ttcore.system<n150>, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%a: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
                         %b: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<input>, jax.x = 1 : i32})
      -> (tensor<8xf32> {vendor.out = 7 : i32}) attributes {tt.function_type = "forward"} {
    %0 = stablehlo.add %b, %a {vendor.priority = #vendor<high>} : tensor<8xf32>
    %1 = stablehlo.tanh %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
})";

struct Split {
  Manifest manifest;
  std::vector<std::string> texts;
};

Split SplitOf(const std::vector<std::string>& programs) {
  Split split;
  Splitter splitter({}, [&](const std::string&, const std::string& text) {
    split.texts.push_back(text);
    return Expected<void>();
  });
  mlir::MLIRContext context;
  size_t turn = 0;
  for (const std::string& program : programs) {
    auto module = ReadModuleFromBytes(program, "in", context);
    EXPECT_TRUE(module) << module.error().message;
    const auto added = splitter.Add(turn, **module, {.name = "m" + std::to_string(turn)});
    EXPECT_TRUE(added && added->error.empty());
    ++turn;
  }
  split.manifest = splitter.Finish().manifest;
  return split;
}

const Case& CaseOf(const Split& split, std::string_view op) {
  return *std::ranges::find(split.manifest.cases, op, &Case::op);
}

TEST(ForeignAttributes, AreInTheOriginsAndNotInTheFiles) {
  const Split split = SplitOf({std::string(kProgram)});
  const PlacedAttribute system{"module", "ttcore.system", "#ttcore.system<n150>"};
  const PlacedAttribute forward{"function", "tt.function_type", "\"forward\""};
  ASSERT_EQ(split.manifest.cases.size(), 2U);
  EXPECT_THAT(CaseOf(split, "stablehlo.add").origins[0].attributes,
              ElementsAre(system, forward,
                          PlacedAttribute{"argument 0", "ttcore.argument_type", "#ttcore.argument_type<input>"},
                          PlacedAttribute{"argument 1", "ttcore.argument_type", "#ttcore.argument_type<parameter>"},
                          PlacedAttribute{"op", "vendor.priority", "#vendor.high"}));
  EXPECT_THAT(CaseOf(split, "stablehlo.tanh").origins[0].attributes,
              ElementsAre(system, forward, PlacedAttribute{"result 0", "vendor.out", "7 : i32"}));
  for (const std::string& text : split.texts) {
    for (const char* name : {"ttcore", "vendor", "tt.function_type"}) EXPECT_THAT(text, Not(HasSubstr(name)));
  }
}

TEST(ForeignAttributes, DoNotChangeTheCase) {
  const Split noted = SplitOf({std::string(kProgram)});
  const Split both = SplitOf({std::string(kProgram), R"(
    func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.add %b, %a : tensor<8xf32>
      %1 = stablehlo.tanh %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    })"});
  ASSERT_EQ(both.manifest.cases.size(), noted.manifest.cases.size());
  for (size_t i = 0; i < noted.manifest.cases.size(); ++i) {
    EXPECT_EQ(both.manifest.cases[i].id, noted.manifest.cases[i].id);
    ASSERT_EQ(both.manifest.cases[i].origins.size(), 2U);
    EXPECT_THAT(both.manifest.cases[i].origins[1].attributes, IsEmpty());
  }
}

TEST(ForeignAttributes, ArePassedThroughCallsThatAgree) {
  const Split split = SplitOf({R"(
    func.func @main(%a: tensor<8xf32> {v.x = 1 : i32}, %b: tensor<8xf32> {v.x = 2 : i32}) -> tensor<8xf32> {
      %0 = call @f(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %1 = call @f(%a, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = func.call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = stablehlo.add %0, %b : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.tanh %a : tensor<8xf32>
      return %0 : tensor<8xf32>
    })"});
  EXPECT_THAT(CaseOf(split, "stablehlo.tanh").origins[0].attributes,
              ElementsAre(PlacedAttribute{"argument 0", "v.x", "1 : i32"}));
  EXPECT_THAT(CaseOf(split, "stablehlo.add").origins[0].attributes, IsEmpty()) << "the calls differ";
}

// Entries of a dictionary attribute of a known op, and all attributes of an op of an unknown dialect, belong to the op.
TEST(ForeignAttributes, OfTheOpItselfAreKept) {
  const Split split = SplitOf({R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @f(%a) {mhlo.backend_config = {vendor.k = 1 : i32}} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = "vendor.relu"(%0) {vendor.slope = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    })"});
  ASSERT_EQ(split.texts.size(), 2U);
  EXPECT_THAT(split.texts[0], HasSubstr("vendor.k = 1"));
  EXPECT_THAT(split.texts[1], HasSubstr("vendor.slope = 2"));
}

TEST(ForeignAttributes, ReachTheOpsInAManualComputation) {
  const Split split = SplitOf({R"(
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32> {ttcore.kind = #ttcore.kind<input>})
      -> (tensor<4xf32> {ttcore.status = #ttcore.status<whole>}) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
        manual_axes={"x"} (%y: tensor<2xf32>) {
      %1 = stablehlo.abs %y : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})"});
  EXPECT_THAT(CaseOf(split, "stablehlo.abs").origins.at(0).attributes,
              ElementsAre(PlacedAttribute{"argument 0", "ttcore.kind", "#ttcore.kind<input>"},
                          PlacedAttribute{"result 0", "ttcore.status", "#ttcore.status<whole>"}));
}

}  // namespace
}  // namespace opbyop::generator
