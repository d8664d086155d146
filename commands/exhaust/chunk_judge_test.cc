// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "commands/exhaust/device_fixture.h"

namespace opbyop::exhaustive {
namespace {

using reference::ElementType;

class ChunkJudgeTest : public testing::Test {
 protected:
  void Take(const std::string& pattern, ElementType type) {
    function_ = FunctionOf(pattern, type);
    Expected<std::unique_ptr<ChunkJudge>> judge = ChunkJudge::Make(function_);
    ASSERT_TRUE(judge) << judge.error().message;
    judge_ = std::move(*judge);
  }
  void Draw(uint64_t first, int64_t count) {
    chunk_ = judge_->Draw(first, count);
    output_ = RightOutput(function_, chunk_.input);
  }
  Tally Judge(bool flushes = false) {
    const Arithmetic declared{.flushes = {.operands = flushes, .results = flushes}};
    const Expected<Tally> tally = judge_->Judge(chunk_, output_, declared);
    EXPECT_TRUE(tally) << tally.error().message;
    return tally ? *tally : Tally();
  }
  void PutF32(size_t i, float value) { std::memcpy(output_.data() + 4 * i, &value, 4); }

  Function function_;
  std::unique_ptr<ChunkJudge> judge_;
  Chunk chunk_;
  std::vector<std::byte> output_;
};

TEST_F(ChunkJudgeTest, RightResultsHaveNoMismatch) {
  for (const char* op : {"tanh", "exponential", "abs", "is_finite", "convert:i8", "convert:bf16", "chlo.lgamma",
                         "bitcast_convert:i32", "reduce_precision:e5m10"}) {
    Take(op, ElementType::kF32);
    for (const uint64_t first : {0U, 0x3F80'0000U, 0x7F80'0000U, 0x8000'0000U, 0xFFFF'0000U}) {
      Draw(first, 1 << 15);
      const Tally tally = Judge();
      EXPECT_EQ(tally.mismatches, 0) << op << " " << first;
      EXPECT_EQ(tally.values + tally.open, 1 << 15) << op;
      EXPECT_EQ(tally.max_ulp, 0) << op;
    }
  }
}

TEST_F(ChunkJudgeTest, EveryTypeOfAtMost16BitsIsRightAsAWhole) {
  for (const ElementType type : {ElementType::kI1, ElementType::kI4, ElementType::kUi8, ElementType::kI16,
                                 ElementType::kF4E2M1Fn, ElementType::kF8E4M3Fn, ElementType::kF8E8M0Fnu}) {
    for (const Function& function : AllFunctions(type)) {
      Take(function.Spelling(), type);
      Draw(0, static_cast<int64_t>(function_.Values()));
      const Tally tally = Judge();
      EXPECT_EQ(tally.mismatches, 0) << function.Name();
      EXPECT_EQ(tally.values + tally.open, static_cast<int64_t>(function_.Values())) << function.Name();
    }
  }
}

TEST_F(ChunkJudgeTest, TheInputIsTheBitPatternsInOrder) {
  Take("abs", ElementType::kF32);
  Draw(0xFFC0'0000, 64);
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t code = 0;
    std::memcpy(&code, chunk_.input.bytes.data() + 4 * i, 4);
    EXPECT_EQ(code, 0xFFC0'0000 + i);
  }
  EXPECT_EQ(chunk_.open, 0);
}

TEST_F(ChunkJudgeTest, OneWrongValueIsNamedByItsBits) {
  Take("tanh", ElementType::kF32);
  Draw(0x3F80'0000, 1 << 16);
  PutF32(40000, 7);
  PutF32(50000, 0.5);
  const Tally tally = Judge();
  EXPECT_EQ(tally.mismatches, 2);
  ASSERT_TRUE(tally.first);
  EXPECT_EQ(tally.first->code, 0x3F80'0000U + 40000);
  EXPECT_EQ(tally.first->got, "7");
  ASSERT_EQ(tally.worst.size(), 2U);
  EXPECT_EQ(tally.worst.front().code, 0x3F80'0000U + 40000);
}

TEST_F(ChunkJudgeTest, ErrorsWithinTheBoundAreMeasured) {
  Take("exponential", ElementType::kF32);
  Draw(0x3F80'0000, 1 << 15);
  PutF32(0, std::nextafterf(std::nextafterf(std::exp(1.0F), 9), 9));
  Tally tally = Judge();
  EXPECT_EQ(tally.mismatches, 0);
  EXPECT_EQ(tally.max_ulp, 2);
  EXPECT_NEAR(tally.bound_ratio, 2.0 / 3, 1e-12);
  EXPECT_EQ(tally.rule, "ulp<=3");
  // The same if another value of the block makes the whole comparison necessary.
  PutF32(9, 1);
  tally = Judge();
  EXPECT_EQ(tally.mismatches, 1);
  EXPECT_GT(tally.max_ulp, 1000);
}

TEST_F(ChunkJudgeTest, ANanOrAnInfinityInsteadOfANumberIsCounted) {
  Take("sqrt", ElementType::kF32);
  Draw(0x3F80'0000, 1 << 15);
  PutF32(1, std::nanf(""));
  PutF32(2, INFINITY);
  const Tally tally = Judge();
  EXPECT_EQ(tally.mismatches, 2);
  EXPECT_EQ(tally.nan_mismatches, 1);
  EXPECT_EQ(tally.inf_mismatches, 1);
}

TEST_F(ChunkJudgeTest, TheSignOfZeroCountsIfTheFunctionIsExact) {
  Take("floor", ElementType::kF32);
  Draw(0x8000'0000, 1 << 15);
  PutF32(0, 0.0F);
  const Tally tally = Judge();
  EXPECT_EQ(tally.mismatches, 1);
  EXPECT_EQ(tally.first->code, 0x8000'0000U);
}

TEST_F(ChunkJudgeTest, SubnormalResultsMayBeZeroOfADeviceThatDeclaresIt) {
  Take("abs", ElementType::kF32);
  Take("sqrt", ElementType::kF32);
  Draw(0, 1 << 15);
  for (size_t i = 0; i < 1 << 15; ++i) PutF32(i, 0);
  EXPECT_EQ(Judge(true).mismatches, 0);
  EXPECT_EQ(Judge(false).mismatches, (1 << 15) - 1);
  PutF32(5, 3);
  EXPECT_EQ(Judge(true).mismatches, 1);
  EXPECT_EQ(Judge(true).first->code, 5U);
}

TEST_F(ChunkJudgeTest, ResultsThatTheSpecificationLeavesOpenAreNotJudged) {
  Take("convert:i8", ElementType::kF32);
  Draw(std::bit_cast<uint32_t>(127.0F), 1 << 15);
  EXPECT_EQ(chunk_.open, (1 << 15) - 1);
  for (size_t i = 1; i < output_.size(); ++i) output_[i] = std::byte{99};
  EXPECT_EQ(Judge().mismatches, 0);
  EXPECT_EQ(Judge().values, 1);
  output_[0] = std::byte{99};
  EXPECT_EQ(Judge().mismatches, 1);
}

TEST_F(ChunkJudgeTest, BytesThatAreNoBooleansAreMismatches) {
  Take("is_finite", ElementType::kF32);
  Draw(0x3F80'0000, 1 << 15);
  output_[7] = std::byte{2};
  EXPECT_GE(Judge().mismatches, 1);
}

TEST_F(ChunkJudgeTest, AnOutputOfAnotherLengthIsAnError) {
  Take("sqrt", ElementType::kF32);
  Draw(0x3F80'0000, 1 << 15);
  output_.pop_back();
  EXPECT_FALSE(judge_->Judge(chunk_, output_, {}));
}

}  // namespace
}  // namespace opbyop::exhaustive
