// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/case_map.h"

#include <gmock/gmock.h>

#include <set>

#include "generator/program/parse_for_test.h"
#include "generator/split/splitter.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwoCalls = R"mlir(
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "stablehlo.negate"(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = func.call @twice(%1) : (tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir";

class CaseMapTest : public ParsingTest {};

TEST_F(CaseMapTest, EqualOpsHaveOneCase) {
  const auto module = Parse(kTwoCalls);
  const Expected<CaseMap> map = CaseMap::Make(*module, {});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->cases().size(), 2u);
  const CaseMap::Entry* negate = map->Find(FindOp(*module, "stablehlo.negate"));
  ASSERT_NE(negate, nullptr);
  EXPECT_THAT(negate->c.id, HasSubstr("negate_2_f32_"));
}

TEST_F(CaseMapTest, ThereIsNoneForTheShapesOfOneDevice) {
  const auto module = Parse(kTwoCalls);
  const Expected<CaseMap> map = CaseMap::Make(*module, {.shards = Shards::kLocal});
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(map.error().message, HasSubstr("split the model with --shards=global"));
}

TEST_F(CaseMapTest, CallsAreNoCases) {
  const auto module = Parse(kTwoCalls);
  const Expected<CaseMap> map = CaseMap::Make(*module, {});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->Find(FindOp(*module, "func.call")), nullptr);
}

TEST_F(CaseMapTest, OpsWithDifferentKeptAttributesAreDifferentCases) {
  constexpr std::string_view kModel = R"mlir(
    module attributes {ttcore.system = #ttcore.system<n150>} {
      func.func @main(%a: tensor<2xf32> {ttcore.kind = #ttcore.kind<weight>}, %b: tensor<2xf32> {other.kind = 1 : i32})
          -> tensor<2xf32> {
        %0 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<2xf32>
        %1 = "stablehlo.negate"(%b) : (tensor<2xf32>) -> tensor<2xf32>
        %2 = "stablehlo.add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        return %2 : tensor<2xf32>
      }
    })mlir";
  auto module = Parse(kModel);
  Expected<CaseMap> map = CaseMap::Make(*module, {}, {"ttcore"});
  ASSERT_TRUE(map);
  ASSERT_EQ(map->cases().size(), 3u);
  std::vector<std::string> texts;
  for (const CaseMap::Entry& entry : map->cases()) texts.push_back(map->Text(entry));
  EXPECT_THAT(texts, testing::Each(HasSubstr("ttcore.system = #ttcore.system<n150>")));
  EXPECT_THAT(texts, testing::Each(testing::Not(HasSubstr("other.kind"))));
  EXPECT_THAT(texts[0], HasSubstr("%arg0: tensor<2xf32> {ttcore.kind = #ttcore.kind<weight>}"));
  EXPECT_THAT(texts[1], testing::Not(HasSubstr("ttcore.kind")));
  EXPECT_NE(map->cases()[0].c.id, map->cases()[1].c.id);
  // The whole program has them where the model had them.
  std::string whole;
  llvm::raw_string_ostream(whole) << map->module();
  EXPECT_THAT(whole, HasSubstr("ttcore.kind = #ttcore.kind<weight>"));

  module = Parse(kModel);
  EXPECT_EQ(CaseMap::Make(*module, {})->cases().size(), 2u);
}

TEST_F(CaseMapTest, IdsAndTextsAreThoseOfTheSplit) {
  const auto module = Parse(kTwoCalls);
  std::set<std::string> texts;
  Splitter splitter({}, [&](const std::string&, const std::string& text) -> Expected<void> {
    texts.insert(text.substr(text.find("module")));
    return {};
  });
  ASSERT_TRUE(splitter.Add(0, *module, {.name = "m"}));
  std::set<std::string> ids;
  for (const Case& c : splitter.Finish().manifest.cases) ids.insert(c.id);
  Expected<CaseMap> map = CaseMap::Make(*module, {});
  ASSERT_TRUE(map);
  std::set<std::string> mapped_ids, mapped_texts;
  for (const CaseMap::Entry& entry : map->cases()) {
    mapped_ids.insert(entry.c.id);
    const std::string text = map->Text(entry);
    mapped_texts.insert(text.substr(text.find("module")));
  }
  EXPECT_EQ(mapped_ids, ids);
  EXPECT_EQ(mapped_texts, texts);
}

}  // namespace
}  // namespace opbyop::generator
