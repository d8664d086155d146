// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/error_histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::history {
namespace {

class ErrorHistogramTest : public testing::Test {
 protected:
  template <typename T>
  void Write(const std::string& name, const std::string& dtype, const std::vector<T>& values) {
    const TensorType type{{static_cast<int64_t>(values.size())}, dtype};
    ASSERT_TRUE(WriteNpy(folder_.path() / name, type, std::as_bytes(std::span(values))));
  }

  TestFolder folder_;
};

TEST_F(ErrorHistogramTest, CountsElementsByTheirShareOfTheBound) {
  const float nan = std::nanf("");
  Write<float>("output_0.npy", "f32", {1, 1.5, 2, 5, nan, nan});
  Write<float>("expected_0.npy", "f32", {1, 1, 1, 1, nan, 1});
  Write<double>("bound_0.npy", "f64", {1, 1, 1, 1, 1, 1});
  const std::vector<ErrorHistogram> found = ErrorHistograms(folder_.path());
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].policy, "domain");
  // 0 twice (equal, and NaN where NaN is expected), 0.5, 1, 4, and a NaN where none is expected.
  EXPECT_THAT(found[0].bins, testing::ElementsAre(2, 0, 0, 0, 1, 1, 0, 1, 1));
}

TEST_F(ErrorHistogramTest, ABoundOfZeroTakesEqualElementsAlone) {
  Write<float>("output_0.npy", "f32", {1, 2});
  Write<float>("expected_0.npy", "f32", {1, 1});
  Write<double>("bound_0.npy", "f64", {0, 0});
  EXPECT_THAT(ErrorHistograms(folder_.path()).at(0).bins, testing::ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 1));
}

TEST_F(ErrorHistogramTest, ReadsHalves) {
  Write<uint16_t>("output_0.npy", "f16", {0x3c00, 0x4000, 0x0001});    // 1, 2, 2^-24
  Write<uint16_t>("expected_0.npy", "f16", {0x3c00, 0x3c00, 0x0000});  // 1, 1, 0
  Write<double>("bound_0.npy", "f64", {1, 1, 0x1p-24});
  EXPECT_THAT(ErrorHistograms(folder_.path()).at(0).bins, testing::ElementsAre(1, 0, 0, 0, 0, 2, 0, 0, 0));
}

TEST_F(ErrorHistogramTest, LeavesOutAbsentTensorsAndOtherShapes) {
  Write<float>("output_0.npy", "f32", {1, 2});
  EXPECT_TRUE(ErrorHistograms(folder_.path()).empty());
  Write<float>("expected_0.npy", "f32", {1});
  Write<double>("bound_0.npy", "f64", {0, 0});
  EXPECT_TRUE(ErrorHistograms(folder_.path()).empty());
  EXPECT_TRUE(ErrorHistograms(folder_.path() / "nosuch").empty());
}

}  // namespace
}  // namespace opbyop::history
