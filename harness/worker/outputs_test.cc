// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputsTest : public testing::Test {
 protected:
  OutputsTest() { c_.outputs = {{{4}, "f32"}}; }

  void Write(const std::vector<float>& values) const {
    ASSERT_TRUE(WriteNpy(file_, {{static_cast<int64_t>(values.size())}, "f32"}, std::as_bytes(std::span(values))));
  }

  TestFolder folder_;
  const fs::path file_ = folder_.path() / "output_0.npy";
  Case c_;
};

TEST_F(OutputsTest, ATensorFileIsAccepted) {
  Write({1, 2, 3, 4});
  EXPECT_EQ(FindOutputFault(c_, folder_.path()), std::nullopt);
}

TEST_F(OutputsTest, AnotherElementTypeIsLeftToTheReference) {
  const std::vector<double> values(4);
  ASSERT_TRUE(WriteNpy(file_, {{4}, "f64"}, std::as_bytes(std::span(values))));
  EXPECT_EQ(FindOutputFault(c_, folder_.path()), std::nullopt);
}

TEST_F(OutputsTest, EveryOutputIsChecked) {
  Write({1, 2, 3, 4});
  c_.outputs.Edit().push_back({{}, "i1"});
  EXPECT_EQ(FindOutputFault(c_, folder_.path()), "the device left no output_1.npy");
}

TEST_F(OutputsTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(FindOutputFault(c_, folder_.path()).value_or(""), HasSubstr("is a pipe"));
  EXPECT_FALSE(IsAllZero(file_, c_.outputs[0]));
}

TEST_F(OutputsTest, ALinkIsNotFollowed) {
  fs::create_symlink("/dev/zero", file_);
  EXPECT_THAT(FindOutputFault(c_, folder_.path()).value_or(""), HasSubstr("is a symbolic link"));
  EXPECT_FALSE(IsAllZero(file_, c_.outputs[0]));
}

TEST_F(OutputsTest, ASparseTerabyteIsNotRead) {
  ASSERT_TRUE(WriteFile(file_, ""));
  fs::resize_file(file_, 1ull << 40);
  EXPECT_EQ(FindOutputFault(c_, folder_.path()), "output_0.npy has 1099511627776 bytes, 4 elements of f32 take 16");
  EXPECT_FALSE(IsAllZero(file_, c_.outputs[0]));
}

TEST_F(OutputsTest, ClearingRemovesAnythingOfThatName) {
  fs::create_directories(file_ / "below");
  ASSERT_TRUE(WriteFile(folder_.path() / "input_0.npy", "stays"));
  ClearOutputs(c_, folder_.path());
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(fs::exists(folder_.path() / "input_0.npy"));
}

TEST_F(OutputsTest, TheLastRunsOutputIsCheckedIfItExists) {
  Write({1, 2, 3, 4});
  const fs::path last = folder_.path() / "last_output_0.npy";
  ASSERT_EQ(::mkfifo(last.c_str(), 0600), 0);
  EXPECT_EQ(FindOutputFault(c_, folder_.path()), "last_output_0.npy is a pipe, not a file");
  fs::remove(last);
  fs::create_symlink("nowhere", last);
  EXPECT_THAT(FindOutputFault(c_, folder_.path()).value_or(""), HasSubstr("is a symbolic link"));
}

TEST_F(OutputsTest, ClearingRemovesTheLastRunsOutputToo) {
  ASSERT_TRUE(WriteFile(folder_.path() / "last_output_0.npy", "of an earlier execution"));
  ClearOutputs(c_, folder_.path());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(OutputsTest, ZeroIsAllBytesOfTheElements) {
  Write({0, 0, 0, 0});
  EXPECT_TRUE(IsAllZero(file_, c_.outputs[0]));
  Write({0, 0, 0, 1});
  EXPECT_FALSE(IsAllZero(file_, c_.outputs[0]));
  Write({0, 0, 0, -0.0f});
  EXPECT_FALSE(IsAllZero(file_, c_.outputs[0]));
}

}  // namespace
}  // namespace opbyop::harness
