// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/real_numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace opbyop::reference {
namespace {

// Roles that use each property of the numbers, and some together.
std::vector<std::pair<std::string, InputRole>> Roles() {
  std::vector<std::pair<std::string, InputRole>> roles(1, {"plain", {}});
  const auto add = [&](const std::string& name) -> InputRole& { return roles.emplace_back(name, InputRole()).second; };
  add("grid").grid = 0.125;
  add("whole").whole = true;
  add("away").away = 0.5;
  add("specials").specials = true;
  add("epsilon").epsilon = 1e-5;
  InputRole& spread = add("spread");
  spread.epsilon = 1e-5;
  spread.feature = 3;
  spread.features = 40;
  InputRole& sum = add("sum");
  sum.elements_per_result = 100;
  sum.grid = 0.5;
  return roles;
}

// NaN is equal to itself in its bits.
std::vector<uint64_t> BitsOf(const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  bits.reserve(values.size());
  for (const double v : values) bits.push_back(std::bit_cast<uint64_t>(v));
  return bits;
}

constexpr InputKind kKinds[] = {InputKind::kDomain, InputKind::kExactInt, InputKind::kEdge};

TEST(RealNumbersTest, ABlockHasTheNumbersOfItsPlaces) {
  for (const auto& [name, role] : Roles()) {
    for (const InputKind kind : kKinds) {
      const CounterStream stream(7);
      const RealNumbers numbers(role, kind, FormatOf(ElementType::kF32), stream, 3000);
      std::vector<double> block(1500);
      numbers.Fill(1000, block);
      for (size_t i = 0; i < block.size(); ++i) {
        ASSERT_EQ(std::bit_cast<uint64_t>(block[i]), std::bit_cast<uint64_t>(numbers.At(1000 + i)))
            << name << " under " << ToString(kind) << " at " << 1000 + i;
      }
    }
  }
}

TEST(RealNumbersTest, ATensorWithoutAChosenPlaceHasASpecialNumberAllTheSame) {
  const InputRole role;
  // For more than half of the seeds neither of two numbers is chosen.
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const CounterStream stream(seed);
    const RealNumbers numbers(role, InputKind::kEdge, FormatOf(ElementType::kF32), stream, 2);
    const RealNumbers plain(role, InputKind::kDomain, FormatOf(ElementType::kF32), stream, 2);
    std::vector<double> block(2), without(2);
    numbers.Fill(0, block);
    plain.Fill(0, without);
    EXPECT_NE(BitsOf(block), BitsOf(without)) << seed;
    EXPECT_EQ(BitsOf(block), BitsOf({numbers.At(0), numbers.At(1)})) << seed;
  }
}

TEST(RealNumbersTest, ALargeTensorHasASpecialNumberInEachShare) {
  constexpr int64_t kCount = int64_t{5} << 24;  // shares of 20
  const CounterStream stream(3);
  InputRole with_others;
  with_others.specials = true;
  for (const InputRole& role : {InputRole(), with_others}) {
    const RealNumbers numbers(role, InputKind::kEdge, FormatOf(ElementType::kF32), stream, kCount);
    const RealNumbers plain(role, InputKind::kDomain, FormatOf(ElementType::kF32), stream, kCount);
    std::vector<double> block(2000), without(2000), single(2000);
    constexpr uint64_t kBegin = 1'000'003;
    numbers.Fill(kBegin, block);
    plain.Fill(kBegin, without);
    int64_t changed = 0;
    for (size_t i = 0; i < block.size(); ++i) {
      single[i] = numbers.At(kBegin + i);
      changed += std::bit_cast<uint64_t>(block[i]) != std::bit_cast<uint64_t>(without[i]) ? 1 : 0;
    }
    EXPECT_EQ(BitsOf(block), BitsOf(single));
    EXPECT_GE(changed, 50);
    EXPECT_LE(changed, 101) << "one in twenty";
  }
}

TEST(RealNumbersTest, StoredNumbersAreRoundedToTheirFormat) {
  for (const ElementType type : {ElementType::kBf16, ElementType::kF16, ElementType::kF32, ElementType::kF64,
                                 ElementType::kF8E4M3Fn, ElementType::kF8E5M2, ElementType::kF8E4M3Fnuz,
                                 ElementType::kF8E8M0Fnu, ElementType::kF4E2M1Fn, ElementType::kF6E3M2Fn}) {
    const FloatFormat& format = FormatOf(type);
    const int64_t bytes = (format.bits + 7) / 8;
    for (const auto& [name, role] : Roles()) {
      const CounterStream stream(11);
      const RealNumbers numbers(role, InputKind::kEdge, format, stream, 2100);
      std::vector<std::byte> stored(static_cast<size_t>(2100 * bytes));
      numbers.Store(0, 2100, stored.data());
      for (uint64_t i = 0; i < 2100; ++i) {
        const uint64_t expected = EncodeFloat(format, RoundTo(format, numbers.At(i)));
        uint64_t code = 0;
        std::memcpy(&code, stored.data() + static_cast<int64_t>(i) * bytes, static_cast<size_t>(bytes));
        ASSERT_EQ(code, expected) << format.name << " " << name << " at " << i << ": " << numbers.At(i);
      }
    }
  }
}

}  // namespace
}  // namespace opbyop::reference
