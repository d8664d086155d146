// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "support/files/special_file.h"
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

TEST(FileTest, AnEndlessFileIsRefused) { EXPECT_FALSE(ReadFile("/dev/zero", 1 << 20)); }

TEST(FileTest, OtherKindsOfFilesAreRefusedWithoutWaiting) {
  const TestFolder folder;
  const fs::path pipe = folder.path() / "pipe", link = folder.path() / "link", socket = folder.path() / "socket";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", link);
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::map<fs::path, std::string> what = {{pipe, "is a pipe, expected a file"},
                                                {link, "is a device, expected a file"},
                                                {socket, "is a socket, expected a file"},
                                                {folder.path(), "is a folder, expected a file"}};
  for (const auto& [path, text] : what) {
    for (const Error& error : {ReadFile(path).error(), OpenFile(path).error()}) {
      EXPECT_EQ(error.code, ExitCode::kNoInput);
      EXPECT_EQ(error.message, path.string() + ": " + text);
    }
  }
  ::close(fd);
}

TEST(FileTest, APipeThatTheCallerOpenedIsReadToItsEnd) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "a\nb", 3), 3);
  ::close(ends[1]);
  EXPECT_EQ(ReadFile("/dev/fd/" + std::to_string(ends[0])).value_or(""), "a\nb");
  ::close(ends[0]);
}

TEST(FileTest, LinesAreReadAsTheStandardLibraryReadsThem) {
  std::vector<std::string> lines;
  for (const size_t size : {0, 1, 16382, 16383, 16384, 16385, 32766, 32767, 40000}) lines.emplace_back(size, 'x');
  for (const bool ended : {true, false}) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    if (!ended) text.pop_back();
    std::istringstream ours(text), theirs(text);
    std::string a, b;
    while (true) {
      const bool more = ReadLine(ours, a);
      ASSERT_EQ(more, static_cast<bool>(std::getline(theirs, b)));
      EXPECT_EQ(ours.eof(), theirs.eof());
      if (!more) break;
      EXPECT_EQ(a, b);
    }
  }
}

TEST(FileTest, ALineLongerThanAnyIsNotReadWhole) {
  const TestFolder folder;
  ASSERT_TRUE(WriteFile(folder.path() / "terabyte", ""));
  fs::resize_file(folder.path() / "terabyte", uintmax_t{1} << 40);
  Expected<std::ifstream> file = OpenFile(folder.path() / "terabyte");
  ASSERT_TRUE(file);
  std::string line;
  ASSERT_TRUE(ReadLine(*file, line));
  EXPECT_GT(line.size(), kLongestLine);
  EXPECT_LT(line.size(), kLongestLine + (size_t{1} << 20));
}

TEST(FileTest, BytesThatCannotBeWrittenAreAnError) { EXPECT_EQ(WriteAll(-1, "bytes"), std::errc::bad_file_descriptor); }

TEST(FileTest, FolderIsNotAFile) { EXPECT_FALSE(ReadFile(testing::TempDir())); }

class LimitedFileTest : public testing::Test {
 protected:
  TestFolder folder_;
};

TEST_F(LimitedFileTest, AFileThatMayNotGrowIsAnErrorAndLeavesNoFile) {
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

TEST(FileTest, ALinkAtTheDraftsNameIsNotFollowed) {
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

TEST(FileTest, DevicesAndOpenFilesAreSpecial) {
  TestFolder folder;
  for (const char* path : {"/dev/full", "/dev/null", "/dev/stdout", "/proc/self/fd/1"})
    EXPECT_TRUE(IsSpecialFile(path)) << path;
  EXPECT_FALSE(IsSpecialFile(folder.path()));
  EXPECT_FALSE(IsSpecialFile(folder.path() / "absent"));
}

}  // namespace
}  // namespace opbyop
