// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/case_sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "manifests/cases/manifest.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

const std::vector<TensorType> kTypes = {{{16, 8}, "f32"}, {{}, "i1"}};

// A manifest of one sharded case, as it is read again.
Expected<Manifest> ReadBack(const TestFolder& folder, const std::string& from = "", const std::string& to = "") {
  Manifest manifest;
  manifest.models = {{.name = "mlp"}};
  Case c{.id = "negate_16x8_f32_8p_0a1b2c3d", .op = "stablehlo.negate", .file = "cases/n.mlir", .hash = "0a"};
  c.inputs = {{{16, 8}, "f32"}};
  c.outputs = {{{16, 8}, "f32"}};
  c.sharding = std::make_shared<const CaseSharding>(CaseSharding{
      .partitions = 8, .inputs = {{{}, {{1, 4}}}}, .outputs = {{{}, {}}}, .source = ShardingSource::kRules});
  c.origins = {{.model = "mlp", .count = 1}};
  manifest.cases = {c};
  const auto path = folder.path() / "manifest.yaml";
  EXPECT_TRUE(WriteFile(folder.path() / "cases/n.mlir", "module {}"));
  std::string text = WriteManifest(manifest);
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  EXPECT_TRUE(WriteFile(path, text));
  return LoadManifest(path);
}

TEST(CaseShardingTest, TextsAreReadAsDivisionsOfTheirTypes) {
  const Expected<std::vector<Division>> divisions = DivisionsOf({"{devices=[2,4]<=[8]}", "{replicated}"}, kTypes, 8);
  ASSERT_TRUE(divisions) << divisions.error().message;
  EXPECT_EQ(*divisions, (std::vector<Division>{{{{4, 2}}, {{1, 4}}}, {}}));
  EXPECT_THAT(TextsOf(*divisions, 8), testing::ElementsAre("{devices=[2,4]<=[8]}", "{replicated}"));
}

TEST(CaseShardingTest, TextsThatDoNotFitTheTypesAreErrors) {
  const auto why = [](const std::vector<std::string>& texts) {
    const Expected<std::vector<Division>> divisions = DivisionsOf(texts, kTypes, 8);
    return divisions ? "" : divisions.error().message;
  };
  EXPECT_EQ(why({"{replicated}"}), "1 shardings for 2 tensors");
  EXPECT_THAT(why({"{devices=[8]<=[8]}", "{replicated}"}), HasSubstr("no sharding of a tensor of rank 2"));
  const Expected<std::vector<Division>> nothing = DivisionsOf({"{devices=[8]<=[8]}"}, {{{0}, "f32"}}, 8);
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("does not divide a tensor of shape [0]"));
}

TEST(CaseShardingTest, UnevenPartsAreFilledUpWithAnExtreme) {
  const auto last = [](const std::string& dtype, const std::vector<std::byte>& whole) {
    return Sharded({{3}, dtype}, {{{.stride = 1, .size = 2}}}).Take(whole, 1);
  };
  const std::byte one{1};
  EXPECT_THAT(last("i8", {one, one, one}), testing::ElementsAre(one, std::byte{0x7f}));
  EXPECT_THAT(last("i4", {one, one, one}), testing::ElementsAre(one, std::byte{7}));
  EXPECT_THAT(last("ui2", {one, one, one}), testing::ElementsAre(one, std::byte{3}));
  EXPECT_THAT(last("i1", {one, one, one}), testing::ElementsAre(one, one));
  const std::vector<std::byte> floats = last("f32", std::vector<std::byte>(12));
  float padding = 0;
  std::memcpy(&padding, floats.data() + sizeof(float), sizeof(float));
  EXPECT_TRUE(std::isnan(padding));
}

TEST(CaseShardingTest, AManifestKeepsTheShardingsOfACase) {
  const TestFolder folder;
  const Expected<Manifest> read = ReadBack(folder);
  ASSERT_TRUE(read) << read.error().message;
  const Case& c = read->cases.at(0);
  EXPECT_EQ(c.devices(), (Grid{.partitions = 8}));
  EXPECT_EQ(c.grid, Grid()) << "its files are those of whole tensors";
  ASSERT_TRUE(c.sharding);
  EXPECT_EQ(c.sharding->inputs, (std::vector<Division>{{{}, {{1, 4}}}}));
  EXPECT_EQ(c.sharding->source, ShardingSource::kRules);
  const std::string text = *ReadFile(folder.path() / "manifest.yaml");
  EXPECT_THAT(text, HasSubstr(R"("grid":{"replicas":1,"partitions":8},"shardings":{"inputs":["{devices=[1,4,2]<=[2,4])"
                              R"(T(1,0) last_tile_dim_replicate}"],"outputs":["{replicated}"],"by":"rules"})"));
}

TEST(CaseShardingTest, AManifestWithShardingsThatDoNotFitIsRefused) {
  const TestFolder folder;
  EXPECT_THAT(ReadBack(folder, R"(["{replicated}"])", "[]").error().message, HasSubstr("0 shardings for 1 tensors"));
  EXPECT_THAT(ReadBack(folder, R"("partitions":8)", R"("partitions":1)").error().message,
              HasSubstr("need a grid of one replica of several partitions"));
  EXPECT_THAT(ReadBack(folder, R"("by":"rules")", R"("by":"hand")").error().message, HasSubstr("not by `hand`"));
}

}  // namespace
}  // namespace opbyop
