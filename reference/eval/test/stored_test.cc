// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs on operands in stored form give what they give on values, to the bit, and do not decode large operands.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "protocol/stored_form.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluate_text.h"
#include "reference/eval/movement.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

Tensor Stored(const Tensor& t) {
  const std::vector<std::byte> bytes = TensorToBytes(t);
  Buffer buffer(bytes.size());
  std::ranges::copy(bytes, buffer.data());
  return Tensor::OfStored(t.type(), t.shape(), std::move(buffer));
}

// Numbers of the type that repeat with a long period. With `specials`, some are infinite, NaN or -0.
Tensor Waves(ElementType type, Shape shape, double zeros = 0, bool specials = false) {
  Tensor t = Tensor::Make(type, std::move(shape));
  WithStorage(t.kind(), [&]<typename T>() {
    const auto out = t.Mutable<T>();
    for (size_t i = 0; i < out.size(); ++i) {
      const double v = 3 * std::sin(static_cast<double>(i) * 1.7) + 1e-3 * static_cast<double>(i % 1000);
      if constexpr (std::is_same_v<T, double>) {
        out[i] = RoundTo(FormatOf(type), static_cast<double>(i % 100) < 100 * zeros ? 0 : v);
        if (specials && i % 37 == 5) out[i] = RoundTo(FormatOf(type), i % 2 ? kInf : std::nan(""));
        if (specials && i % 41 == 7) out[i] = RoundTo(FormatOf(type), -0.0);
      } else if constexpr (std::is_same_v<T, int64_t>) {
        out[i] = WrapInteger(Info(type), static_cast<uint64_t>(i * 2654435761U));
      } else if constexpr (std::is_same_v<T, uint8_t>) {
        out[i] = i % 3 == 0;
      }
    }
  });
  return t;
}

void ExpectSame(const Tensor& got, const Tensor& expected) {
  EXPECT_EQ(got.shape(), expected.shape());
  EXPECT_EQ(TensorToBytes(got), TensorToBytes(expected));
  EXPECT_TRUE(std::ranges::equal(got.bounds(), expected.bounds()));
  ASSERT_EQ(got.bound() != nullptr, expected.bound() != nullptr);
  if (got.bound()) EXPECT_EQ(got.bound()->rule, expected.bound()->rule);
}

// Evaluates the program on values and on the same elements in stored form.
void ExpectSameOfStored(const std::string& text, const std::vector<Tensor>& arguments, EvalOptions options = {}) {
  options.bounds = true;
  Values values(arguments.begin(), arguments.end()), stored;
  for (const Tensor& t : arguments) stored.emplace_back(Stored(t));
  const Expected<Values> expected = EvaluateText(text, values, options), got = EvaluateText(text, stored, options);
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  ASSERT_TRUE(got.has_value()) << got.error().message;
  ExpectSame((*got)[0].tensor(), (*expected)[0].tensor());
}

std::string Dot(int64_t m, int64_t k, int64_t n, std::string_view in, std::string_view out) {
  return fmt::format(
      "func.func @main(%a: tensor<{0}x{1}x{3}>, %b: tensor<{1}x{2}x{3}>) -> tensor<{0}x{2}x{4}> {{\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{0}x{1}x{3}>, tensor<{1}x{2}x{3}>) "
      "-> tensor<{0}x{2}x{4}>\n  return %0 : tensor<{0}x{2}x{4}>\n}}",
      m, k, n, in, out);
}

TEST(StoredTest, ATensorKeepsItsElements) {
  for (const ElementType type : {ElementType::kF32, ElementType::kBf16, ElementType::kF16, ElementType::kF8E4M3Fn,
                                 ElementType::kI32, ElementType::kUi8, ElementType::kI4}) {
    const Tensor values = Waves(type, {7, 1000});
    Tensor stored = Stored(values);
    EXPECT_NE(stored.stored(), nullptr);
    EXPECT_EQ(ElementText(stored, 4321), ElementText(values, 4321));
    EXPECT_EQ(stored.Reshaped({1000, 7}).stored(), stored.stored());
    const Tensor same = stored;
    EXPECT_TRUE(same.IsSameValueAs(stored));
    EXPECT_FALSE(Stored(values).IsSameValueAs(stored));
    WithStorage(values.kind(), [&]<typename T>() {
      ForValues<T>(stored, [&](int64_t first, std::span<const T> block) {
        for (size_t i = 0; i < block.size(); ++i) ASSERT_EQ(block[i], values.data<T>()[static_cast<size_t>(first) + i]);
      });
      EXPECT_TRUE(std::ranges::equal(same.data<T>(), values.data<T>()));
      stored.Mutable<T>()[5] = T{};
      EXPECT_EQ(stored.stored(), nullptr);
      EXPECT_TRUE(std::ranges::equal(same.data<T>(), values.data<T>()));
    });
  }
}

