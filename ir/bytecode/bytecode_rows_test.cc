// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_rows.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ir/bytecode/bytecode_edit.h"

namespace opbyop {
namespace {

std::string Bytes(std::initializer_list<int> numbers) {
  std::string bytes;
  for (const int number : numbers) bytes += static_cast<char>(number);
  return bytes;
}

TEST(BytecodeRows, AddsMissingAttributes) {
  EXPECT_EQ(CurrentRow("chlo.top_k", 6, Bytes({0x0d})), Bytes({0x01, 0x0d}));
  EXPECT_EQ(CurrentRow("stablehlo.collective_broadcast", 5, Bytes({0x0d, 0x0f})), Bytes({0x0d, 0x01, 0x0f}));
  EXPECT_EQ(CurrentRow("stablehlo.dot_general", 6, Bytes({0x0d, 0x0b})), Bytes({0x01, 0x0d, 0x0b}));
  EXPECT_EQ(CurrentRow("stablehlo.send", 6, Bytes({0x07, 0x07})), Bytes({0x07, 0x07, 0x01}));
  // A number may take two bytes.
  EXPECT_EQ(CurrentRow("sdy.all_reduce", 6, Bytes({0x32, 0x02, 0x0b})), Bytes({0x32, 0x02, 0x0b, 0x01}));
}

TEST(BytecodeRows, LeavesCurrentAndUnknownRowsUnchanged) {
  EXPECT_EQ(CurrentRow("chlo.top_k", 6, Bytes({0x01, 0x0d})), std::nullopt);
  EXPECT_EQ(CurrentRow("stablehlo.iota", 6, Bytes({0x0d})), std::nullopt);
  EXPECT_EQ(CurrentRow("stablehlo.dot_general", 6, Bytes({0x01, 0x0d, 0x0b})), std::nullopt);
  EXPECT_EQ(CurrentRow("chlo.top_k", 6, ""), std::nullopt);
  // This row is cut off inside a number.
  EXPECT_EQ(CurrentRow("chlo.top_k", 6, Bytes({0x02})), std::nullopt);
}

TEST(BytecodeRows, RecognisesOlderScansByTheirSegments) {
  const std::string segments = Bytes({0x09, 0x03, 0x03, 0x09, 0x03, 0x03});
  const std::string before = Bytes({0x05, 0x01, 0x01});
  EXPECT_EQ(CurrentRow("chlo.scan", 6, before + segments), before + Bytes({0x01}) + segments);
  EXPECT_EQ(CurrentRow("chlo.scan", 6, before + Bytes({0x01}) + segments), std::nullopt);
  EXPECT_EQ(CurrentRow("chlo.scan", 6, before + Bytes({0x13}) + segments), std::nullopt);
  // These segments could also be read from the second number on.
  const std::string ambiguous = Bytes({0x09, 0x05, 0x03, 0x09, 0x03, 0x03});
  EXPECT_EQ(CurrentRow("chlo.scan", 6, before + ambiguous), before + Bytes({0x01}) + ambiguous);
  EXPECT_EQ(CurrentRow("chlo.scan", 5, before + Bytes({0x07, 0x09})), before + Bytes({0x07, 0x09, 0x01}));
  EXPECT_EQ(CurrentRow("chlo.scan", 5, before + Bytes({0x07, 0x09, 0x01})), std::nullopt);
}

TEST(BytecodeRows, AddsBatchingDimensionsToGatherAndScatter) {
  EXPECT_EQ(CurrentAttribute("stablehlo", Bytes({0x0f, 0x05, 0x05, 0x09, 0x03, 0x0d, 0x03, 0x19, 0x1d})),
            Bytes({0x0f, 0x05, 0x05, 0x09, 0x03, 0x0d, 0x01, 0x01, 0x03, 0x19, 0x1d}));
  EXPECT_EQ(CurrentAttribute("stablehlo", Bytes({0x17, 0x01, 0x01, 0x01, 0x1d})),
            Bytes({0x17, 0x01, 0x01, 0x01, 0x01, 0x01, 0x1d}));
  EXPECT_EQ(CurrentAttribute("stablehlo", Bytes({0x0f, 0x01, 0x01, 0x01, 0x01, 0x01, 0x1d})), std::nullopt);
  EXPECT_EQ(CurrentAttribute("stablehlo", Bytes({0x0f, 0x01, 0x01, 0x01})), std::nullopt);
  EXPECT_EQ(CurrentAttribute("vhlo", Bytes({0x0f, 0x01, 0x01, 0x01, 0x1d})), std::nullopt);
}

TEST(BytecodeRows, SpellsSmallFloats) {
  EXPECT_EQ(TextOfType("builtin", Bytes({0x31})), std::string("f8E4M3FN\0", 9));
  EXPECT_EQ(TextOfType("builtin", Bytes({0x2b})), std::string("tf32\0", 5));
  EXPECT_EQ(TextOfType("builtin", Bytes({0x41})), std::string("f8E8M0FNU\0", 10));
  EXPECT_EQ(TextOfType("builtin", Bytes({0x43})), std::nullopt);
  EXPECT_EQ(TextOfType("builtin", Bytes({0x0b})), std::nullopt);
  EXPECT_EQ(TextOfType("stablehlo", Bytes({0x31})), std::nullopt);
}

TEST(BytecodeEdit, WrittenNumbersReadBack) {
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128}, uint64_t{140}, uint64_t{16383}, uint64_t{16384},
        uint64_t{1} << 55, (uint64_t{1} << 56) - 1, uint64_t{1} << 56, ~uint64_t{0}}) {
    const std::string text = VarInt(number);
    BytecodeCursor cursor(text);
    EXPECT_EQ(cursor.VarInt(), number);
    EXPECT_TRUE(cursor.empty()) << number;
  }
  EXPECT_EQ(VarInt(140), Bytes({0x32, 0x02}));
}

TEST(BytecodeEdit, UpdatesTheSizesOfSections) {
  // A section of kind 4 that contains a section of kind 4 with two bytes. An aligned section follows it.
  const std::string file = Bytes({'M', 'L', 4, 11, 1, 4, 5, 'a', 'b', 0x85, 3, 0x11, 0xCB, 0xCB, 0xCB, 0xCB, 'z'});
  BytecodeEdit edit(file);
  BytecodeCursor cursor(std::string_view(file).substr(2));
  const auto outer = ReadSection(cursor, file);
  const auto aligned = ReadSection(cursor, file);
  ASSERT_TRUE(outer && aligned && cursor.empty());
  EXPECT_EQ(aligned->alignment, 8U);
  BytecodeCursor inside(outer->bytes.substr(1));
  const auto inner = ReadSection(inside, file);
  ASSERT_TRUE(inner);
  EXPECT_FALSE(edit.is_changed());
  edit.AddSection(*aligned);
  edit.AddSection(*outer);
  edit.AddSection(*inner);
  edit.Replace(inner->bytes.substr(1), "xyz");
  const auto bytes = edit.Take();
  ASSERT_TRUE(bytes);
  std::string expected = Bytes({'M', 'L', 4, 15, 1, 4, 9, 'a', 'x', 'y', 'z', 0x85, 3, 0x11, 0xCB, 0xCB, 'z'});
  EXPECT_EQ(*bytes, expected);
}

}  // namespace
}  // namespace opbyop
