// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/whole_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "generator/split/split_command.h"
#include "support/files/file.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kWholeModel = R"(
  func.func @main(%x: tensor<4xf32>, %i: tensor<2xi32> {jax.arg_info = "ids"}) -> (tensor<4xf32>, tensor<2xi32>) {
    %0 = stablehlo.abs %x : tensor<4xf32>
    %1 = stablehlo.add %0, %x : tensor<4xf32>
    return %1, %i : tensor<4xf32>, tensor<2xi32>
  })";

class WholeModelsTest : public testing::Test {
 protected:
  WholeModelsTest() {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("opbyop_whole_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WholeModelsTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) {
    EXPECT_TRUE(WriteFile(folder_ / name, text));
    return (folder_ / name).string();
  }

  Manifest Split(SplitCommand command) {
    std::ostringstream out, err;
    command.output = folder_ / "out";
    EXPECT_EQ(RunSplit(command, out, err), ExitCode::kOk) << err.str();
    return *LoadManifest(folder_ / "out/manifest.yaml");
  }

  Manifest Whole(const Manifest& split) {
    const Expected<fs::path> path = WriteWholeModels(split, folder_ / "out/whole");
    EXPECT_TRUE(path) << path.error().message;
    Expected<Manifest> manifest = path ? LoadManifest(*path) : Manifest();
    EXPECT_TRUE(manifest) << manifest.error().message;
    return manifest ? *manifest : Manifest();
  }

  std::string TextOf(const Case& c) { return *ReadFile(folder_ / "out/whole" / c.file); }

  fs::path folder_;
};

TEST_F(WholeModelsTest, EveryModelIsOneCase) {
  const Manifest whole = Whole(Split({.models = {Write("a.mlir", kWholeModel), Write("b.mlir", kWholeModel)}}));
  EXPECT_TRUE(whole.is_whole());
  ASSERT_THAT(whole.cases, SizeIs(2));
  const Case& c = whole.cases[0];
  EXPECT_TRUE(c.is_whole_model());
  EXPECT_EQ(c.target, "a");
  EXPECT_THAT(c.id, testing::StartsWith("model_a_4_2_f32_"));
  EXPECT_THAT(c.inputs, SizeIs(2));
  EXPECT_THAT(c.outputs, SizeIs(2));
  EXPECT_EQ(c.origins.at(0).count, 2);
  EXPECT_EQ(c.flops, 8);
  EXPECT_THAT(TextOf(c), testing::AllOf(HasSubstr("stablehlo.abs"), HasSubstr("stablehlo.add"), HasSubstr("@main"),
                                        Not(HasSubstr("jax.arg_info"))));
}

TEST_F(WholeModelsTest, APlainSplitIsNoManifestOfWholeModels) {
  EXPECT_FALSE(Split({.models = {Write("a.mlir", kWholeModel)}}).is_whole());
}

TEST_F(WholeModelsTest, RangesOfIntegersComeFromTheListOfModels) {
  Write("a.mlir", kWholeModel);
  Write("models.yaml",
        "schema: opbyop-models/1\nmodels:\n- name: a\n  file: a.mlir\n  arguments:\n"
        "  - {name: x, shape: [4], dtype: f32}\n  - {name: i, shape: [2], dtype: i32, range: [0, 7]}\n");
  const Manifest whole = Whole(Split({.models = {folder_.string()}}));
  ASSERT_THAT(whole.cases, SizeIs(1));
  EXPECT_EQ(whole.cases[0].input_ranges, (std::vector<InputRange>{std::nullopt, InputRange({0, 7})}));
}

TEST_F(WholeModelsTest, ShapesAndEntryAreThoseOfTheSplit) {
  const std::string model = Write("a.mlir", R"(func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.abs %x : tensor<?xf32>
    return %0 : tensor<?xf32>
  })");
  const Manifest whole =
      Whole(Split({.models = {model}, .options = {.entry = "f"}, .shapes = {*ParseShapeArgument("0=3")}}));
  ASSERT_THAT(whole.cases, SizeIs(1));
  EXPECT_EQ(whole.cases[0].inputs.at(0).shape, std::vector<int64_t>{3});
  EXPECT_THAT(TextOf(whole.cases[0]), HasSubstr("@main(%arg0: tensor<3xf32>"));
}

