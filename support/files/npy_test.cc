// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/npy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "support/files/file.h"

namespace opbyop {
namespace {

std::filesystem::path Temp(const char* name) { return std::filesystem::path(testing::TempDir()) / name; }

TEST(NpyTest, WrittenTensorIsReadBack) {
  const std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(WriteNpy(Temp("a.npy"), {{2, 3}, "f32"}, std::as_bytes(std::span(values))));
  const auto file = ReadNpy(Temp("a.npy"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->shape(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(file->descr(), "<f4");
  ASSERT_EQ(file->bytes().size(), sizeof values);
  EXPECT_EQ(std::memcmp(file->bytes().data(), values.data(), sizeof values), 0);
}

TEST(NpyTest, AMovedTensorOfManyBlocksIsReadBack) {
  std::vector<std::byte> bytes(size_t{200} << 20);
  for (size_t i = 0; i < bytes.size(); i += 4093) bytes[i] = static_cast<std::byte>(i % 251);
  const std::vector<std::byte> copy = bytes;
  const TensorType type{{static_cast<int64_t>(bytes.size())}, "i8"};
  ASSERT_TRUE(MoveToNpy(Temp("m.npy"), type, std::move(bytes)));
  const auto file = ReadNpy(Temp("m.npy"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(std::ranges::equal(file->bytes(), copy));
  std::filesystem::remove(Temp("m.npy"));
}

TEST(NpyTest, ATensorThatIsWrittenByBlocksIsReadBack) {
  const int64_t count = static_cast<int64_t>(kNpyBlock) + 100;
  size_t next = 0;
  ASSERT_TRUE(WriteNpyByBlocks(Temp("b.npy"), {{count}, "i16"}, [&](size_t first, std::span<std::byte> block) {
    EXPECT_EQ(first, next);
    next += block.size();
    for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>((first + i) % 251);
  }));
  const auto file = ReadNpy(Temp("b.npy"));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->bytes().size(), static_cast<size_t>(2 * count));
  for (size_t i = 0; i < file->bytes().size(); ++i) {
    ASSERT_EQ(file->bytes()[i], static_cast<std::byte>(i % 251)) << i;
  }
}

TEST(NpyTest, ScalarAndEmptyShapesAreKept) {
  const std::array<int64_t, 1> scalar = {7};
  ASSERT_TRUE(WriteNpy(Temp("s.npy"), {{}, "i64"}, std::as_bytes(std::span(scalar))));
  EXPECT_TRUE(ReadNpy(Temp("s.npy"))->shape().empty());
  ASSERT_TRUE(WriteNpy(Temp("e.npy"), {{0, 3}, "bf16"}, {}));
  EXPECT_EQ(ReadNpy(Temp("e.npy"))->shape(), (std::vector<int64_t>{0, 3}));
}

TEST(NpyTest, TruncationIsAnError) {
  const std::array<float, 6> values = {};
  ASSERT_TRUE(WriteNpy(Temp("t.npy"), {{6}, "f32"}, std::as_bytes(std::span(values))));
  const std::string whole = ReadFile(Temp("t.npy")).value();
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(WriteFile(Temp("cut.npy"), whole.substr(0, size)));
    EXPECT_FALSE(ReadNpy(Temp("cut.npy"))) << size;
  }
}

TEST(NpyTest, APipeIsRefusedAndNotWaitedFor) {
  const std::filesystem::path pipe = Temp("pipe.npy");
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto file = ReadNpy(pipe);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("not a regular file"), std::string::npos);
}

TEST(NpyTest, WrongSizeIsRefused) { EXPECT_FALSE(WriteNpy(Temp("w.npy"), {{2}, "f32"}, {})); }

}  // namespace
}  // namespace opbyop
