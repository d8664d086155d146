// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/own_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <cstdint>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

mode_t ModeOf(const fs::path& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

class OwnFolderTest : public testing::Test {
 protected:
  TestFolder root_;
  const fs::path folder_ = root_.path() / "slot-0";
};

TEST_F(OwnFolderTest, AnAbsentFolderIsMade) {
  EXPECT_TRUE(RestoreFolder(folder_));
  EXPECT_EQ(ModeOf(folder_), mode_t{S_IFDIR | 0700});
}

TEST_F(OwnFolderTest, AnyModeBecomesThatOfItsOwner) {
  for (const mode_t mode : {0, 0555, 0644, 01777, 0777}) {
    RestoreFolder(folder_);
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    EXPECT_TRUE(RestoreFolder(folder_));
    EXPECT_EQ(ModeOf(folder_), mode_t{S_IFDIR | 0700}) << mode;
  }
}

TEST_F(OwnFolderTest, FilesInTheFolderStay) {
  ASSERT_TRUE(WriteFile(folder_ / "file", "x"));
  ::chmod(folder_.c_str(), 0);
  EXPECT_TRUE(RestoreFolder(folder_));
  EXPECT_TRUE(fs::exists(folder_ / "file"));
}

TEST_F(OwnFolderTest, AFileInItsPlaceIsReplaced) {
  ASSERT_TRUE(WriteFile(folder_, "x"));
  EXPECT_TRUE(RestoreFolder(folder_));
  EXPECT_TRUE(fs::is_directory(folder_));
}

TEST_F(OwnFolderTest, ALinkInItsPlaceIsReplacedAndNotFollowed) {
  const fs::path other = root_.path() / "other";
  fs::create_directory(other);
  ::chmod(other.c_str(), 0555);
  fs::create_directory_symlink(other, folder_);
  EXPECT_TRUE(RestoreFolder(folder_));
  EXPECT_EQ(ModeOf(folder_), mode_t{S_IFDIR | 0700});
  EXPECT_EQ(ModeOf(other), mode_t{S_IFDIR | 0555});
}

TEST_F(OwnFolderTest, TheDefaultAccessListIsRemoved) {
  struct Entry {
    uint16_t who, rights;
    uint32_t id;
  };
  struct {
    uint32_t version = 2;
    std::array<Entry, 3> entries = {{{1, 0, ~0u}, {4, 0, ~0u}, {32, 0, ~0u}}};  // no rights for anyone
  } list;
  RestoreFolder(folder_);
  if (::setxattr(folder_.c_str(), "system.posix_acl_default", &list, sizeof list, 0) != 0) {
    GTEST_SKIP() << "this file system has no access lists";
  }
  EXPECT_TRUE(RestoreFolder(folder_));
  ASSERT_TRUE(WriteFile(folder_ / "folder/file", "x"));
  EXPECT_NE(ModeOf(folder_ / "folder") & 0700, 0u);
}

TEST_F(OwnFolderTest, OpenToOwnerKeepsTheRightsOfOthers) {
  fs::create_directory(folder_);
  ::chmod(folder_.c_str(), 0055);
  GrantOwnerAccess(folder_);
  EXPECT_EQ(ModeOf(folder_), mode_t{S_IFDIR | 0755});
}

TEST_F(OwnFolderTest, OpenToOwnerLeavesALinkAlone) {
  const fs::path other = root_.path() / "other";
  fs::create_directory(other);
  ::chmod(other.c_str(), 0);
  fs::create_directory_symlink(other, folder_);
  GrantOwnerAccess(folder_);
  EXPECT_EQ(ModeOf(other), mode_t{S_IFDIR});
}

}  // namespace
}  // namespace opbyop::harness
