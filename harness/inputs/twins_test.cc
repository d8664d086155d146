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
    Case c;
    c.id = id;
    c.op = "stablehlo.reduce";
    c.file = id + ".mlir";
    std::vector<int64_t> shape = {extent};
    shape.insert(shape.end(), more.begin(), more.end());
    c.inputs = c.outputs = {{shape, "f32"}};
    std::string type = "tensor<";
    for (const int64_t e : shape) type += std::to_string(e) + "x";
    ASSERT_TRUE(WriteFile(folder_.path() / c.file, "// case: " + id + "\n// origin: " + id + "\nmodule {id = \"" + id +
                                                       "\"} {\n  " + body + " : " + type + "f32>\n}\n"));
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
