// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/divided_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace opbyop::pjrt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A field of bytes of a protocol buffer.
std::string FieldOf(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}

std::string Wire(std::string_view text) { return std::string(text); }

// XLA wrote this for a product of bf16, [4, 8] by [8, 2], on eight devices that divide the columns of the first operand.
// The program has two results.
std::string Module() {
  using namespace std::string_view_literals;
  const std::string first = Wire("\x10\x10\x1a\x02\x04\x01"sv), second = Wire("\x10\x10\x1a\x02\x02\x02"sv);
  const std::string columns = Wire("\x08\x03\x1a\x02\x01\x08\x4a\x01\x08\x52\x01\x00"sv);
  const std::string rows = Wire("\x08\x03\x1a\x03\x04\x01\x02\x30\x01\x4a\x02\x02\x04\x52\x02\x01\x00"sv);
  const std::string result = Wire("\x10\x0d"sv) + FieldOf(4, Wire("\x10\x10\x1a\x02\x04\x02"sv)) + FieldOf(4, first);
  return FieldOf(1, "jit_f") + FieldOf(4, FieldOf(1, first) + FieldOf(1, second) + FieldOf(2, result)) +
         FieldOf(12, Wire("\x08\x02"sv) + FieldOf(5, "") + FieldOf(5, columns)) + FieldOf(14, columns) +
         FieldOf(14, rows);
}

TEST(DividedProgramTest, EachTensorHasTheShapeOfAPartAndItsSharding) {
  for (const Program& program : {Program{"hlo", Module()}, Program{"hlo_with_config", FieldOf(1, Module())}}) {
    const Expected<DividedProgram> divided = ReadDividedProgram(program);
    ASSERT_TRUE(divided) << divided.error().message;
    ASSERT_EQ(divided->arguments.size(), 2U);
    EXPECT_THAT(divided->arguments[0].shape, ElementsAre(4, 1));
    EXPECT_EQ(divided->arguments[0].sharding, "{devices=[1,8]<=[8]}");
    EXPECT_THAT(divided->arguments[1].shape, ElementsAre(2, 2));
    EXPECT_EQ(divided->arguments[1].sharding, "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
    ASSERT_EQ(divided->results.size(), 2U);
    EXPECT_THAT(divided->results[0].shape, ElementsAre(4, 2));
    EXPECT_EQ(divided->results[0].sharding, "{replicated}");
    EXPECT_EQ(divided->results[1].sharding, "{devices=[1,8]<=[8]}");
  }
}

TEST(DividedProgramTest, AProgramWithoutShardingsHasShapes) {
  const Expected<DividedProgram> divided = ReadDividedProgram({"hlo", FieldOf(4, FieldOf(1, "") + FieldOf(2, ""))});
  ASSERT_TRUE(divided);
  ASSERT_EQ(divided->arguments.size(), 1U);
  EXPECT_THAT(divided->arguments[0].shape, IsEmpty());
  EXPECT_EQ(divided->arguments[0].sharding, "");
}

TEST(DividedProgramTest, WhatIsNotHloIsUnsupported) {
  for (const Program& program :
       {Program{"mlir", "module {}"}, Program{"hlo", FieldOf(1, "f")}, Program{"hlo_with_config", ""}}) {
    const Expected<DividedProgram> divided = ReadDividedProgram(program);
    ASSERT_FALSE(divided) << program.format;
    EXPECT_EQ(divided.error().code, ExitCode::kUnsupported);
  }
}

TEST(DividedProgramTest, DamagedBytesAreAnError) {
  const std::string whole = Module();
  for (size_t size = 1; size < whole.size(); ++size) {
    const Expected<DividedProgram> divided = ReadDividedProgram({"hlo", whole.substr(0, size)});
    if (!divided) EXPECT_THAT(divided.error().message, HasSubstr("optimized program"));
  }
  EXPECT_FALSE(ReadDividedProgram({"hlo", whole.substr(0, whole.size() - 1)}));
}

}  // namespace
}  // namespace opbyop::pjrt
