// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/kept_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "generator/split/split_command.h"
#include "manifests/runs/kept_attributes.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Three adds: one of a parameter, one of an input, and one of neither.
constexpr std::string_view kAnnotated = R"(
module attributes {ttcore.system = #ttcore.system<n150>} {
  func.func @main(%a: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>},
                  %b: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<input>}) -> tensor<8xf32> {
    %0 = stablehlo.add %a, %a {vendor.priority = #vendor<high>} : tensor<8xf32>
    %1 = stablehlo.add %b, %b : tensor<8xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
})";

class KeptAttributesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(WriteFile(folder_.path() / "model.mlir", kAnnotated));
    SplitCommand command{.models = {(folder_.path() / "model.mlir").string()}, .output = folder_.path() / "out"};
    std::ostringstream out, err;
    ASSERT_EQ(RunSplit(command, out, err), ExitCode::kOk) << err.str();
    split_ = *LoadManifest(command.output / "manifest.yaml");
  }

  std::string Text(const fs::path& manifest, const Case& c) {
    return ReadFile(manifest.parent_path() / c.file).value();
  }

  TestFolder folder_;
  Manifest split_;
};

TEST_F(KeptAttributesTest, TheIrOfAStageHasTheAttributesInItsPrograms) {
  EXPECT_TRUE(KeepsAny(split_, {"ttcore"}));
  split_.models[0].stage = "tenstorrent/ttir-to-ttnn";
  EXPECT_FALSE(KeepsAny(split_, {"ttcore"}));
  EXPECT_EQ(*WriteKeptCases(split_, {"ttcore"}, folder_.path() / "kept"), split_.path);
}

TEST_F(KeptAttributesTest, MembersOfACaseOfSeveralOpsAreTheCasesWithAttributes) {
  SplitCommand command{.models = {(folder_.path() / "model.mlir").string()}, .output = folder_.path() / "pairs"};
  command.options.granularity = {Granularity::Kind::kWindow, 2};
  std::ostringstream out, err;
  ASSERT_EQ(RunSplit(command, out, err), ExitCode::kOk) << err.str();
  const Manifest pairs = *LoadManifest(command.output / "manifest.yaml");
  std::set<std::string> ids;
  for (const KeptCase& kept : KeptCases(pairs, {"ttcore"})) ids.insert(kept.c.id);
  for (const KeptCase& kept : KeptCases(pairs, {"ttcore"})) {
    if (kept.c.op == kWindow) EXPECT_THAT(kept.c.members, SizeIs(3)) << "both additions and the product";
    for (const std::string& member : kept.c.members) EXPECT_THAT(ids, testing::Contains(member));
  }
}

TEST_F(KeptAttributesTest, OriginsWithDifferentAttributesAreDifferentCases) {
  ASSERT_THAT(split_.cases, SizeIs(2));
  const auto manifest = WriteKeptCases(split_, {"ttcore"}, folder_.path() / "kept");
  ASSERT_TRUE(manifest) << manifest.error().message;
  const Manifest kept = *LoadManifest(*manifest);
  ASSERT_THAT(kept.cases, SizeIs(3));
  int adds = 0;
  for (const Case& c : kept.cases) {
    const std::string text = Text(*manifest, c);
    EXPECT_THAT(text, AllOf(HasSubstr("ttcore.system = #ttcore.system<n150>"), HasSubstr("opbyop.case = \"" + c.id),
                            Not(HasSubstr("vendor"))));
    ASSERT_THAT(c.origins, SizeIs(1));
    if (c.op != "stablehlo.add") continue;
    ++adds;
    EXPECT_THAT(text, HasSubstr("%arg0: tensor<8xf32> {ttcore.argument_type = #ttcore.argument_type<"));
    EXPECT_NE(c.id, split_.cases[0].id);
    EXPECT_NE(c.hash, split_.cases[0].hash);
  }
  EXPECT_EQ(adds, 2);
}

TEST_F(KeptAttributesTest, AttributesThatAreNotRequestedMakeNoCases) {
  const auto manifest = WriteKeptCases(split_, {"vendor"}, folder_.path() / "kept");
  ASSERT_TRUE(manifest);
  const Manifest kept = *LoadManifest(*manifest);
  // One add has a priority. The other is the plain case under its own id, and so is the product.
  ASSERT_THAT(kept.cases, SizeIs(3));
  for (const Case& c : split_.cases) {
    const auto same = std::ranges::find(kept.cases, c.id, &Case::id);
    ASSERT_NE(same, kept.cases.end());
    EXPECT_EQ(same->hash, c.hash);
    EXPECT_EQ(Text(*manifest, *same), Text(split_.path, c));
  }
  EXPECT_EQ(*WriteKeptCases(split_, {"acme"}, folder_.path() / "none"), split_.path);
  EXPECT_FALSE(fs::exists(folder_.path() / "none"));
}

TEST_F(KeptAttributesTest, AFolderWithTheSameContentsIsNotWrittenAgain) {
  const auto manifest = WriteKeptCases(split_, {"ttcore"}, folder_.path() / "kept");
  ASSERT_TRUE(manifest);
  const auto written = fs::last_write_time(*manifest);
  ASSERT_TRUE(WriteKeptCases(split_, {"ttcore"}, folder_.path() / "kept"));
  EXPECT_EQ(fs::last_write_time(*manifest), written);
}

TEST_F(KeptAttributesTest, AttributesThatDoNotFitAreAnError) {
  split_.cases[0].origins[0].attributes = {{"argument 7", "ttcore.x", "1 : i32"}};
  auto manifest = WriteKeptCases(split_, {"ttcore"}, folder_.path() / "kept");
  ASSERT_FALSE(manifest);
  EXPECT_THAT(manifest.error().message, HasSubstr("ttcore.x = 1 : i32 does not fit its argument 7"));
  split_.cases[0].origins[0].attributes = {{"module", "ttcore.x", "#oh no"}};
  EXPECT_FALSE(WriteKeptCases(split_, {"ttcore"}, folder_.path() / "kept"));
}

TEST(SplitByAttributes, KeepsOriginsOfOneSetTogether) {
  Case c{.hash = "00"};
  const PlacedAttribute x{"op", "t.x", "1"}, y{"op", "u.y", "2"};
  c.origins = {{.model = "a", .attributes = {x}}, {.model = "b"}, {.model = "c", .attributes = {x, y}}};
  const std::vector<KeptCase> kept = SplitByAttributes(c, {"t"});
  ASSERT_THAT(kept, SizeIs(2));
  EXPECT_THAT(kept[0].c.origins, SizeIs(2));
  EXPECT_THAT(kept[0].c.origins[1].attributes, testing::ElementsAre(y));
  EXPECT_NE(kept[0].c.hash, "00");
  EXPECT_EQ(kept[1].c.hash, "00");
  EXPECT_THAT(kept[1].attributes, IsEmpty());
}

}  // namespace
}  // namespace opbyop::generator
