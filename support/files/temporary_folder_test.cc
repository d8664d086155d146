// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolderTest, IsRemovedWithItsLastOwner) {
  fs::path path;
  {
    Expected<TemporaryFolder> folder = TemporaryFolder::Make("opbyop-test");
    ASSERT_TRUE(folder) << folder.error().message;
    path = folder->path();
    std::ofstream(path / "file") << "text";
    const TemporaryFolder owner = std::move(*folder);
    EXPECT_EQ(owner.path(), path);
    EXPECT_TRUE(fs::exists(path / "file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolderTest, AnErrorNamesTheFolderAndTheCause) {
  const TestFolder parent;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", (parent.path() / "absent").c_str(), 1);
  const Expected<TemporaryFolder> folder = TemporaryFolder::Make("opbyop-test");
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, testing::HasSubstr("temporary files can be made"));
  EXPECT_THAT(folder.error().message, testing::HasSubstr(": No"));
}

}  // namespace
}  // namespace opbyop
