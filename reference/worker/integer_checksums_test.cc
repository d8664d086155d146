// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/integer_checksums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "reference/tensor/counter_stream.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kRows = 70, kDepth = 20, kColumns = 45;

// A product of random numbers of the operands' type, as a right device computes it.
class IntegerChecksumsTest : public testing::Test {
 protected:
  void Multiply(ElementType operand, ElementType result) {
    result_ = result;
    const CounterStream stream(5);
    uint64_t drawn = 0;
    const auto random = [&](Shape shape) {
      Tensor t = Tensor::Make(operand, std::move(shape));
      for (int64_t& v : t.Mutable<int64_t>()) v = WrapInteger(Info(operand), stream.Bits(drawn++));
      return t;
    };
    x_ = {.lhs = random({kRows, kDepth}), .rhs = random({kDepth, kColumns})};
    x_.lhs_outer = OffsetsOf({kRows}, {kDepth});
    x_.lhs_inner = OffsetsOf({kDepth}, {1});
    x_.rhs_outer = OffsetsOf({kColumns}, {1});
    x_.rhs_inner = OffsetsOf({kDepth}, {kColumns});
    x_.row_places = OffsetsOf({kRows}, {kColumns});
    x_.column_places = OffsetsOf({kColumns}, {1});
    x_.blocks = {{0, 0, 0}};
    output_ = Tensor::Make(result, {kRows, kColumns});
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < kColumns; ++j) {
        uint64_t sum = 0;
        for (int64_t p = 0; p < kDepth; ++p) {
          sum += static_cast<uint64_t>(x_.lhs.IntegerAt(i * kDepth + p)) *
                 static_cast<uint64_t>(x_.rhs.IntegerAt(p * kColumns + j));
        }
        At(i, j) = WrapInteger(Info(result), sum);
      }
    }
  }

  int64_t& At(int64_t row, int64_t column) {
    return output_.Mutable<int64_t>()[static_cast<size_t>(row * kColumns + column)];
  }
  void Add(int64_t row, int64_t column, int64_t error) {
    At(row, column) = WrapInteger(Info(result_), static_cast<uint64_t>(At(row, column) + error));
  }

  std::vector<Suspicion> Wrong(const ChecksumRows& rows, int threads = 1) const {
    return WrongIntegerChecksums(x_, result_, TensorToBytes(output_).data(), rows, 3, threads);
  }

  Contraction x_;
  ElementType result_ = ElementType::kI32;
  Tensor output_;
};

TEST_F(IntegerChecksumsTest, ARightProductIsNeverWrong) {
  for (const auto& [operand, result] : {std::pair{ElementType::kI8, ElementType::kI32},
                                        {ElementType::kUi8, ElementType::kUi8},
                                        {ElementType::kI4, ElementType::kI8},
                                        {ElementType::kI32, ElementType::kI32},
                                        {ElementType::kI64, ElementType::kI64},
                                        {ElementType::kUi64, ElementType::kUi64},
                                        {ElementType::kI16, ElementType::kUi16}}) {
    Multiply(operand, result);
    for (const bool columns : {false, true}) {
      EXPECT_TRUE(Wrong({.count = 16, .columns = columns}).empty()) << NameOf(operand) << " " << NameOf(result);
      EXPECT_TRUE(Wrong({.count = 256, .columns = columns}, 3).empty()) << NameOf(operand) << " " << NameOf(result);
    }
  }
}

TEST_F(IntegerChecksumsTest, OneWrongElementIsFoundWhateverItsError) {
  for (const ElementType type : {ElementType::kI8, ElementType::kI32, ElementType::kI64, ElementType::kUi64}) {
    Multiply(type, type);
    const int width = Info(type).width;
    for (const uint64_t error : {uint64_t{1}, uint64_t{6}, uint64_t{1} << (width - 1)}) {
      Add(37, 11, static_cast<int64_t>(error));
      const std::vector<Suspicion> by_rows = Wrong({.count = 32});
      ASSERT_EQ(by_rows.size(), 1U) << NameOf(type) << " " << error;
      EXPECT_EQ(by_rows[0].first, 32);
      EXPECT_EQ(by_rows[0].across, 11);
      const std::vector<Suspicion> by_columns = Wrong({.count = 256, .columns = true}, 2);
      ASSERT_EQ(by_columns.size(), 1U);
      EXPECT_EQ(by_columns[0].first, 0);
      EXPECT_EQ(by_columns[0].across, 37);
      Add(37, 11, -static_cast<int64_t>(error));
    }
  }
}

TEST_F(IntegerChecksumsTest, ErrorsThatAddUpToZeroAreFound) {
  Multiply(ElementType::kI8, ElementType::kI32);
  Add(3, 7, 5);
  Add(9, 7, -5);
  EXPECT_EQ(Wrong({.count = 256}).size(), 1U);
}

TEST_F(IntegerChecksumsTest, TwoTopBitsAreFoundWhereSumsCannotWrap) {
  Multiply(ElementType::kI8, ElementType::kI32);
  Add(3, 7, int64_t{1} << 31);
  Add(9, 7, int64_t{1} << 31);
  EXPECT_EQ(Wrong({.count = 256}).size(), 1U);
  Multiply(ElementType::kI32, ElementType::kI32);
  Add(3, 7, int64_t{1} << 31);
  Add(9, 7, int64_t{1} << 31);
  EXPECT_TRUE(Wrong({.count = 256}).empty()) << "documented: the sum's upper bits are not known";
}

TEST(MayWrapTest, GoesByTheTypesAndTheNumberOfTerms) {
  EXPECT_FALSE(MayWrap(ElementType::kI8, ElementType::kI8, ElementType::kI32, 131071));
  EXPECT_TRUE(MayWrap(ElementType::kI8, ElementType::kI8, ElementType::kI32, 131072)) << "-128 times -128";
  EXPECT_TRUE(MayWrap(ElementType::kI8, ElementType::kUi8, ElementType::kUi32, 1)) << "negative sums";
  EXPECT_TRUE(MayWrap(ElementType::kI64, ElementType::kI64, ElementType::kI64, 1));
  EXPECT_FALSE(MayWrap(ElementType::kUi8, ElementType::kUi8, ElementType::kUi32, 65535));
}

}  // namespace
}  // namespace opbyop::reference
