// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Simulated devices that multiply and add up in their own ways. They are accepted if their target declares that way,
// and are red if they do less than it declares.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/inputs/judge_product.h"

namespace opbyop::reference {
namespace {

using Numbers = std::span<const double>;
using Device = ProductDevice;

// Returns the greater of the bound ratio and the precision ratio. A value above 1 is red.
double Judge(InputKind kind, const std::string& type, int64_t k, const Device& device, const Arithmetic& declared,
             int64_t columns = 16) {
  const JudgedProduct judged =
      JudgeProduct({.rows = 3, .k = k, .columns = columns, .type = type, .kind = kind}, device, declared);
  return std::max(judged.bound_ratio, judged.precision_ratio);
}

// Truncates v to a multiple of 2^(e - bits + 1), where 2^e is the leading bit of `of`.
double Cut(double v, int64_t bits, double of) {
  if (v == 0 || of == 0) return v;
  const double quantum = std::ldexp(1.0, std::ilogb(of) - static_cast<int>(bits) + 1);
  return std::trunc(v / quantum) * quantum;
}
double Rounded(double v, int64_t bits) {
  if (v == 0) return v;
  const double quantum = std::ldexp(1.0, std::ilogb(v) - static_cast<int>(bits) + 1);
  return std::nearbyint(v / quantum) * quantum;
}

// A device that adds a block of products to its partial sum and stores the sum in `unit.bits` bits. If it rounds toward
// zero, it truncates the sum. If it `aligns`, it first truncates each term to the bits of the largest.
Device Adding(const Accumulator& unit, bool aligns = false) {
  return [unit, aligns](Numbers a, Numbers b) {
    const auto block = static_cast<size_t>(unit.block);
    double partial = 0;
    float total = 0;
    for (size_t at = 0; at < a.size(); at += block) {
      std::vector<double> terms = {partial};
      for (size_t p = at; p < std::min(at + block, a.size()); ++p) terms.push_back(a[p] * b[p]);
      double largest = 0, sum = 0;
      for (const double term : terms) largest = std::max(largest, std::fabs(term));
      for (const double term : terms) sum += aligns ? Cut(term, unit.bits, largest) : term;
      partial = unit.toward_zero ? Cut(sum, unit.bits, sum) : Rounded(sum, unit.bits);
      if (unit.promoted > 0 && (at + block) % static_cast<size_t>(unit.promoted) == 0) {
        total += static_cast<float>(partial);
        partial = 0;
      }
    }
    return static_cast<double>(total + static_cast<float>(partial));
  };
}

// A device that splits each operand into components of `bits` bits and adds up the largest `products` of their products
// in f32.
Device Splitting(int64_t bits, size_t components, size_t products, bool cuts) {
  return [=](Numbers a, Numbers b) {
    const auto split = [&](double v) {
      std::vector<double> parts;
      for (size_t k = 0; k < components; ++k) {
        parts.push_back(cuts ? Cut(v, bits, v) : Rounded(v, bits));
        v -= parts.back();
      }
      return parts;
    };
    float sum = 0;
    for (size_t p = 0; p < a.size(); ++p) {
      const std::vector<double> x = split(a[p]), y = split(b[p]);
      size_t taken = 0;
      for (size_t order = 0; order < 2 * components && taken < products; ++order) {
        for (size_t i = 0; i <= order && taken < products; ++i) {
          if (i >= components || order - i >= components) continue;
          sum += static_cast<float>(x[i] * y[order - i]);
          ++taken;
        }
      }
    }
    return static_cast<double>(sum);
  };
}

Accumulator Unit(int64_t bits, bool toward_zero, int64_t block, int64_t promoted = 0) {
  return {.ops = {"dot_general"}, .bits = bits, .toward_zero = toward_zero, .block = block, .promoted = promoted};
}

struct Way {
  std::string name, type;
  Device device;
  Arithmetic declared;
};

Way WayOf(const std::string& name, const std::string& type, const Accumulator& unit, bool aligns = false) {
  return {name, type, Adding(unit, aligns), {.accumulation = {unit}}};
}
Way WayOf(const std::string& precision, const Device& device) {
  return {precision, "f32", device, {.precision = {{"dot_general", precision}}}};
}

std::vector<Way> Ways() {
  return {WayOf("cuts_8_bf16", "bf16", Unit(24, true, 8)),
          WayOf("cuts_16_bf16", "bf16", Unit(24, true, 16)),
          WayOf("cuts_4_f16", "f16", Unit(24, true, 4)),
          WayOf("cuts_1_f32", "f32", Unit(24, true, 1)),
          WayOf("aligns_1_f32", "f32", Unit(24, true, 1), true),
          WayOf("aligns_16_f16", "f16", Unit(24, true, 16), true),
          WayOf("aligns_fourteen_bits", "f8E4M3FN", Unit(14, true, 32), true),
          WayOf("aligns_fourteen_bits_promoted", "f8E5M2", Unit(14, true, 32, 128), true),
          WayOf("fourteen_bits", "f8E4M3FN", Unit(14, true, 32)),
          WayOf("fourteen_bits_e5m2", "f8E5M2", Unit(14, true, 32)),
          WayOf("fourteen_bits_promoted", "f8E4M3FN", Unit(14, true, 32, 128)),
          WayOf("sums_of_f16", "f16", Unit(11, false, 1)),
          WayOf("tf32", Splitting(11, 1, 1, false)),
          WayOf("tf32_toward_zero", Splitting(11, 1, 1, true)),
          WayOf("bf16_toward_zero", Splitting(8, 1, 1, true)),
          WayOf("tf32x3", Splitting(11, 2, 3, false)),
          {"tf32x3_cut", "f32", Splitting(11, 2, 3, true), {.precision = {{"dot_general", "tf32x3"}}}},
          WayOf("bf16x3", Splitting(8, 2, 3, false)),
          {"bf16x3_cut", "f32", Splitting(8, 2, 3, true), {.precision = {{"dot_general", "bf16x3"}}}},
          WayOf("bf16x6", Splitting(8, 3, 6, false)),
          {"bf16x6_cut", "f32", Splitting(8, 3, 6, true), {.precision = {{"dot_general", "bf16x6"}}}},
          WayOf("bf16x9", Splitting(8, 3, 9, false))};
}

class DeclaredWay : public testing::TestWithParam<Way> {};

TEST_P(DeclaredWay, IsRightUnderEveryPolicyAtEveryLength) {
  for (const int64_t k : {1, 5, 64, 1024, 4096}) {
    for (const InputKind kind : {InputKind::kDomain, InputKind::kSparse, InputKind::kExactInt}) {
      EXPECT_LE(Judge(kind, GetParam().type, k, GetParam().device, GetParam().declared), 1)
          << k << " " << ToString(kind);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, DeclaredWay, testing::ValuesIn(Ways()),
                         [](const auto& info) { return info.param.name; });

TEST(DeclaredArithmeticTest, UndeclaredArithmeticIsRed) {
  EXPECT_GT(Judge(InputKind::kDomain, "f32", 8192, Adding(Unit(24, true, 1)), {}), 1);
  EXPECT_GT(Judge(InputKind::kDomain, "f8E4M3FN", 1024, Adding(Unit(14, true, 32, 128)), {}), 1);
  EXPECT_GT(Judge(InputKind::kDomain, "f32", 1024, Splitting(11, 1, 1, true), {}), 1);
}

TEST(DeclaredArithmeticTest, LessPrecisionThanDeclaredIsRed) {
  const auto of = [](const Accumulator& unit) { return Arithmetic{.accumulation = {unit}}; };
  EXPECT_GT(Judge(InputKind::kDomain, "bf16", 4096, Adding(Unit(16, true, 16)), of(Unit(24, true, 16))), 1)
      << "16 bits for 24";
  EXPECT_GT(Judge(InputKind::kDomain, "f16", 16384, Adding(Unit(14, true, 32)), of(Unit(14, true, 32, 128))), 1)
      << "never promoted";
  EXPECT_GT(Judge(InputKind::kDomain, "f16", 4096, Adding(Unit(8, true, 32)), of(Unit(14, true, 32))), 1)
      << "8 bits for 14";
  const auto in = [](const std::string& name) { return Arithmetic{.precision = {{"dot_general", name}}}; };
  EXPECT_GT(Judge(InputKind::kDomain, "f32", 1024, Splitting(7, 1, 1, true), in("tf32_toward_zero")), 1);
  EXPECT_GT(Judge(InputKind::kDomain, "f32", 1024, Splitting(11, 1, 1, true), in("tf32x3")), 1);
  EXPECT_GT(Judge(InputKind::kDomain, "f32", 128, Splitting(8, 2, 3, false), in("bf16x9"), 160), 1);
}

TEST(DeclaredArithmeticTest, AnAccumulatorDeclaredForOneTypeDoesNotApplyToAnother) {
  Accumulator unit = Unit(14, true, 32);
  unit.operands = "f8";
  EXPECT_GT(Judge(InputKind::kDomain, "bf16", 1024, Adding(Unit(14, true, 32)), {.accumulation = {unit}}), 1);
}

}  // namespace
}  // namespace opbyop::reference
