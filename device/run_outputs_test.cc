// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/run_outputs.h"

#include <gtest/gtest.h>

#include <array>

#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::device {
namespace {

using Values = std::array<float, 2>;

class RunOutputsTest : public testing::Test {
 protected:
  void Write(const Values& values, OutputsOf run) {
    ASSERT_TRUE(WriteRunOutput(folder_.path(), 3, {{2}, "f32"}, std::as_bytes(std::span(values)), run));
  }
  bool Has(const char* name) const { return std::filesystem::exists(folder_.path() / name); }

  TestFolder folder_;
};

TEST_F(RunOutputsTest, OneRunLeavesOneFile) {
  Write({1, 2}, OutputsOf::kFirstRun);
  EXPECT_TRUE(Has("output_3.npy"));
  EXPECT_FALSE(Has("last_output_3.npy"));
}

TEST_F(RunOutputsTest, RunsThatAgreeLeaveOneFile) {
  Write({1, 2}, OutputsOf::kFirstRun);
  Write({1, 2}, OutputsOf::kLastRun);
  EXPECT_FALSE(Has("last_output_3.npy"));
}

TEST_F(RunOutputsTest, ALastRunThatDiffersInOneBitIsWrittenToo) {
  const Values last = {0.0f, 2};
  Write({-0.0f, 2}, OutputsOf::kFirstRun);
  Write(last, OutputsOf::kLastRun);
  const Expected<NpyFile> file = ReadNpy(folder_.path() / "last_output_3.npy");
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::ranges::equal(file->bytes(), std::as_bytes(std::span(last))));
}

TEST_F(RunOutputsTest, FilesOfAnEarlierExecutionAreRemoved) {
  Write({1, 2}, OutputsOf::kFirstRun);
  Write({0, 2}, OutputsOf::kLastRun);
  Write({1, 2}, OutputsOf::kFirstRun);
  EXPECT_FALSE(Has("last_output_3.npy"));
}

TEST_F(RunOutputsTest, ALastRunNeedsTheFirst) {
  const Values values = {1, 2};
  const auto written =
      WriteRunOutput(folder_.path(), 3, {{2}, "f32"}, std::as_bytes(std::span(values)), OutputsOf::kLastRun);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop::device
