// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "support/special_file.h"
#include "support/test_child.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

TEST(FileTest, WrittenBytesAreReadBack) {
  const fs::path path = fs::path(testing::TempDir()) / "file_test" / "deep" / "a.bin";
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(WriteFile(path, bytes));
  EXPECT_EQ(ReadFile(path).value(), bytes);
}

TEST(FileTest, NoDraftIsLeftBehind) {
  const fs::path folder = fs::path(testing::TempDir()) / "file_test_draft";
  ASSERT_TRUE(WriteFile(folder / "a", "x"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST(FileTest, AbsentFileIsNamedInTheError) {
  const auto read = ReadFile("no/such/file.mlir");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ExitCode::kNoInput);
  EXPECT_NE(read.error().message.find("no/such/file.mlir"), std::string::npos);
}

TEST(FileTest, AFileLongerThanAllowedIsRefusedBeforeItIsRead) {
  const TestFolder folder;
  const std::filesystem::path path = folder.path() / "terabyte";
  ASSERT_TRUE(WriteFile(path, ""));
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  const Expected<std::string> text = ReadFile(path);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ExitCode::kNoInput);
  EXPECT_NE(text.error().message.find("terabyte: is longer than 4294967296 bytes"), std::string::npos);
}

TEST(FileTest, AFileWithoutEndIsGivenUp) { EXPECT_FALSE(ReadFile("/dev/zero", 1 << 20)); }

TEST(FileTest, ADeviceIsNoRegularFile) {
  const Expected<std::string> text = ReadRegularFile("/dev/zero");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("is a pipe or a device"), std::string::npos);
}

TEST(FileTest, BytesThatNobodyTakesAreAnError) { EXPECT_EQ(WriteAll(-1, "bytes"), std::errc::bad_file_descriptor); }

TEST(FileTest, FolderIsNotAFile) { EXPECT_FALSE(ReadFile(testing::TempDir())); }

class LimitedFileTest : public testing::Test {
 protected:
  TestFolder folder_;
};

TEST_F(LimitedFileTest, AFileThatMayNotGrowIsAnErrorAndNothingIsLeft) {
  const std::filesystem::path file = folder_.path() / "a";
  const int code = InChild([&] {
    ReportFullFilesAsErrors();
    LimitFileSize(100);
    const Expected<void> written = WriteFileDurably(file, std::string(1000, 'x'));
    return !written && written.error().code == ExitCode::kNoInput ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(LimitedFileTest, AFailedWriteLeavesTheOldFile) {
  const std::filesystem::path file = folder_.path() / "a";
  ASSERT_TRUE(WriteFileDurably(file, "old"));
  const int code = InChild([&] {
    ReportFullFilesAsErrors();
    LimitFileSize(100);
    return WriteFileDurably(file, std::string(1000, 'x')) ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(*ReadFile(file), "old");
}

TEST(FileTest, ALinkWhereTheDraftIsWrittenIsNotFollowed) {
  TestFolder folder;
  std::ofstream(folder.path() / "victim") << "mine";
  const std::string draft = fmt::format("{}.{}.tmp", (folder.path() / "out").string(), ::getpid());
  std::filesystem::create_symlink(folder.path() / "victim", draft);
  ASSERT_TRUE(WriteFile(folder.path() / "out", "new"));
  EXPECT_EQ(ReadFile(folder.path() / "victim").value_or(""), "mine");
  EXPECT_EQ(ReadFile(folder.path() / "out").value_or(""), "new");
}

TEST(FileTest, ADeviceIsWrittenAndNotReplaced) {
  EXPECT_TRUE(WriteFile("/dev/null", "text"));
  const auto full = WriteFile("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ExitCode::kNoInput);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(FileTest, WhatNoFileCouldReplaceIsSpecial) {
  TestFolder folder;
  for (const char* path : {"/dev/full", "/dev/null", "/dev/stdout", "/proc/self/fd/1"})
    EXPECT_TRUE(IsSpecialFile(path)) << path;
  EXPECT_FALSE(IsSpecialFile(folder.path()));
  EXPECT_FALSE(IsSpecialFile(folder.path() / "absent"));
}

}  // namespace
}  // namespace opbyop
