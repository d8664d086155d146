// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kDevices = 8;
const Axes kHalves = {{.stride = 4, .size = 2}};
const Axes kQuarters = {{.stride = 1, .size = 4}};

// The elements 0, 1, 2, ... of a whole tensor.
std::vector<std::byte> Counted(const ShardedTensor& tensor) {
  std::vector<int16_t> values(
      std::accumulate(tensor.shape.begin(), tensor.shape.end(), size_t{1}, std::multiplies<>()));
  std::iota(values.begin(), values.end(), int16_t{0});
  std::vector<std::byte> bytes(values.size() * sizeof(int16_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<int16_t> Values(const std::vector<std::byte>& bytes) {
  std::vector<int16_t> values(bytes.size() / sizeof(int16_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

ShardedTensor Tensor(std::vector<int64_t> shape, Division division) {
  return {.shape = std::move(shape), .element_bytes = sizeof(int16_t), .division = std::move(division)};
}

TEST(ShardsTest, ADeviceHasTheBlockOfItsNumbers) {
  const ShardedTensor tensor = Tensor({4, 8}, {kHalves, kQuarters});
  EXPECT_THAT(ShardShape(tensor.shape, tensor.division), ElementsAre(2, 2));
  EXPECT_THAT(Values(tensor.Take(Counted(tensor), 0)), ElementsAre(0, 1, 8, 9));
  EXPECT_THAT(Values(tensor.Take(Counted(tensor), 6)), ElementsAre(20, 21, 28, 29));
  EXPECT_EQ(tensor.DeviceOf(std::vector<int64_t>{3, 4}, kDevices), 6);
}

TEST(ShardsTest, PartsJoinToTheWhole) {
  for (const ShardedTensor& tensor :
       {Tensor({4, 8}, {kHalves, kQuarters}), Tensor({4, 8}, {{}, {}}), Tensor({8, 2, 3}, {kQuarters, {}, {}}),
        Tensor({3, 8, 2}, {{}, kQuarters, kHalves}), Tensor({8}, {Axes{{1, 4}, {4, 2}}}), Tensor({}, {}),
        Tensor({0, 4}, {{}, kQuarters}), Tensor({10, 3}, {kQuarters, {}}), Tensor({3, 5, 2}, {kHalves, kQuarters, {}}),
        Tensor({2, 9}, {{}, kQuarters}), Tensor({1}, {kQuarters})}) {
    const std::vector<std::byte> whole = Counted(tensor);
    std::vector<std::vector<std::byte>> parts;
    parts.reserve(kDevices);
    for (int64_t device = 0; device < kDevices; ++device) parts.push_back(tensor.Take(whole, device));
    std::vector<std::byte> joined(whole.size(), std::byte{0xff});
    const Expected<void> done = tensor.Join({parts.begin(), parts.end()}, joined);
    EXPECT_TRUE(done) << done.error().message;
    EXPECT_EQ(joined, whole);
  }
}

TEST(ShardsTest, CopiesOfOneElementThatDifferAreNamed) {
  const ShardedTensor tensor = Tensor({4, 4}, {kHalves, {}});
  const std::vector<std::byte> whole = Counted(tensor);
  std::vector<std::vector<std::byte>> parts;
  parts.reserve(kDevices);
  for (int64_t device = 0; device < kDevices; ++device) parts.push_back(tensor.Take(whole, device));
  parts[6][2 * sizeof(int16_t)] ^= std::byte{1};
  std::vector<std::byte> joined(whole.size());
  const Expected<void> done = tensor.Join({parts.begin(), parts.end()}, joined);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("process 6 has other bits than process 4 for element [2, 2]"));
  EXPECT_EQ(joined, whole) << "the first device's bits";
}

TEST(ShardsTest, OnlyEvenPartsDivide) {
  EXPECT_TRUE(DividesEvenly(std::vector<int64_t>{4, 8}, {kHalves, kQuarters}));
  EXPECT_FALSE(DividesEvenly(std::vector<int64_t>{3, 8}, {kHalves, kQuarters}));
  EXPECT_TRUE(CanDivide(std::vector<int64_t>{3, 8}, {kHalves, kQuarters}));
  EXPECT_FALSE(CanDivide(std::vector<int64_t>{0, 8}, {kHalves, kQuarters}));
  EXPECT_FALSE(CanDivide(std::vector<int64_t>{4}, {kHalves, kQuarters}));
  EXPECT_FALSE(DividesEvenly(std::vector<int64_t>{0, 8}, {kHalves, kQuarters}));
  EXPECT_FALSE(DividesEvenly(std::vector<int64_t>{4}, {kHalves, kQuarters}));
}

TEST(ShardsTest, ThePartsOfAnUnevenDimensionAreFilledUp) {
  ShardedTensor tensor = Tensor({5}, {kQuarters});
  tensor.padding = {std::byte{0xff}, std::byte{0x7f}};
  EXPECT_THAT(ShardShape(tensor.shape, tensor.division), ElementsAre(2));
  EXPECT_THAT(Values(tensor.Take(Counted(tensor), 0)), ElementsAre(0, 1));
  EXPECT_THAT(Values(tensor.Take(Counted(tensor), 2)), ElementsAre(4, 0x7fff));
  EXPECT_THAT(Values(tensor.Take(Counted(tensor), 3)), ElementsAre(0x7fff, 0x7fff));
  EXPECT_EQ(tensor.DeviceOf(std::vector<int64_t>{4}, kDevices), 2);
}

TEST(ShardsTest, DevicesMayDifferInPadding) {
  ShardedTensor tensor = Tensor({5}, {kQuarters});
  const std::vector<std::byte> whole = Counted(tensor);
  std::vector<std::vector<std::byte>> parts;
  for (int64_t device = 0; device < kDevices; ++device) {
    tensor.padding.assign(sizeof(int16_t), static_cast<std::byte>(device));
    parts.push_back(tensor.Take(whole, device));
  }
  std::vector<std::byte> joined(whole.size());
  EXPECT_TRUE(tensor.Join({parts.begin(), parts.end()}, joined));
  EXPECT_EQ(joined, whole);
}

}  // namespace
}  // namespace opbyop
