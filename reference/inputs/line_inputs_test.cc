// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/line_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/bounds/exact_sum.h"
#include "reference/inputs/draw_text.h"

namespace opbyop::reference {
namespace {

std::string Reduce(const std::string& form, int64_t rows, int64_t n, const std::string& type = "f32") {
  const std::string tensor = "tensor<" + std::to_string(rows) + "x" + std::to_string(n) + "x" + type + ">";
  const std::string out = "tensor<" + std::to_string(rows) + "x" + type + ">";
  const std::string scalar = "tensor<" + type + ">";
  return "func.func @main(%a: " + tensor + ", %z: " + scalar + ") -> " + out +
         " {\n %0 = stablehlo.reduce(%a init: %z) applies stablehlo." + form + " across dimensions = [1] : (" + tensor +
         ", " + scalar + ") -> " + out + "\n return %0 : " + out + "\n}";
}

std::string Running(const std::string& form, int64_t n, const std::string& type) {
  const std::string tensor = "tensor<1x" + std::to_string(n) + "x" + type + ">";
  const std::string scalar = "tensor<" + type + ">";
  return "func.func @main(%a: " + tensor + ", %z: " + scalar + ") -> " + tensor +
         " {\n %0 = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, " + std::to_string(n) +
         ">, padding = dense<[[0, 0], [" + std::to_string(n - 1) + ", 0]]> : tensor<2x2xi64>}> ({\n^bb0(%x: " + scalar +
         ", %y: " + scalar + "):\n %m = stablehlo." + form + " %x, %y : " + scalar +
         "\n stablehlo.return %m : " + scalar + "\n}) : (" + tensor + ", " + scalar + ") -> " + tensor +
         "\n return %0 : " + tensor + "\n}";
}

std::string Sort(bool stable, const std::string& how, const std::string& type = "f32") {
  const std::string scalar = "tensor<" + type + ">";
  const std::string tensor = "tensor<6x400x" + type + ">";
  return "func.func @main(%a: " + tensor + ", %i: tensor<6x400xi32>) -> (" + tensor +
         ", tensor<6x400xi32>) {\n %0:2 = \"stablehlo.sort\"(%a, %i) <{dimension = 1 : i64, is_stable = " +
         (stable ? "true" : "false") + "}> ({\n^bb0(%x: " + scalar + ", %y: " + scalar +
         ", %p: tensor<i32>, %q: tensor<i32>):\n %c = stablehlo.compare LT, %x, %y, " + how + " : (" + scalar + ", " +
         scalar + ") -> tensor<i1>\n stablehlo.return %c : tensor<i1>\n}) : (" + tensor + ", tensor<6x400xi32>) -> (" +
         tensor + ", tensor<6x400xi32>)\n return %0#0, %0#1 : " + tensor + ", tensor<6x400xi32>\n}";
}

std::span<const double> Row(const Tensor& t, int64_t row) {
  const int64_t n = t.shape().back();
  return t.data<double>().subspan(static_cast<size_t>(row * n), static_cast<size_t>(n));
}

bool IsNan(double v) { return std::isnan(v); }

TEST(LineInputsTest, LinesOfAReductionHaveSpecialValuesHoweverLongTheyAre) {
  for (const std::string form : {"add", "maximum"}) {
    const Tensor a = DrawText(Reduce(form, 40, 30000), InputKind::kEdge)[0];
    int64_t plain = 0;
    int64_t first = 0;
    int64_t last = 0;
    int64_t inside = 0;
    int64_t infinite = 0;
    int64_t zeros = 0;
    for (int64_t row = 0; row < 40; ++row) {
      const auto values = Row(a, row);
      const int64_t nans = std::ranges::count_if(values, IsNan);
      const int64_t infinities = std::ranges::count_if(values, [](double v) { return std::isinf(v); });
      EXPECT_LE(nans, 1);
      first += IsNan(values.front());
      last += IsNan(values.back());
      inside += nans == 1 && !IsNan(values.front()) && !IsNan(values.back());
      infinite += infinities > 0;
      zeros += std::ranges::all_of(values, [](double v) { return v == 0 && std::signbit(v); });
      plain += nans == 0 && infinities == 0;
    }
    EXPECT_GE(first, 1) << form;
    EXPECT_GE(last, 1) << form;
    EXPECT_GE(inside, 1) << form;
    EXPECT_GE(infinite, 3) << form;
    EXPECT_GE(zeros, 1) << form;
    EXPECT_GE(plain, 20) << form;
  }
}

TEST(LineInputsTest, AmongFewLinesOneHasANanAndOneHasNone) {
  for (const int64_t rows : {2, 3, 5, 8}) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Tensor a = DrawText(Reduce("add", rows, 1000), InputKind::kEdge, seed)[0];
      int64_t with = 0;
      for (int64_t row = 0; row < rows; ++row) with += std::ranges::any_of(Row(a, row), IsNan);
      EXPECT_GE(with, 1) << rows;
      EXPECT_LT(with, rows);
    }
  }
}

