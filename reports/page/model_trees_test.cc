// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/model_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "reports/view/example_run.h"
#include "support/files/file.h"
#include "support/files/project_folder.h"

namespace opbyop::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// A layer of three ops, and a window of two of them. A fourth op is in no layer.
ExampleRun Layer(Status window, Status layer, Status multiply = Status::kPass) {
  ExampleRun example;
  for (const char* id : {"add_1", "mul_1", "tanh_1", "exp_1"}) example.AddCase(id, "stablehlo.any", {"bert"});
  example.AddCase("window_1", std::string(kWindow), {"bert"}).members = {"add_1", "mul_1"};
  example.AddCase("layer_1", std::string(kLayer), {"bert"}).members = {"add_1", "mul_1", "tanh_1"};
  for (const auto& [id, status] : {std::pair("add_1", Status::kPass),
                                   {"mul_1", multiply},
                                   {"tanh_1", Status::kPass},
                                   {"exp_1", Status::kPass},
                                   {"window_1", window},
                                   {"layer_1", layer}}) {
    example.AddRecord(id, status, "compare", status == Status::kPass ? "" : "off by 2");
  }
  return example;
}

std::vector<std::string> HeadsOf(const std::vector<TreeNode>& nodes) {
  std::vector<std::string> heads;
  heads.reserve(nodes.size());
  for (const TreeNode& node : nodes) heads.push_back(node.head);
  return heads;
}

TEST(ModelTreesTest, AWindowStandsInTheLayerThatHasItsOps) {
  const ExampleRun example = Layer(Status::kPass, Status::kPass);
  const std::vector<TreeNode> trees = ModelTrees(example.MakeView());
  ASSERT_THAT(trees, SizeIs(1)) << "the other model has no case of several ops";
  EXPECT_THAT(trees[0].head, HasSubstr("none of 6 rows is red"));
  EXPECT_THAT(HeadsOf(trees[0].parts),
              ElementsAre("layer_1, 3 different ops, 2 times: pass", "op exp_1, 2 times: pass"));
  const TreeNode& layer = trees[0].parts[0];
  EXPECT_THAT(HeadsOf(layer.parts),
              ElementsAre("window_1, 2 different ops, 2 times: pass", "op tanh_1, 2 times: pass"));
  EXPECT_FALSE(layer.is_open) << "nothing in it is red";
  EXPECT_THAT(layer.parts[0].parts, IsEmpty()) << "the ops of a window that passes are not listed";
}

TEST(ModelTreesTest, WhatFailsThoughNoOpBelowDoesSaysSo) {
  const ExampleRun example = Layer(Status::kFail, Status::kFail);
  const TreeNode root = ModelTrees(example.MakeView()).at(0);
  EXPECT_TRUE(root.is_red);
  const TreeNode& layer = root.parts.at(0);
  EXPECT_THAT(layer.head, HasSubstr(": fail in compare"));
  EXPECT_THAT(layer.why, IsEmpty()) << "the window in it is the reason";
  EXPECT_TRUE(layer.is_red && layer.is_open);
  const TreeNode& window = layer.parts.at(0);
  EXPECT_THAT(window.why, StartsWith("No op below it fails"));
  EXPECT_THAT(HeadsOf(window.parts), ElementsAre("op add_1, 2 times: pass", "op mul_1, 2 times: pass"));
  EXPECT_THAT(window.notes, ElementsAre(HasSubstr("off by 2")));
}

TEST(ModelTreesTest, ARedOpIsTheReasonOfWhatItIsIn) {
  const ExampleRun example = Layer(Status::kFail, Status::kFail, Status::kFail);
  const TreeNode root = ModelTrees(example.MakeView()).at(0);
  const TreeNode& window = root.parts.at(0).parts.at(0);
  EXPECT_THAT(window.why, IsEmpty());
  EXPECT_THAT(HeadsOf(window.parts), ElementsAre("op mul_1, 2 times: fail in compare", "op add_1, 2 times: pass"))
      << "the red one comes first";
}

TEST(ModelTreesTest, AnOpThatIsNotJudgedIsNoProof) {
  const ExampleRun example = Layer(Status::kFail, Status::kFail, Status::kInconclusive);
  const TreeNode layer = ModelTrees(example.MakeView()).at(0).parts.at(0);
  EXPECT_EQ(layer.parts.at(0).why, "No op below it fails, but not all of them passed.");
}

TEST(ModelTreesTest, ARunOfSingleOpsHasNoTree) {
  ExampleRun example;
  example.AddCase("add_1", "stablehlo.add", {"bert"});
  EXPECT_THAT(ModelTreePage(example.MakeView()), IsEmpty());
}

TEST(ModelTreesTest, ThePageIsTheGoldenOne) {
  const ExampleRun example = Layer(Status::kFail, Status::kFail);
  const std::string page = ModelTreePage(example.MakeView());
  const std::filesystem::path path = ProjectFolder() / "reports/page/testdata/tree.html";
  if (std::getenv("OPBYOP_UPDATE_GOLDEN") != nullptr) ASSERT_TRUE(WriteFile(path, page));
  EXPECT_EQ(page, ReadFile(path).value_or("")) << "if the change is meant, run again with OPBYOP_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace opbyop::reports
