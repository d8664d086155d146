// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/scratch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

size_t Entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ScratchTest, AFolderGoesWithItsOwner) {
  TestFolder root;
  const auto scratch = Scratch::Open({root.path()});
  ASSERT_TRUE(scratch);
  fs::path path;
  {
    Expected<ScratchDir> dir = (*scratch)->Make("add_2_f32_00000000", 100);
    ASSERT_TRUE(dir);
    path = dir->path();
    std::ofstream(path / "input_0.npy") << "x";
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchTest, NothingStays) {
  TestFolder root;
  std::optional<ScratchDir> kept;
  {
    auto scratch = Scratch::Open({root.path()});
    ASSERT_TRUE(scratch);
    Expected<ScratchDir> dir = (*scratch)->Make("a", 1);
    ASSERT_TRUE(dir);
  }
  EXPECT_EQ(Entries(root.path()), 0u);
}

TEST(ScratchTest, WhatDoesNotFitInMemoryGoesToTheNextRoot) {
  TestFolder memory, disk;
  const auto scratch = Scratch::Open({memory.path(), disk.path()});
  ASSERT_TRUE(scratch);
  const int64_t free = static_cast<int64_t>(fs::space(memory.path()).available);
  const Expected<ScratchDir> small = (*scratch)->Make("small", 10);
  const Expected<ScratchDir> large = (*scratch)->Make("large", free);
  EXPECT_TRUE(small->path().string().starts_with(memory.path().string()));
  EXPECT_TRUE(large->path().string().starts_with(disk.path().string()));
}

TEST(ScratchTest, FoldersOfTheDeadAreSweptThoseOfTheLivingAreNot) {
  TestFolder root;
  const auto living = Scratch::Open({root.path()});
  ASSERT_TRUE(living);
  if (const pid_t pid = ::fork(); pid == 0) {
    const auto dying = Scratch::Open({root.path()});
    ::_exit(dying ? 0 : 1);  // without clean-up, as a SIGKILL would
  } else {
    ::waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(Entries(root.path()), 2u);
  const auto next = Scratch::Open({root.path()});
  EXPECT_EQ(Entries(root.path()), 2u);
  EXPECT_TRUE(fs::exists((*living)->folders()[0]));
}

TEST(ScratchTest, ARootThatIsNotThereIsPassedOver) {
  TestFolder root;
  EXPECT_TRUE(Scratch::Open({"/no/such/root", root.path()}));
  EXPECT_FALSE(Scratch::Open({"/no/such/root"}));
}

}  // namespace
}  // namespace opbyop::harness