TEST(LineInputsTest, ASingleLineHasANanForMostSeedsAtDifferentPlaces) {
  std::set<int64_t> places;
  int64_t with = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Tensor a = DrawText(Reduce("maximum", 1, 300000), InputKind::kEdge, seed)[0];
    const auto values = a.data<double>();
    const auto found = std::ranges::find_if(values, IsNan);
    if (found == values.end()) continue;
    ++with;
    places.insert(found - values.begin());
  }
  EXPECT_GE(with, 24);
  EXPECT_LT(with, 40);
  EXPECT_TRUE(places.contains(0));
  EXPECT_TRUE(places.contains(299999));
  EXPECT_GT(places.size(), 8U);
}

TEST(LineInputsTest, NotAllOfARunningSumIsNan) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto values = DrawText(Running("add", 500, "f32"), InputKind::kEdge, seed)[0];
    EXPECT_FALSE(IsNan(values.data<double>()[0])) << seed;
  }
}

TEST(LineInputsTest, AVectorThatIsMultipliedByAllColumnsIsFinite) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto inputs = DrawText(R"(func.func @main(%a: tensor<1x100xf32>, %b: tensor<100x50xf32>) -> tensor<1x50xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x100xf32>, tensor<100x50xf32>) -> tensor<1x50xf32>
    return %0 : tensor<1x50xf32>
  })",
                                 InputKind::kEdge, seed);
    EXPECT_TRUE(std::ranges::all_of(inputs[0].data<double>(), [](double v) { return std::isfinite(v); }));
    EXPECT_TRUE(std::ranges::any_of(inputs[1].data<double>(), [](double v) { return !std::isfinite(v); }));
  }
}

// Returns the place of the greatest (or least) element, and expects that there is only one.
int64_t PlaceOfExtreme(std::span<const double> values, bool greatest) {
  const auto best = greatest ? std::ranges::max_element(values) : std::ranges::min_element(values);
  EXPECT_EQ(std::ranges::count(values, *best), 1);
  return best - values.begin();
}

TEST(LineInputsTest, ExtremesTakeAllPlacesOfALine) {
  for (const std::string type : {"f32", "bf16", "f16"}) {
    for (const bool greatest : {true, false}) {
      const Tensor a = DrawText(Reduce(greatest ? "maximum" : "minimum", 600, 500, type), InputKind::kSparse)[0];
      std::set<int64_t> places;
      for (int64_t row = 0; row < 600; ++row) places.insert(PlaceOfExtreme(Row(a, row), greatest));
      EXPECT_EQ(places.size(), 500U) << type;
    }
  }
}

TEST(LineInputsTest, TheFirstExtremesAreAtTheEnds) {
  const Tensor a = DrawText(Reduce("maximum", 2, 5000), InputKind::kSparse)[0];
  EXPECT_EQ(PlaceOfExtreme(Row(a, 0), true), 4999);
  EXPECT_EQ(PlaceOfExtreme(Row(a, 1), true), 0);
}

TEST(LineInputsTest, TheExtremeOfASingleLineIsInItsTailAndDependsOnTheSeed) {
  for (const auto& [n, tail] : {std::pair<int64_t, int64_t>{4096, 8}, {128253, 5}}) {
    std::set<int64_t> places;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Tensor a = DrawText(Reduce("maximum", 1, n, "bf16"), InputKind::kSparse, seed)[0];
      places.insert(PlaceOfExtreme(Row(a, 0), true));
      EXPECT_TRUE(std::ranges::all_of(Row(a, 0), [](double v) { return v < 0; })) << "0 would win";
    }
    EXPECT_GE(*places.begin(), n - tail);
    EXPECT_GT(places.size(), 2U);
  }
}