TEST_F(WholeModelsTest, AModelThatChangedIsNamed) {
  const Manifest split = Split({.models = {Write("a.mlir", kWholeModel), Write("b.mlir", kWholeModel)}});
  Write("a.mlir", std::string(kWholeModel) + "// later\n");
  const Manifest whole = Whole(split);
  ASSERT_THAT(whole.cases, SizeIs(1));
  EXPECT_THAT(whole.models[0].error, HasSubstr("has changed since it was split"));
}

TEST_F(WholeModelsTest, NothingIsWrittenIfNoModelIsLeft) {
  const Manifest split = Split({.models = {Write("a.mlir", kWholeModel)}});
  fs::remove(folder_ / "a.mlir");
  const Expected<fs::path> path = WriteWholeModels(split, folder_ / "out/whole");
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().code, ExitCode::kNoInput);
  EXPECT_THAT(path.error().message, HasSubstr("split it again"));
  EXPECT_FALSE(fs::exists(folder_ / "out/whole"));
}

TEST_F(WholeModelsTest, WithoutItsConstantsAModelCannotRun) {
  const Manifest split = Split({.models = {Write("a.mlir", R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>
    %1 = stablehlo.add %0, %x : tensor<4xf32>
    return %1 : tensor<4xf32>
  })")}});
  const Expected<fs::path> path = WriteWholeModels(split, folder_ / "out/whole");
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error().message, HasSubstr("the whole model cannot be run"));
}

constexpr std::string_view kSharded = R"(
  sdy.mesh @m = <["x"=2]>
  func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.abs %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  })";

TEST_F(WholeModelsTest, AShardedModelIsDividedAsItsArgumentsAndResultsAre) {
  const Manifest whole = Whole(Split({.models = {Write("a.mlir", kSharded)}}));
  ASSERT_THAT(whole.cases, SizeIs(1));
  const Case& c = whole.cases[0];
  ASSERT_NE(c.sharding, nullptr);
  EXPECT_EQ(c.sharding->partitions, 2);
  EXPECT_THAT(TextsOf(c.sharding->inputs, 2), testing::ElementsAre("{devices=[2]<=[2]}"));
  EXPECT_THAT(TextsOf(c.sharding->outputs, 2), testing::ElementsAre("{devices=[2]<=[2]}"));
  EXPECT_EQ(c.processes, 1);
  EXPECT_THAT(c.id, testing::StartsWith("model_a_4_f32_2p_"));
}

TEST_F(WholeModelsTest, AModelThatIsSplitAsGlobalRunsOnOneDevice) {
  const Manifest whole = Whole(Split({.models = {Write("a.mlir", kSharded)}, .options = {.shards = Shards::kGlobal}}));
  ASSERT_THAT(whole.cases, SizeIs(1));
  EXPECT_EQ(whole.cases[0].sharding, nullptr);
  EXPECT_EQ(whole.cases[0].devices(), Grid());
}

TEST_F(WholeModelsTest, AManualComputationRunsOnTheDevicesOfItsMesh) {
  const Manifest whole = Whole(Split({.models = {Write("a.mlir", R"(
    sdy.mesh @m = <["x"=2]>
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>]
          manual_axes={"x"} (%b: tensor<2xf32>) {
        %1 = stablehlo.abs %b : tensor<2xf32>
        sdy.return %1 : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })")}}));
  ASSERT_THAT(whole.cases, SizeIs(1));
  EXPECT_EQ(whole.cases[0].devices(), (Grid{.partitions = 2}));
  EXPECT_EQ(whole.cases[0].processes, 1);
}

TEST_F(WholeModelsTest, AProgramOfOneProcessRunsOnTheGridOfItsCollectives) {
  const Manifest whole = Whole(Split({.models = {Write("a.mlir", R"(
    module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
      func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
        %0 = "stablehlo.collective_permute"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
            source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    })")}}));
  ASSERT_THAT(whole.cases, SizeIs(1));
  EXPECT_EQ(whole.cases[0].grid, (Grid{.partitions = 2}));
  EXPECT_EQ(whole.cases[0].processes, 1);
}

}  // namespace
}  // namespace opbyop::generator
