// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/movement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace opbyop::reference {
namespace {

Tensor Counting(Shape shape) {
  Tensor t = Tensor::Make(ElementType::kI32, std::move(shape));
  std::iota(t.Mutable<int64_t>().begin(), t.Mutable<int64_t>().end(), int64_t{0});
  return t;
}

// Transposes element by element, by index arithmetic.
std::vector<int64_t> SlowTranspose(const Tensor& t, const std::vector<int64_t>& permutation) {
  const Shape strides = StridesOf(t.shape());
  Shape shape;
  for (const int64_t d : permutation) shape.push_back(t.dim(d));
  const Shape out_strides = StridesOf(shape);
  std::vector<int64_t> out(static_cast<size_t>(t.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t from = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      from += rest / out_strides[d] * strides[static_cast<size_t>(permutation[d])];
      rest %= out_strides[d];
    }
    out[i] = t.data<int64_t>()[static_cast<size_t>(from)];
  }
  return out;
}

TEST(MovementTest, TransposesOfAllKindsMatchIndexArithmetic) {
  const Tensor t = Counting({3, 1, 70, 41, 2});
  std::vector<int64_t> permutation = {0, 1, 2, 3, 4};
  do {
    const Tensor out = Transpose(t, permutation);
    ASSERT_TRUE(std::ranges::equal(out.data<int64_t>(), SlowTranspose(t, permutation)));
  } while (std::ranges::next_permutation(permutation).found);
}

TEST(MovementTest, BroadcastRepeats) {
  const Tensor out = BroadcastInDim(Counting({2, 1}), {2, 3, 2}, {0, 1});
  EXPECT_THAT(out.data<int64_t>(), testing::ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
}

TEST(MovementTest, ScalarsAndEmptyTensorsMove) {
  EXPECT_THAT(Transpose(Counting({}), {}).data<int64_t>(), testing::ElementsAre(0));
  EXPECT_EQ(Transpose(Counting({0, 4}), {1, 0}).size(), 0);
}

}  // namespace
}  // namespace opbyop::reference