TEST(LineInputsTest, TheExtremesOfFewLinesAreInTheMiddleUnderExactInt) {
  for (const int64_t n : {1, 2, 100, 4096, 128256}) {
    std::set<int64_t> places;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Tensor a = DrawText(Reduce("maximum", 1, n, "bf16"), InputKind::kExactInt, seed)[0];
      places.insert(PlaceOfExtreme(Row(a, 0), true));
    }
    EXPECT_GE(*places.begin(), n / 2 - std::max<int64_t>(n / 200, 16));
    EXPECT_LE(*places.rbegin(), n / 2 + std::max<int64_t>(n / 200, 16));
    EXPECT_EQ(places.contains(n / 2 / 1024 * 1024 + (n == 128256 ? 1023 : -1)), n >= 4096) << "the end of a block";
  }
  const Tensor many = DrawText(Reduce("maximum", 8, 100), InputKind::kExactInt)[0];
  EXPECT_TRUE(std::ranges::all_of(many.data<double>(), [](double v) { return v == std::rint(v); }));
}

TEST(LineInputsTest, LinesAreOnBothSidesOfZeroAndExtremesExceedByOneUnit) {
  for (const bool greatest : {true, false}) {
    const Tensor a = DrawText(Reduce(greatest ? "maximum" : "minimum", 8, 1000), InputKind::kSparse)[0];
    for (int64_t row = 0; row < 8; ++row) {
      const bool negative = greatest == (row % 4 < 2);
      EXPECT_TRUE(std::ranges::all_of(Row(a, row), [&](double v) { return negative ? v < 0 : v > 0; })) << row;
      std::vector<double> values(Row(a, row).begin(), Row(a, row).end());
      std::ranges::sort(values);
      const double best = greatest ? values[999] : values[0];
      const double next = greatest ? values[998] : values[1];
      EXPECT_EQ(static_cast<float>(next), std::nextafterf(static_cast<float>(best), greatest ? -3 : 3)) << row;
      EXPECT_GT(std::ranges::count(values, next), 10) << "others are equal";
    }
  }
}

TEST(LineInputsTest, LinesOfIntegersHaveOneExtremeToo) {
  mlir::MLIRContext context;
  const Tensor a = DrawText(Reduce("maximum", 8, 1000, "i32"), InputKind::kSparse)[0];
  for (size_t row = 0; row < 8; ++row) {
    const auto values = a.data<int64_t>().subspan(row * 1000, 1000);
    EXPECT_EQ(std::ranges::max(values), row % 4 < 2 ? -1 : 100);
    EXPECT_EQ(std::ranges::count(values, std::ranges::max(values)), 1);
  }
}

TEST(LineInputsTest, EachElementOfARunningMaximumExceedsThoseBefore) {
  for (const std::string type : {"f32", "bf16"}) {
    const Tensor a = DrawText(Running("maximum", 4000, type), InputKind::kSparse)[0];
    EXPECT_TRUE(std::ranges::is_sorted(a.data<double>()));
    EXPECT_EQ(std::set<double>(a.data<double>().begin(), a.data<double>().end()).size(), 4000U) << type;
    EXPECT_LT(a.data<double>()[3999], 0);
  }
}

bool IsExact(std::span<const double> values, ElementType type) {
  ExactSum sum(FormatOf(type));
  return std::ranges::all_of(values, [&](double v) { return sum.Add(v); });
}

TEST(LineInputsTest, SumsOfFewResultsAreExactWithATermInEveryStretch) {
  for (const auto& [name, n, stretch] :
       {std::tuple("f32", 4096, 1), {"f32", 1000000, 1}, {"f16", 4096, 2}, {"bf16", 4096, 16}, {"bf16", 128256, 568}}) {
    const ElementType type = *ParseElementType(name);
    for (const int64_t rows : {1, 3}) {
      const Tensor a = DrawText(Reduce("add", rows, n, name), InputKind::kSparse)[0];
      for (int64_t row = 0; row < rows; ++row) {
        const auto values = Row(a, row);
        EXPECT_TRUE(IsExact(values, type)) << name << n;
        const double sign = std::ranges::any_of(values, [](double v) { return v > 0; }) ? 1 : -1;
        for (int64_t k = 0; k < n; k += stretch) {
          double sum = 0;
          for (int64_t i = k; i < std::min<int64_t>(n, k + stretch); ++i) sum += values[static_cast<size_t>(i)];
          EXPECT_GT(sign * sum, 0) << name << n << " at " << k;
        }
      }
    }
  }
}

// Devices split a sum into equal parts. A term that is lost at such a split is detected, however few terms there are.
TEST(LineInputsTest, SumsOfFewTermsHaveOneOnEitherSideOfEverySixteenth) {
  constexpr int64_t kLength = 128256;
  const auto values = Row(DrawText(Reduce("add", 1, kLength, "bf16"), InputKind::kSparse)[0], 0);
  for (int64_t part = 1; part < 16; ++part) {
    const auto split = static_cast<size_t>(kLength / 16 * part);
    EXPECT_NE(values[split - 1], 0) << part;
    EXPECT_NE(values[split], 0) << part;
  }
}

