// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/kept_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

class KeptFolderTest : public testing::Test {
 protected:
  TestFolder folder_;
  const fs::path kept_ = folder_.path() / "keep/add_2_f32_1a2b3c4d";
};

TEST_F(KeptFolderTest, AnAbsentFolderIsCreated) {
  ASSERT_TRUE(EmptyKeptFolder(kept_));
  EXPECT_TRUE(fs::is_directory(kept_));
}

TEST_F(KeptFolderTest, FilesOfAnEarlierRunAreRemoved) {
  ASSERT_TRUE(EmptyKeptFolder(kept_));
  ASSERT_TRUE(WriteFile(kept_ / "differential/output_0.npy", "old"));
  ASSERT_TRUE(EmptyKeptFolder(kept_));
  EXPECT_FALSE(fs::exists(kept_ / "differential"));
}

TEST_F(KeptFolderTest, OtherFilesAreKept) {
  ASSERT_TRUE(WriteFile(kept_ / "thesis.tex", "years of work"));
  const Expected<void> emptied = EmptyKeptFolder(kept_);
  ASSERT_FALSE(emptied);
  EXPECT_EQ(emptied.error().code, ExitCode::kUsage);
  EXPECT_THAT(emptied.error().message, testing::HasSubstr("has files that are not from a run"));
  EXPECT_TRUE(fs::exists(kept_ / "thesis.tex"));
}

TEST_F(KeptFolderTest, ALinkIsNotFollowed) {
  ASSERT_TRUE(EmptyKeptFolder(folder_.path() / "elsewhere"));
  fs::create_directory_symlink(folder_.path() / "elsewhere", folder_.path() / "link");
  EXPECT_FALSE(EmptyKeptFolder(folder_.path() / "link"));
}

}  // namespace
}  // namespace opbyop::harness
