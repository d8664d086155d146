// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/file_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/test_child.h"
#include "support/test_folder.h"
#include "support/test_user.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

constexpr int kDeep = 2000;

void Write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }

// Creates a chain of `depth` folders below `top`, with a file of three bytes in each.
void Nest(const fs::path& top, int depth, const std::string& name) {
  fs::create_directories(top);
  int fd = ::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < depth; ++i) {
    const int file = ::openat(fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::write(file, "abc", 3), 3);
    ::close(file);
    ASSERT_EQ(::mkdirat(fd, name.c_str(), 0700), 0);
    const int below = ::openat(fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_GE(below, 0);
    ::close(fd);
    fd = below;
  }
  ::close(fd);
}

int64_t MostResidentKb() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Limits the descriptors of this process during its lifetime.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few = {most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(RemoveTreeTest, RemovesFilesAndFolders) {
  TestFolder folder;
  fs::create_directories(folder.path() / "top/a/b");
  Write(folder.path() / "top/a/file", "x");
  Write(folder.path() / "top/file", "x");
  ASSERT_TRUE(RemoveTree(folder.path() / "top"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, AnAbsentFolderAndAFileAreNoError) {
  TestFolder folder;
  EXPECT_TRUE(RemoveTree(folder.path() / "absent"));
  Write(folder.path() / "file", "x");
  EXPECT_TRUE(RemoveTree(folder.path() / "file"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, DeepFoldersTakeNeitherMemoryNorDescriptors) {
  TestFolder folder;
  Nest(folder.path() / "top", kDeep, std::string(200, 'd'));
  const int64_t before = MostResidentKb();
  {
    const FewDescriptors few(32);
    const Expected<void> done = RemoveTree(folder.path() / "top");
    ASSERT_TRUE(done) << done.error().message;
  }
  EXPECT_LT(MostResidentKb() - before, 16 << 10);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, WorksWithFewFreeDescriptors) {
  TestFolder folder;
  Nest(folder.path() / "top", 100, "d");
  int last = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(last);
  Expected<void> done;
  {
    const FewDescriptors few(static_cast<rlim_t>(last) + 3);
    done = RemoveTree(folder.path() / "top");
  }
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, WideAndDeepTreesAreRemovedCompletely) {
  TestFolder folder;
  for (int i = 0; i < 30; ++i) Nest(folder.path() / "top" / std::to_string(i), 30, std::to_string(i));
  ASSERT_TRUE(RemoveTree(folder.path() / "top"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, NamesThatExistInTheTopFolderDoNotStopIt) {
  TestFolder folder;
  Nest(folder.path() / "top", 40, "d");
  for (int i = 0; i < 50; ++i) Write(folder.path() / "top" / std::to_string(i), "x");
  ASSERT_TRUE(RemoveTree(folder.path() / "top"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, FoldersThatTheirOwnerMayNotReadAreRemoved) {
  TestFolder folder;
  const fs::path top = folder.path() / "top";
  for (const mode_t mode : {0000U, 0111U, 0333U, 0444U, 0500U, 0555U}) {
    const fs::path closed = top / std::to_string(mode);
    fs::create_directories(closed / "below/deeper");
    Write(closed / "file", "x");
    Write(closed / "below/file", "x");
    ASSERT_EQ(::chmod((closed / "below/deeper").c_str(), mode), 0);
    ASSERT_EQ(::chmod((closed / "below").c_str(), mode), 0);
    ASSERT_EQ(::chmod(closed.c_str(), mode), 0);
  }
  ASSERT_EQ(::chmod(top.c_str(), 0555), 0);
  const Expected<void> done = RemoveTree(top);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RemoveTreeTest, LinksAreRemovedAndTheirTargetsKept) {
  TestFolder folder;
  fs::create_directories(folder.path() / "kept");
  Write(folder.path() / "kept/file", "x");
  ASSERT_EQ(::chmod((folder.path() / "kept").c_str(), 0555), 0);
  fs::create_directories(folder.path() / "top/a");
  fs::create_directory_symlink(folder.path() / "kept", folder.path() / "top/a/link");
  fs::create_directory_symlink("..", folder.path() / "top/a/up");
  fs::create_directory_symlink(folder.path() / "top", folder.path() / "alias");
  ASSERT_TRUE(RemoveTree(folder.path() / "alias"));
  EXPECT_TRUE(fs::exists(folder.path() / "top/a"));
  ASSERT_TRUE(RemoveTree(folder.path() / "top"));
  EXPECT_TRUE(fs::exists(folder.path() / "kept/file"));
  EXPECT_EQ(fs::status(folder.path() / "kept").permissions(), static_cast<fs::perms>(0555));
  ::chmod((folder.path() / "kept").c_str(), 0755);
}

TEST(RemoveTreeTest, MountsBelowAreNotEntered) {
  TestFolder folder;
  fs::create_directories(folder.path() / "outside");
  Write(folder.path() / "outside/file", "x");
  fs::create_directories(folder.path() / "top/mounted");
  Write(folder.path() / "top/file", "x");
  constexpr int kMayNot = 77;
  const int code = InChild([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount((folder.path() / "outside").c_str(), (folder.path() / "top/mounted").c_str(), nullptr, MS_BIND,
                nullptr) != 0) {
      return kMayNot;
    }
    const Expected<void> done = RemoveTree(folder.path() / "top");
    return !done && done.error().message.find("`mounted`") != std::string::npos ? 0 : 1;
  });
  if (code == kMayNot) GTEST_SKIP() << "this process may not mount a file system";
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(fs::exists(folder.path() / "outside/file"));
  EXPECT_FALSE(fs::exists(folder.path() / "top/file"));
}

TEST(VisitTreeTest, SeesEveryFileOfADeepTreeOnce) {
  TestFolder folder;
  Nest(folder.path() / "top", kDeep, std::string(200, 'd'));
  Nest(folder.path() / "top/beside", 10, "d");
  const int64_t before = MostResidentKb();
  int64_t bytes = 0;
  {
    const FewDescriptors few(32);
    EXPECT_TRUE(VisitTree(folder.path() / "top", [&](const struct stat& file) {
      bytes += file.st_size;
      return true;
    }));
  }
  EXPECT_EQ(bytes, 3 * (kDeep + 10));
  EXPECT_LT(MostResidentKb() - before, 16 << 10);
  ASSERT_TRUE(RemoveTree(folder.path() / "top"));
}

TEST(VisitTreeTest, EndsIfTheVisitorReturnsFalse) {
  TestFolder folder;
  Nest(folder.path() / "top", 10, "d");
  int files = 0;
  EXPECT_FALSE(VisitTree(folder.path() / "top", [&](const struct stat&) { return ++files < 4; }));
  EXPECT_EQ(files, 4);
}

TEST(VisitTreeTest, FoldersThatTheirOwnerMayNotReadAreVisited) {
  TestFolder folder;
  EXPECT_TRUE(AsOrdinaryUser(folder.path(), [&] {
    Nest(folder.path() / "top", 3, "d");
    fs::permissions(folder.path() / "top/d", fs::perms::none);
    fs::permissions(folder.path() / "top", fs::perms::none);
    int files = 0;
    VisitTree(folder.path() / "top", [&](const struct stat&) { return ++files > 0; });
    return files == 3;
  }));
}

TEST(VisitTreeTest, LinksAreSeenAndNotFollowed) {
  TestFolder folder;
  fs::create_directories(folder.path() / "a");
  fs::create_directory_symlink("..", folder.path() / "a/up");
  int links = 0;
  EXPECT_TRUE(VisitTree(folder.path(), [&](const struct stat& file) {
    links += S_ISLNK(file.st_mode) ? 1 : 0;
    return true;
  }));
  EXPECT_EQ(links, 1);
}

}  // namespace
}  // namespace opbyop
