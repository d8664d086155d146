// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/twins.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

class TwinsTest : public testing::Test {
 protected:
  TwinsTest() { manifest_.path = folder_.path() / "manifest.yaml"; }

  void Add(const std::string& id, int64_t extent, const std::string& body = "stablehlo.tanh",
           std::vector<int64_t> more = {}) {
    std::vector<int64_t> shape = {extent};
    shape.insert(shape.end(), more.begin(), more.end());
    AddCase(id, "stablehlo.reduce", body, {shape}, shape);
  }

  void AddIndexing(const std::string& id, const std::string& op, const std::vector<std::vector<int64_t>>& inputs,
                   const std::vector<int64_t>& output) {
    AddCase(id, op, op, inputs, output);
  }

  void AddCase(const std::string& id, const std::string& op, const std::string& body,
               const std::vector<std::vector<int64_t>>& inputs, const std::vector<int64_t>& output) {
    std::vector<TensorType> types;
    types.reserve(inputs.size() + 1);
    for (const std::vector<int64_t>& shape : inputs) types.push_back({shape, "f32"});
    Case c;
    c.id = id;
    c.op = op;
    c.file = id + ".mlir";
    c.inputs = types;
    c.outputs = {{output, "f32"}};
    types.push_back({output, "f32"});
    std::string text = "// case: " + id + "\n// origin: " + id + "\nmodule {id = \"" + id + "\"} {\n  " + body + " :";
    for (const TensorType& type : types) {
      text += " tensor<";
      for (const int64_t extent : type.shape) text += std::to_string(extent) + "x";
      text += "f32>";
    }
    ASSERT_TRUE(WriteFile(folder_.path() / c.file, text + "\n}\n"));
    manifest_.cases.push_back(std::move(c));
  }

  // Returns the id of the smaller twin; empty if there is none.
  std::string TwinOf(size_t index) const {
    const Twins twins = SmallerTwins(manifest_, 100);
    const auto found = twins.find(&manifest_.cases[index]);
    return found == twins.end() ? "" : found->second->id;
  }

  TestFolder folder_;
  Manifest manifest_;
};

TEST_F(TwinsTest, ALargeCaseIsLeftToTheSmallestOfItsProgram) {
  Add("large", 1000);
  Add("small", 10);
  Add("middle", 60);
  EXPECT_EQ(TwinOf(0), "small");
  EXPECT_EQ(TwinOf(1), "");
  EXPECT_EQ(TwinOf(2), "small") << "120 elements with its output";
}

TEST_F(TwinsTest, TheSmallestOfLargeCasesIsTheTwinOfTheOthers) {
  Add("large", 1000);
  Add("larger", 2000);
  EXPECT_EQ(TwinOf(0), "");
  EXPECT_EQ(TwinOf(1), "large");
}

TEST_F(TwinsTest, AnotherBodyRankOrConstantIsAnotherProgram) {
  Add("large", 1000);
  Add("other_body", 10, "stablehlo.exponential");
  Add("other_number", 10, "stablehlo.tanh {axis = 2}");
  Add("other_rank", 10, "stablehlo.tanh", {1});
  EXPECT_EQ(TwinOf(0), "");
}

// The device's arithmetic on indices may fail where a smaller table has no rows.
TEST_F(TwinsTest, AGatherFromMoreRowsIsNotLeftToOneFromFewer) {
  AddIndexing("more_rows", "stablehlo.gather", {{200, 4}, {50, 1}}, {50, 4});
  AddIndexing("fewer_indices", "stablehlo.gather", {{200, 4}, {10, 1}}, {10, 4});
  AddIndexing("fewer_rows", "stablehlo.gather", {{100, 4}, {10, 1}}, {10, 4});
  EXPECT_EQ(TwinOf(0), "fewer_indices");
  EXPECT_EQ(TwinOf(1), "");
}

TEST_F(TwinsTest, AnUpdateIsComparedByItsResultForItsOperandMayBeAConstant) {
  AddIndexing("long", "stablehlo.dynamic_update_slice", {{4, 4}, {}}, {100, 4});
  AddIndexing("short", "stablehlo.dynamic_update_slice", {{4, 4}, {}}, {50, 4});
  AddIndexing("small_update", "stablehlo.dynamic_update_slice", {{2, 4}, {}}, {100, 4});
  EXPECT_EQ(TwinOf(0), "small_update");
}

TEST_F(TwinsTest, ALoopWithIndicesInItHasNoTwin) {
  Add("large", 1000, "stablehlo.while { stablehlo.dynamic_slice }");
  Add("small", 10, "stablehlo.while { stablehlo.dynamic_slice }");
  EXPECT_EQ(TwinOf(0), "");
}

TEST_F(TwinsTest, AProgramThatCannotBeReadHasNoTwin) {
  Add("large", 1000);
  Add("small", 10);
  std::filesystem::remove(folder_.path() / "large.mlir");
  EXPECT_EQ(TwinOf(0), "");
}

TEST(WithoutExtentsTest, OnlyExtentsOfTensorsAndTheIdGo) {
  EXPECT_EQ(WithoutExtents("// x\nid_1 {12x} tensor<3x45xf32> tensor<i1> dense<0xFF>", "id_1"),
            " {12x} tensor<??f32> tensor<i1> dense<0xFF>\n");
}

}  // namespace
}  // namespace opbyop::harness