TEST(LineInputsTest, RunningSumsAreExactWithTermsOfBothSigns) {
  for (const std::string name : {"f32", "f16", "bf16"}) {
    const Tensor a = DrawText(Running("add", 4096, name), InputKind::kSparse)[0];
    EXPECT_TRUE(IsExact(a.data<double>(), *ParseElementType(name))) << name;
    EXPECT_TRUE(std::ranges::any_of(a.data<double>(), [](double v) { return v > 0; }));
    EXPECT_TRUE(std::ranges::any_of(a.data<double>(), [](double v) { return v < 0; }));
    for (size_t k = 1023; k < 4096; k += 1024) EXPECT_NE(a.data<double>()[k], 0) << name;
  }
}

// A program that converts its argument, reduces it, and converts the result. If `called`, a function of its own reduces.
std::string Converted(const std::string& form, int64_t n, const std::string& argument, const std::string& reduced,
                      const std::string& result, bool called) {
  const std::string in = "tensor<1x" + std::to_string(n) + "x" + argument + ">";
  const std::string tensor = "tensor<1x" + std::to_string(n) + "x" + reduced + ">";
  const std::string sum = "tensor<1x" + reduced + ">";
  const std::string out = "tensor<1x" + result + ">";
  const std::string scalar = "tensor<" + reduced + ">";
  const std::string reduce = " %0 = stablehlo.reduce(%b init: %z) applies stablehlo." + form +
                             " across dimensions = [1] : (" + tensor + ", " + scalar + ") -> " + sum +
                             "\n %1 = stablehlo.convert %0 : (" + sum + ") -> " + out + "\n return %1 : " + out +
                             "\n}\n";
  const std::string convert = ") -> " + out + " {\n %b = stablehlo.convert %a : (" + in + ") -> " + tensor + "\n";
  const std::string main = "func.func @main(%a: " + in + ", %z: " + scalar + convert;
  if (!called) return main + reduce;
  return main + " %1 = call @inner(%b, %z) : (" + tensor + ", " + scalar + ") -> " + out + "\n return %1 : " + out +
         "\n}\nfunc.func private @inner(%b: " + tensor + ", %z: " + scalar + ") -> " + out + " {\n" + reduce;
}

// A sum in f32 has 2^24 units, unless the result is then converted to a type with fewer digits.
TEST(LineInputsTest, SumsBehindAConversionAreExactInEveryTypeOnTheWay) {
  struct Way {
    std::string argument, reduced, result;
    int64_t stretch;
  };
  for (const Way& way : {Way{"bf16", "f32", "f32", 1},
                         {"bf16", "f32", "bf16", 16},
                         {"f32", "bf16", "bf16", 16},
                         {"f16", "f32", "f32", 1},
                         {"f32", "f32", "f16", 2},
                         {"f32", "f64", "f64", 1},
                         {"f8E4M3FN", "f32", "f32", 1}}) {
    for (const bool called : {false, true}) {
      const std::string name = way.argument + " " + way.reduced + " " + way.result + (called ? " called" : "");
      const Tensor a =
          DrawText(Converted("add", 4096, way.argument, way.reduced, way.result, called), InputKind::kSparse)[0];
      const auto values = a.data<double>();
      for (const std::string& type : {way.reduced, way.result}) {
        EXPECT_TRUE(IsExact(values, *ParseElementType(type))) << name;
        EXPECT_TRUE(
            std::ranges::all_of(values, [&](double v) { return RoundTo(FormatOf(*ParseElementType(type)), v) == v; }));
      }
      const double sign = std::ranges::any_of(values, [](double v) { return v > 0; }) ? 1 : -1;
      EXPECT_TRUE(std::ranges::all_of(values, [&](double v) { return sign * v >= 0; })) << name;
      for (size_t k = 0; k < values.size(); k += static_cast<size_t>(way.stretch)) {
        const auto part = values.subspan(k, static_cast<size_t>(way.stretch));
        EXPECT_TRUE(std::ranges::any_of(part, [](double v) { return v != 0; })) << name << " at " << k;
      }
    }
  }
}

