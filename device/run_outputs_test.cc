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
  void Write(const Values& first, std::span<const std::byte> last) {
    ASSERT_TRUE(WriteRunOutput(folder_.path(), 3, {{2}, "f32"}, std::as_bytes(std::span(first)), last));
  }
  bool Has(const char* name) const { return std::filesystem::exists(folder_.path() / name); }

  TestFolder folder_;
};

TEST_F(RunOutputsTest, OneRunLeavesOneFile) {
  Write({1, 2}, {});
  EXPECT_TRUE(Has("output_3.npy"));
  EXPECT_FALSE(Has("last_output_3.npy"));
}

TEST_F(RunOutputsTest, RunsThatAgreeLeaveOneFile) {
  const Values last = {1, 2};
  Write({1, 2}, std::as_bytes(std::span(last)));
  EXPECT_FALSE(Has("last_output_3.npy"));
}

TEST_F(RunOutputsTest, ALastRunThatDiffersInOneBitIsWrittenToo) {
  const Values last = {0.0f, 2}, first = {-0.0f, 2};
  Write(first, std::as_bytes(std::span(last)));
  const Expected<NpyFile> file = ReadNpy(folder_.path() / "last_output_3.npy");
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::ranges::equal(file->bytes(), std::as_bytes(std::span(last))));
}

TEST_F(RunOutputsTest, FilesOfAnEarlierExecutionAreRemoved) {
  const Values last = {0, 2};
  Write({1, 2}, std::as_bytes(std::span(last)));
  Write({1, 2}, {});
  EXPECT_FALSE(Has("last_output_3.npy"));
}

}  // namespace
}  // namespace opbyop::device
