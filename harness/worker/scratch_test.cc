// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/scratch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "support/files/file.h"
#include "support/test_folder.h"
#include "support/test_user.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

size_t Entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ScratchTest, AFolderIsRemovedWithItsOwner) {
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

TEST(ScratchTest, AFolderThatDoesNotFitInMemoryGoesToTheNextRoot) {
  TestFolder memory, disk;
  const auto scratch = Scratch::Open({memory.path(), disk.path()});
  ASSERT_TRUE(scratch);
  const int64_t free = static_cast<int64_t>(fs::space(memory.path()).available);
  const Expected<ScratchDir> small = (*scratch)->Make("small", 10);
  const Expected<ScratchDir> large = (*scratch)->Make("large", free);
  EXPECT_TRUE(small->path().string().starts_with(memory.path().string()));
  EXPECT_TRUE(large->path().string().starts_with(disk.path().string()));
}

TEST(ScratchTest, FoldersOfDeadProcessesAreSweptThoseOfLivingOnesAreNot) {
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

TEST(ScratchTest, AMemoryThatIsTooSmallForAllIsNotUsed) {
  TestFolder memory, disk;
  const int64_t free = static_cast<int64_t>(fs::space(memory.path()).available);
  const auto scratch = Scratch::Open({memory.path(), disk.path()}, 2 * free);
  ASSERT_TRUE(scratch);
  EXPECT_EQ(Entries(memory.path()), 0u);
  const Expected<ScratchDir> dir = (*scratch)->Make("small", 10);
  EXPECT_TRUE(dir->path().string().starts_with(disk.path().string()));
}

TEST(ScratchTest, ARunThatCouldNotRemoveItsLockIsSwept) {
  TestFolder root;
  const fs::path left = root.path() / fmt::format("opbyop-{}-abcdef", ::getuid());
  fs::create_directories(left / "slot-0");
  const auto scratch = Scratch::Open({root.path()});
  EXPECT_FALSE(fs::exists(left));
}

// --- what workers do to the folders, run as a user for whom file modes apply

constexpr char kSlot[] = "slot-0";

class ScratchOfAUserTest : public testing::Test {
 protected:
  // Opens a scratch as an ordinary user and returns whether `attempt` succeeds.
  bool Holds(const std::function<bool(Scratch&, const fs::path& slot)>& attempt) {
    return AsOrdinaryUser(root_.path(), [&] {
      const auto scratch = Scratch::Open({root_.path()});
      if (!scratch) return false;
      return attempt(**scratch, (*scratch)->MakeSlot(kSlot).front());
    });
  }

  TestFolder root_;
};

TEST_F(ScratchOfAUserTest, ReadOnlyFoldersAreRemovedWithTheirCase) {
  EXPECT_TRUE(Holds([](Scratch& scratch, const fs::path& slot) {
    {
      const Expected<ScratchDir> dir = scratch.Make("a", 1, kSlot);
      if (!WriteFile(dir->path() / "cache/module/file", "x")) return false;
      ::chmod((dir->path() / "cache/module").c_str(), 0555);
      ::chmod((dir->path() / "cache").c_str(), 0);
    }
    return fs::is_empty(slot);
  }));
  EXPECT_EQ(Entries(root_.path()), 0u);
}

TEST_F(ScratchOfAUserTest, TheNextCaseStartsWhateverTheModesOfItsParentFolders) {
  EXPECT_TRUE(Holds([](Scratch& scratch, const fs::path& slot) {
    const fs::path temporary = scratch.MakeTemporary("tmp-target", kSlot);
    for (const fs::path& folder : {slot, slot.parent_path(), temporary}) {
      for (const mode_t mode : {0, 0555, 0644}) {
        ::chmod(folder.c_str(), mode);
        const Expected<ScratchDir> dir = scratch.Make("a", 1, kSlot);
        if (!dir || !WriteFile(dir->path() / "input_0.npy", "x") || !WriteFile(temporary / "file", "x")) return false;
      }
    }
    return true;
  }));
  EXPECT_EQ(Entries(root_.path()), 0u);
}

TEST_F(ScratchOfAUserTest, ARemovedTemporaryFolderIsCreatedAgain) {
  EXPECT_TRUE(Holds([](Scratch& scratch, const fs::path&) {
    const fs::path temporary = scratch.MakeTemporary("tmp-target", kSlot);
    fs::remove(temporary);
    if (!WriteFile(temporary, "a file in its place")) return false;
    const Expected<ScratchDir> dir = scratch.Make("a", 1, kSlot);
    return dir && WriteFile(temporary / "file", "x");
  }));
}

TEST_F(ScratchOfAUserTest, FilesNextToACasesFolderAreRemovedBeforeTheNextCase) {
  EXPECT_TRUE(Holds([](Scratch& scratch, const fs::path& slot) {
    const Expected<ScratchDir> first = scratch.Make("a", 1, kSlot);
    if (!WriteFile(slot / "left/file", "x") || !WriteFile(slot / "2-a", "the next one's name")) return false;
    const Expected<ScratchDir> second = scratch.Make("a", 1, kSlot);
    return second && Entries(slot) == 2 && fs::is_directory(first->path()) && fs::is_directory(second->path());
  }));
}

TEST_F(ScratchOfAUserTest, FilesOfAKilledRunAreSweptWhateverTheirModes) {
  EXPECT_TRUE(AsOrdinaryUser(root_.path(), [&] {
    const fs::path left = root_.path() / fmt::format("opbyop-{}-abcdef", ::getuid());
    if (!WriteFile(left / "lock", "") || !WriteFile(left / "slot-0/cache/file", "x")) return false;
    for (const char* name : {"lock", "slot-0/cache", "slot-0", ""}) ::chmod((left / name).c_str(), 0);
    const auto scratch = Scratch::Open({root_.path()});
    return !fs::exists(left);
  }));
}

}  // namespace
}  // namespace opbyop::harness