TEST(LineInputsTest, ExtremesStayExtremesThroughConversions) {
  for (const auto& [argument, reduced, result] :
       {std::tuple("bf16", "f32", "bf16"), {"f32", "bf16", "bf16"}, {"f32", "f32", "f16"}}) {
    for (const bool called : {false, true}) {
      const std::string text = Converted("maximum", 4096, argument, reduced, result, called);
      const Tensor a = DrawText(text, InputKind::kSparse)[0];
      std::vector<double> values(a.data<double>().begin(), a.data<double>().end());
      EXPECT_LT(std::ranges::max(values), 0) << argument << ": 0 would win";
      for (const std::string type : {reduced, result}) RoundSpan(FormatOf(*ParseElementType(type)), values);
      EXPECT_GE(PlaceOfExtreme(values, true), 4088) << argument << ' ' << reduced << ' ' << result << ' ' << called;
    }
  }
}

// Neither of f16 and bf16 has all numbers of the other, so such sums stay as sparse as others.
TEST(LineInputsTest, SumsBehindAnotherTypeHaveFewTerms) {
  const Tensor a = DrawText(Converted("add", 4096, "f16", "bf16", "bf16", false), InputKind::kSparse)[0];
  EXPECT_LT(std::ranges::count_if(a.data<double>(), [](double v) { return v != 0; }), 16);
}

TEST(LineInputsTest, StableSortsHaveEqualKeysWithDifferentElementsBesideThem) {
  const auto inputs = DrawText(Sort(true, "TOTALORDER"), InputKind::kEdge);
  for (int64_t row = 0; row < 6; ++row) {
    const auto keys = Row(inputs[0], row);
    int64_t positive = 0;
    int64_t negative = 0;
    for (const double v : keys) {
      positive += std::isnan(v) && !std::signbit(v);
      negative += std::isnan(v) && std::signbit(v);
    }
    EXPECT_GT(positive, 1);
    EXPECT_GT(negative, 1);
    EXPECT_GT(std::ranges::count_if(keys, [](double v) { return v == 0 && std::signbit(v); }), 1);
    EXPECT_GT(std::ranges::count_if(keys, [](double v) { return v == 0 && !std::signbit(v); }), 1);
    const auto beside = inputs[1].data<int64_t>().subspan(static_cast<size_t>(row * 400), 400);
    EXPECT_EQ(std::set<int64_t>(beside.begin(), beside.end()).size(), 400U);
  }
}

TEST(LineInputsTest, NanOfBothSignsIsSortedInNarrowTypesToo) {
  for (const std::string type : {"bf16", "f16"}) {
    const auto inputs = DrawText(Sort(true, "TOTALORDER", type), InputKind::kEdge);
    const auto keys = inputs[0].data<double>();
    EXPECT_TRUE(std::ranges::any_of(keys, [](double v) { return std::isnan(v) && std::signbit(v); })) << type;
    EXPECT_TRUE(std::ranges::any_of(keys, [](double v) { return std::isnan(v) && !std::signbit(v); })) << type;
  }
}

TEST(LineInputsTest, ThereIsNoNanIfTheOrderHasNoPlaceForIt) {
  const auto inputs = DrawText(Sort(true, "FLOAT"), InputKind::kEdge);
  EXPECT_TRUE(std::ranges::none_of(inputs[0].data<double>(), IsNan));
}

TEST(LineInputsTest, EqualKeysWithoutAnOrderHaveEqualElementsInOtherOperands) {
  const auto inputs = DrawText(Sort(false, "TOTALORDER", "bf16"), InputKind::kEdge);
  for (int64_t row = 0; row < 6; ++row) {
    std::map<uint64_t, std::set<int64_t>> beside;
    int64_t equal = 0;
    for (size_t k = 0; k < 400; ++k) {
      const double key = Row(inputs[0], row)[k];
      auto& found = beside[EncodeFloat(FormatOf(ElementType::kBf16), key) | uint64_t{std::signbit(key)} << 32];
      equal += !found.empty();
      found.insert(inputs[1].data<int64_t>()[static_cast<size_t>(row * 400) + k]);
    }
    EXPECT_GT(equal, 40);
    for (const auto& [key, values] : beside) EXPECT_EQ(values.size(), 1U);
  }
}

TEST(LineInputsTest, KeysOfANarrowTypeDifferIfTheirOrderIsOpen) {
  for (const std::string type : {"bf16", "f16"}) {
    for (const InputKind kind : {InputKind::kDomain, InputKind::kExactInt}) {
      std::string text = Sort(false, "TOTALORDER", type);
      for (size_t at; (at = text.find("6x400x")) != std::string::npos;) text.replace(at, 6, "1x6000x");
      const Tensor keys = DrawText(text, kind)[0];
      const auto values = keys.data<double>();
      EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 6000U) << type;
    }
  }
}

}  // namespace
}  // namespace opbyop::reference
