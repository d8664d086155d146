// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/frame.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace opbyop::protocol {
namespace {

class FrameTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(fds_.data()), 0); }
  void TearDown() override {
    ::close(fds_[0]);
    CloseWriter();
  }
  void CloseWriter() {
    if (fds_[1] >= 0) ::close(fds_[1]);
    fds_[1] = -1;
  }
  std::array<int, 2> fds_ = {-1, -1};
};

TEST_F(FrameTest, PrefixIsLittleEndian) {
  ASSERT_TRUE(WriteFrame(fds_[1], std::string(258, 'x')));
  std::array<unsigned char, 4> prefix;
  ASSERT_EQ(::read(fds_[0], prefix.data(), 4), 4);
  EXPECT_EQ(prefix, (std::array<unsigned char, 4>{2, 1, 0, 0}));
}

TEST_F(FrameTest, AWrittenFrameIsReadBack) {
  ASSERT_TRUE(WriteFrame(fds_[1], "{\"a\":1}"));
  ASSERT_TRUE(WriteFrame(fds_[1], ""));
  CloseWriter();
  EXPECT_EQ(ReadFrame(fds_[0])->value(), "{\"a\":1}");
  EXPECT_EQ(ReadFrame(fds_[0])->value(), "");
  EXPECT_EQ(*ReadFrame(fds_[0]), std::nullopt);
}

TEST_F(FrameTest, AStreamCutWithinAFrameIsAnError) {
  ASSERT_EQ(::write(fds_[1], "\x08\0\0\0{", 5), 5);
  CloseWriter();
  const auto frame = ReadFrame(fds_[0]);
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().message.find("within a message"), std::string::npos);
}

TEST_F(FrameTest, AHugePrefixIsRefusedUnread) {
  ASSERT_EQ(::write(fds_[1], "\xff\xff\xff\xff", 4), 4);
  EXPECT_FALSE(ReadFrame(fds_[0]));
}

TEST(FrameReaderTest, GivesFramesHoweverTheBytesAreCut) {
  const std::string stream = std::string("\x02\0\0\0[]\x03\0\0\0", 10) + "[1]";
  FrameReader reader;
  std::string got;
  for (const char byte : stream) {
    reader.Append(std::string_view(&byte, 1));
    while (const auto frame = reader.Next()) got += *frame + ";";
  }
  EXPECT_EQ(got, "[];[1];");
  EXPECT_EQ(reader.pending(), 0u);
}

TEST(FrameReaderTest, ReportsAnUnfinishedFrameAndAHugeOne) {
  FrameReader reader;
  reader.Append(std::string_view("\x09\0\0\0{\"id\"", 9));
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_EQ(reader.pending(), 9u);
  FrameReader huge;
  huge.Append("\xff\xff\xff\x7f");
  EXPECT_EQ(huge.Next(), std::nullopt);
  EXPECT_TRUE(huge.broken());
  EXPECT_EQ(huge.broken_length(), 0x7fffffffu);
}

}  // namespace
}  // namespace opbyop::protocol