TEST(StoredTest, ProductsReadStoredElements) {
  struct Types {
    ElementType type;
    const char* name;
  };
  for (const auto& [type, name] : {Types{ElementType::kF32, "f32"}, Types{ElementType::kBf16, "bf16"},
                                   Types{ElementType::kF16, "f16"}, Types{ElementType::kF8E4M3Fn, "f8E4M3FN"}}) {
    for (const double zeros : {0.0, 0.5, 0.95}) {
      for (const bool specials : {false, true}) {
        const std::vector<Tensor> operands = {Waves(type, {5, 300}, zeros, specials),
                                              Waves(type, {300, 20}, zeros, specials)};
        ExpectSameOfStored(Dot(5, 300, 20, name, "f32"), operands, {.deviations = true});
        ExpectSameOfStored(Dot(5, 300, 20, name, name), operands);
      }
    }
  }
  ExpectSameOfStored(Dot(5, 300, 20, "i8", "i32"),
                     {Waves(ElementType::kI8, {5, 300}), Waves(ElementType::kI8, {300, 20})});
  ExpectSameOfStored(Dot(5, 300, 20, "i8", "f32"),
                     {Waves(ElementType::kI8, {5, 300}), Waves(ElementType::kI8, {300, 20})});
  const std::string convolution =
      R"(func.func @main(%a: tensor<1x9x9x3xbf16>, %b: tensor<3x3x3x8xbf16>) -> tensor<1x9x9x8xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x3xbf16>, tensor<3x3x3x8xbf16>) -> tensor<1x9x9x8xf32>
  return %0 : tensor<1x9x9x8xf32>
})";
  ExpectSameOfStored(convolution, {Waves(ElementType::kBf16, {1, 9, 9, 3}), Waves(ElementType::kBf16, {3, 3, 3, 8})});
}

// A product that is large enough for a library.
TEST(StoredTest, LargeProductsAreThoseOfOneElementAfterTheOther) {
  constexpr int64_t m = 40, k = 700, n = 650;
  const Tensor a = Waves(ElementType::kBf16, {m, k}), b = Waves(ElementType::kBf16, {k, n});
  const Expected<Values> got =
      EvaluateText(Dot(m, k, n, "bf16", "f32"), {Stored(a), Stored(b)}, {.bounds = true, .deviations = true});
  ASSERT_TRUE(got.has_value());
  const Tensor& out = (*got)[0].tensor();
  for (int64_t i = 0; i < m * n; i += 97) {
    double sum = 0, magnitude = 0;
    for (int64_t p = 0; p < k; ++p) {
      const double term =
          a.data<double>()[static_cast<size_t>(i / n * k + p)] * b.data<double>()[static_cast<size_t>(p * n + i % n)];
      sum += term;
      magnitude += std::fabs(term);
    }
    const auto at = static_cast<size_t>(i);
    EXPECT_NEAR(out.data<double>()[at], sum, 0x1p-24 * std::fabs(sum) + 1e-12 * magnitude);
    EXPECT_NEAR(out.bounds()[at], k * 0x1p-24 * magnitude, 1e-3 * k * 0x1p-24 * magnitude);
  }
}

TEST(StoredTest, ASpecialValueReachesItsRowOfALargeProductAndNoOther) {
  constexpr int64_t m = 40, k = 700, n = 650;
  Tensor a = Waves(ElementType::kF32, {m, k});
  a.Mutable<double>()[3 * k + 5] = kInf;
  a.Mutable<double>()[7 * k + 6] = std::nan("");
  const Expected<Values> got =
      EvaluateText(Dot(m, k, n, "f32", "f32"), {a, Waves(ElementType::kF32, {k, n})}, {.bounds = true});
  ASSERT_TRUE(got.has_value());
  const Tensor& out = (*got)[0].tensor();
  for (int64_t i = 0; i < m * n; ++i) {
    const double v = out.data<double>()[static_cast<size_t>(i)];
    ASSERT_EQ(std::isinf(v), i / n == 3) << i;
    ASSERT_EQ(std::isnan(v), i / n == 7) << i;
    ASSERT_TRUE(std::isfinite(out.bounds()[static_cast<size_t>(i)])) << i;
  }
}

