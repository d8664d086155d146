// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/files/file.h"
#include "support/test_child.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

TEST(OutputFileTest, PiecesOfAnySizeAreWrittenInOrder) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "new" / "pieces.txt";
  auto file = OutputFile::Create(path);
  ASSERT_TRUE(file) << file.error().message;
  std::string expected;
  for (const size_t size : {1U, 70'000U, 0U, 65'536U, 3U, 40'000U, 40'000U}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    (*file)->Write(piece);
    expected += piece;
  }
  ASSERT_TRUE((*file)->Close());
  EXPECT_EQ(ReadFile(path).value_or(""), expected);
}

TEST(OutputFileTest, AFileThatIsNotClosedDoesNotAppear) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "half.txt";
  {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file) << file.error().message;
    (*file)->Write("half of it");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OutputFileTest, CloseReportsAFullDisk) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "full.txt";
  EXPECT_EQ(InChild([&] {
              ReportFullFilesAsErrors();
              LimitFileSize(10);
              auto file = OutputFile::Create(path);
              if (!file) return 1;
              (*file)->Write("more than there is room for");
              const Expected<void> closed = (*file)->Close();
              if (closed || closed.error().code != ExitCode::kNoInput) return 2;
              return closed.error().message.find(path.string()) == std::string::npos ? 3 : 0;
            }),
            0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(OutputFileTest, ALinkAtTheDraftsNameIsNotFollowed) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "out.txt";
  const std::filesystem::path victim = folder.path() / "victim";
  std::filesystem::create_symlink(victim, path.string() + ".part" + std::to_string(::getpid()));
  auto file = OutputFile::Create(path);
  ASSERT_TRUE(file) << file.error().message;
  (*file)->Write("text");
  ASSERT_TRUE((*file)->Close());
  EXPECT_FALSE(std::filesystem::exists(victim));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
}

TEST(OutputFileTest, ADeviceIsWrittenAndNotReplaced) {
  auto file = OutputFile::Create("/dev/full");
  ASSERT_TRUE(file);
  (*file)->Write("text");
  EXPECT_FALSE((*file)->Close());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace opbyop
