// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/product_checksums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace opbyop::reference {
namespace {

// The product of a matrix of ones, `m` x `k`, and another, `k` x `n`: each element is k.
class ProductChecksumsTest : public testing::Test {
 protected:
  void Multiply(int64_t m, int64_t k, int64_t n) {
    const auto ones = [](Shape shape) {
      Tensor t = Tensor::Zeros(ElementType::kF32, std::move(shape));
      for (double& v : t.Mutable<double>()) v = 1;
      return t;
    };
    x_ = {.lhs = ones({m, k}), .rhs = ones({k, n})};
    x_.lhs_outer = OffsetsOf({m}, {k});
    x_.lhs_inner = OffsetsOf({k}, {1});
    x_.rhs_outer = OffsetsOf({n}, {1});
    x_.rhs_inner = OffsetsOf({k}, {n});
    x_.row_places = OffsetsOf({m}, {n});
    x_.column_places = OffsetsOf({n}, {1});
    x_.blocks = {{0, 0, 0}};
    output_.assign(static_cast<size_t>(m * n), static_cast<double>(k));
  }

  std::vector<Suspicion> Suspicions(const ChecksumRows& rows) const {
    const AssumedBound bound{.unit = 0x1p-24, .roundoff = 0x1p-24, .smallest = 0x1p-149, .scale = 1};
    return SuspiciousChecksums(x_, {output_.data(), NumberForm::kF64}, bound, rows, 3, 1);
  }

  Contraction x_;
  std::vector<double> output_;
};

TEST_F(ProductChecksumsTest, ARightProductHasNoSuspiciousChecksum) {
  Multiply(40, 8, 30);
  EXPECT_TRUE(Suspicions({.count = 16}).empty());
  EXPECT_TRUE(Suspicions({.count = 16, .columns = true}).empty());
}

TEST_F(ProductChecksumsTest, AWrongElementMakesTheChecksumOfItsRowsSuspicious) {
  Multiply(40, 8, 30);
  output_[20 * 30 + 7] += 1;
  const std::vector<Suspicion> by_rows = Suspicions({.count = 16});
  ASSERT_EQ(by_rows.size(), 1U);
  EXPECT_EQ(by_rows[0].first, 16);
  EXPECT_EQ(by_rows[0].across, 7);
  const std::vector<Suspicion> by_columns = Suspicions({.count = 16, .columns = true});
  ASSERT_EQ(by_columns.size(), 1U);
  EXPECT_EQ(by_columns[0].first, 0);
  EXPECT_EQ(by_columns[0].across, 20);
}

TEST_F(ProductChecksumsTest, TheLastRowsMayBeFewer) {
  Multiply(33, 8, 30);
  output_[32 * 30 + 29] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Suspicion> suspicions = Suspicions({.count = 16});
  ASSERT_EQ(suspicions.size(), 1U);
  EXPECT_EQ(suspicions[0].first, 32);
  EXPECT_TRUE(std::isinf(suspicions[0].share));
}

TEST_F(ProductChecksumsTest, TheMostSuspiciousIsFirst) {
  Multiply(40, 8, 30);
  output_[0] += 1;
  output_[39 * 30 + 3] += 4;
  const std::vector<Suspicion> suspicions = Suspicions({.count = 16});
  ASSERT_EQ(suspicions.size(), 2U);
  EXPECT_EQ(suspicions[0].across, 3);
}

TEST_F(ProductChecksumsTest, MoreRowsShareAChecksumUntilAllAreAffordable) {
  Multiply(256, 8, 512);
  EXPECT_EQ(RowsOfChecksums(x_, 16, 1e9).count, 16);
  EXPECT_EQ(RowsOfChecksums(x_, 16, 2.0 * 512 * 8 * 4).count, 64);
  EXPECT_EQ(RowsOfChecksums(x_, 16, 1).count, 256) << "there are no more";
}

TEST_F(ProductChecksumsTest, TheShorterSideIsAddedUpIfItHasEnoughRows) {
  Multiply(64, 2, 128);
  EXPECT_FALSE(RowsOfChecksums(x_, 16, 1e9).columns);
  Multiply(63, 2, 128);
  EXPECT_TRUE(RowsOfChecksums(x_, 16, 1e9).columns);
  Multiply(128, 2, 64);
  EXPECT_TRUE(RowsOfChecksums(x_, 16, 1e9).columns);
}

}  // namespace
}  // namespace opbyop::reference