TEST(StoredTest, LargeProductsOfIntegersAreExact) {
  constexpr int64_t m = 40, k = 700, n = 650;
  // Sums of i32 wrap around; those of great i64 are not exact in double.
  for (const auto& [type, name, factor] : {std::tuple{ElementType::kI32, "i32", int64_t{100003}},
                                           std::tuple{ElementType::kI64, "i64", int64_t{1} << 40}}) {
    Tensor a = Tensor::Make(type, {m, k}), b = Tensor::Make(type, {k, n});
    for (size_t i = 0; i < a.data<int64_t>().size(); ++i)
      a.Mutable<int64_t>()[i] = (static_cast<int64_t>(i % 19) - 9) * factor + 1;
    for (size_t i = 0; i < b.data<int64_t>().size(); ++i)
      b.Mutable<int64_t>()[i] = static_cast<int64_t>(i * 31 % 1009) - 500;
    const Expected<Values> got = EvaluateText(Dot(m, k, n, name, name), {a, b});
    ASSERT_TRUE(got.has_value());
    for (int64_t i = 0; i < m * n; i += 89) {
      uint64_t sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<uint64_t>(a.data<int64_t>()[static_cast<size_t>(i / n * k + p)]) *
               static_cast<uint64_t>(b.data<int64_t>()[static_cast<size_t>(p * n + i % n)]);
      }
      ASSERT_EQ((*got)[0].tensor().data<int64_t>()[static_cast<size_t>(i)], WrapInteger(Info(type), sum)) << name;
    }
  }
}

TEST(StoredTest, MovementMovesStoredElements) {
  for (const ElementType type : {ElementType::kF32, ElementType::kBf16, ElementType::kF8E4M3Fn, ElementType::kI16}) {
    const Tensor t = Waves(type, {6, 50, 7}, 0, true);
    const Tensor s = Stored(t);
    const Tensor zero = Tensor::Zeros(type, {});
    const auto expect = [&](const Tensor& got, const Tensor& expected) {
      EXPECT_NE(got.stored(), nullptr);
      EXPECT_EQ(expected.stored(), nullptr);
      ExpectSame(got, expected);
    };
    expect(Transpose(s, {2, 0, 1}), Transpose(t, {2, 0, 1}));
    expect(BroadcastInDim(s, {6, 2, 50, 7}, {0, 2, 3}), BroadcastInDim(t, {6, 2, 50, 7}, {0, 2, 3}));
    expect(StridedView(s, {3, 25}, {700, 14}, 5), StridedView(t, {3, 25}, {700, 14}, 5));
    // The padding comes first, and a small result is then one of values.
    ExpectSame(Pad(s, zero, {1, 0, 2}, {0, -3, 0}, {1, 0, 0}), Pad(t, zero, {1, 0, 2}, {0, -3, 0}, {1, 0, 0}));
    Move onto(s);
    onto.Copy(t, {50}, {7}, 3, {7}, 0);
    Move expected(t);
    expected.Copy(t, {50}, {7}, 3, {7}, 0);
    expect(onto.Take(), expected.Take());
    ExpectSame(s, t);  // unchanged
  }
}

TEST(StoredTest, MovedErrorsStayWithTheirElements) {
  Tensor exact = Stored(Waves(ElementType::kF32, {4}));
  Tensor wrong = Waves(ElementType::kF32, {4});
  auto bound = MakeBound(4, "test", 1);
  std::ranges::fill(MutableSpan(*bound), 0.5);
  wrong.set_bound(std::move(bound));
  Move move(ElementType::kF32, {8});
  move.Copy(exact, {4}, {1}, 0, {1}, 0);
  move.Copy(wrong, {4}, {1}, 0, {1}, 4);
  const Tensor out = move.Take();
  EXPECT_THAT(out.bounds(), testing::ElementsAre(0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5));
  EXPECT_EQ(out.data<double>()[5], wrong.data<double>()[1]);
}

TEST(StoredTest, ABroadcastOfManyElementsIsStored) {
  const Tensor t = Waves(ElementType::kI16, {1 << 12, 1});
  const Tensor out = BroadcastInDim(t, {1 << 12, 1 << 12}, {0, 1});
  ASSERT_NE(out.stored(), nullptr);
  ForValues<int64_t>(out, [&](int64_t first, std::span<const int64_t> values) {
    for (const int64_t v : values) ASSERT_EQ(v, t.data<int64_t>()[static_cast<size_t>(first >> 12)]);
  });
}

TEST(StoredTest, MasksOfManyElementsAreEvaluatedByBlocks) {
  const auto size = protocol::kManyElements + 12345;
  const std::string shape = std::to_string(size);
  const std::string text = "func.func @main(%a: tensor<" + shape + "xi8>, %b: tensor<" + shape + "xi8>) -> tensor<" +
                           shape + "xi8> {\n  %p = stablehlo.compare LT, %a, %b, SIGNED : (tensor<" + shape +
                           "xi8>, tensor<" + shape + "xi8>) -> tensor<" + shape +
                           "xi1>\n  %n = stablehlo.not %p : tensor<" + shape +
                           "xi1>\n  %0 = stablehlo.select %n, %a, %b : tensor<" + shape + "xi1>, tensor<" + shape +
                           "xi8>\n  return %0 : tensor<" + shape + "xi8>\n}";
  const Tensor a = Waves(ElementType::kI8, {size});
  Tensor shifted = Tensor::Make(ElementType::kI8, {size});
  for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
    shifted.Mutable<int64_t>()[i] = WrapInteger(Info(ElementType::kI8), i * 7919 >> 3);
  }
  const Expected<Values> got = EvaluateText(text, {Stored(a), Stored(shifted)}, {.bounds = true});
  ASSERT_TRUE(got.has_value());
  const Tensor& out = (*got)[0].tensor();
  EXPECT_NE(out.stored(), nullptr);
  EXPECT_EQ(out.bound(), nullptr);
  ForValues<int64_t>(out, [&](int64_t first, std::span<const int64_t> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<size_t>(first) + i;
      ASSERT_EQ(values[i], std::max(a.data<int64_t>()[at], shifted.data<int64_t>()[at])) << at;
    }
  });
}

// A window over the padded operand with the same elements, which is no cumulative one.
std::string Window(std::string_view op, std::string_view init, std::string_view padding, std::string_view window) {
  return fmt::format(
      R"(func.func @main(%x: tensor<3x9x2xf32>) -> tensor<3x9x2xf32> {{
  %c = stablehlo.constant dense<{1}> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %c) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.{0} %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) {{window_dimensions = array<i64: 1, {3}, 1>, padding = dense<[[0, 0], {2}, [0, 0]]> : tensor<3x2xi64>}} : (tensor<3x9x2xf32>, tensor<f32>) -> tensor<3x9x2xf32>
  return %0 : tensor<3x9x2xf32>
}})",
      op, init, padding, window);
}

TEST(StoredTest, CumulativeWindowsHaveTheElementsOfTheirWindows) {
  for (const auto& [op, init] : {std::pair{"add", "0.0"}, std::pair{"multiply", "1.0"},
                                 std::pair{"maximum", "0xFF800000"}, std::pair{"minimum", "0x7F800000"}}) {
    for (const bool specials : {false, true}) {
      const Tensor x = Waves(ElementType::kF32, {3, 9, 2}, 0.2, specials);
      for (const auto& [cumulative, general] : {std::pair{"[8, 0]", "[9, 0]"}, std::pair{"[0, 8]", "[0, 9]"}}) {
        // One position more, which is always padding, changes nothing, but for the number of factors of a product.
        const double relative = std::string_view(op) == "multiply" ? 0.11 : 1e-6;
        const EvalOptions options{.bounds = true, .exact_sums = true, .deviations = true};
        const Expected<Values> got = EvaluateText(Window(op, init, cumulative, "9"), {x}, options);
        const Expected<Values> expected = EvaluateText(Window(op, init, general, "10"), {x}, options);
        ASSERT_TRUE(got.has_value() && expected.has_value());
        const Tensor &a = (*got)[0].tensor(), &b = (*expected)[0].tensor();
        for (int64_t i = 0; i < a.size(); ++i) {
          const auto at = static_cast<size_t>(i);
          const double want = b.data<double>()[at], value = a.data<double>()[at];
          EXPECT_TRUE(value == want || (std::isnan(value) && std::isnan(want)) || std::fabs(value - want) < 1e-6)
              << op << cumulative << i;
          if (b.bounds().empty()) continue;
          const double bound = b.bounds()[at];
          if (std::isinf(bound)) {
            EXPECT_EQ(a.bounds()[at], bound);
          } else {
            EXPECT_NEAR(a.bounds()[at], bound, relative * bound + 1e-30);
          }
        }
      }
    }
  }
}

TEST(StoredTest, PaddingThatIsNoIdentityCounts) {
  const Expected<Values> got =
      EvaluateText(Window("add", "1.0", "[8, 0]", "9"), {Tensor::Zeros(ElementType::kF32, {3, 9, 2})});
  ASSERT_TRUE(got.has_value());
  // The initial value, and as often the padding before the line.
  EXPECT_EQ((*got)[0].tensor().data<double>()[0], 9);
  EXPECT_EQ((*got)[0].tensor().data<double>()[16], 1);
}

}  // namespace
}  // namespace opbyop::reference
