// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/gemm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace opbyop::reference {
namespace {

// Values whose sums depend on the order of the terms.
std::vector<double> Values(int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i)) * std::exp2(i % 40);
  return values;
}

// The product of an m x k and a k x n matrix, row by row.
std::vector<double> Product(int64_t m, int64_t n, int64_t k, int threads) {
  const std::vector<double> a = Values(m * k), b = Values(k * n);
  const Offsets rows = OffsetsOf({m}, {k}), columns = OffsetsOf({n}, {1});
  const Offsets along_a = OffsetsOf({k}, {1}), along_b = OffsetsOf({k}, {n});
  std::vector<double> c(static_cast<size_t>(m * n));
  Gemm({{a.data()}, rows, along_a}, {{b.data()}, columns, along_b}, c.data(), {.threads = threads});
  return c;
}

TEST(GemmTest, ThreadsThatDivideRowsSumInTheSameOrder) {
  EXPECT_EQ(Product(300, 120, 150, 3), Product(300, 120, 150, 1));
}

TEST(GemmTest, ThreadsThatDivideColumnsSumInTheSameOrder) {
  EXPECT_EQ(Product(5, 5000, 300, 4), Product(5, 5000, 300, 1));
}

// Products of few rows or columns are summed along each sum or across the columns, as the layout of the matrix allows.
TEST(GemmTest, AVectorTimesAMatrixIsSummedInTheSameOrderInEveryLayout) {
  for (const bool absolute : {false, true}) {
    for (const int64_t m : {1, 2}) {
      constexpr int64_t n = 2500, k = 37;
      const std::vector<double> a = Values(m * k), b = Values(k * n);
      std::vector<double> transposed(b.size());
      for (int64_t p = 0; p < k; ++p) {
        for (int64_t j = 0; j < n; ++j) transposed[static_cast<size_t>(j * k + p)] = b[static_cast<size_t>(p * n + j)];
      }
      const Offsets rows = OffsetsOf({m}, {k}), along = OffsetsOf({k}, {1});
      std::vector<double> across(static_cast<size_t>(m * n)), along_sums(across.size()), expected(across.size());
      const GemmOptions options{.taken = absolute ? Taken::kModulus : Taken::kValue};
      Gemm({{a.data()}, rows, along}, {{b.data()}, OffsetsOf({n}, {1}), OffsetsOf({k}, {n})}, across.data(), options);
      Gemm({{a.data()}, rows, along}, {{transposed.data()}, OffsetsOf({n}, {k}), along}, along_sums.data(), options);
      for (int64_t i = 0; i < m * n; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const double term = a[static_cast<size_t>(i / n * k + p)] * b[static_cast<size_t>(p * n + i % n)];
          sum += absolute ? std::fabs(term) : term;
        }
        expected[static_cast<size_t>(i)] = sum;
      }
      EXPECT_EQ(across, expected);
      EXPECT_EQ(along_sums, expected);
    }
  }
}

constexpr int64_t kM = 70, kN = 1500, kK = 300;  // more multiply-adds than kWorthBlas, in several blocks

std::atomic<int> calls = 0;

// A right library: c = a * b + beta * c, and whatever c has been before if beta is 0.
template <typename T>
void RightGemm(int, int, int, int m, int n, int k, T, const T* a, int a_stride, const T* b, int b_stride, T beta, T* c,
               int c_stride) {
  ++calls;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) c[i * c_stride + j] = beta == 0 ? 0 : beta * c[i * c_stride + j];
    for (int p = 0; p < k; ++p) {
      for (int j = 0; j < n; ++j) c[i * c_stride + j] += a[i * a_stride + p] * b[p * b_stride + j];
    }
  }
}

// The number that a library that lies adds to one element of its third product.
double lie = 0;

void LyingDgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double* a, int a_stride,
                const double* b, int b_stride, double beta, double* c, int c_stride) {
  RightGemm<double>(order, ta, tb, m, n, k, alpha, a, a_stride, b, b_stride, beta, c, c_stride);
  if (calls == 3) c[(m - 1) * c_stride + n / 2] += lie;
}

void IdleDgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int) {
  ++calls;
}

// The factor by which a library that lies multiplies one element of its second product in f32.
float f32_lie = 1;

void LyingSgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int a_stride,
                const float* b, int b_stride, float beta, float* c, int c_stride) {
  RightGemm<float>(order, ta, tb, m, n, k, alpha, a, a_stride, b, b_stride, beta, c, c_stride);
  if (calls == 2) c[(m - 1) * c_stride + n / 2] *= f32_lie;
}

// The subnormal numbers that a library has met, each of which takes it a hundred times as long as another.
std::atomic<int> subnormals = 0;

void WatchfulSgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int a_stride,
                   const float* b, int b_stride, float beta, float* c, int c_stride) {
  RightGemm<float>(order, ta, tb, m, n, k, alpha, a, a_stride, b, b_stride, beta, c, c_stride);
  const auto count = [](std::span<const float> numbers) {
    return static_cast<int>(std::ranges::count_if(numbers, [](float v) { return std::fpclassify(v) == FP_SUBNORMAL; }));
  };
  subnormals += count(std::span(a, static_cast<size_t>(m * k)));
  subnormals += count(std::span(b, static_cast<size_t>(k * n)));
  subnormals += count(std::span(c, static_cast<size_t>(m * n)));
}

struct Matrices {
  std::vector<double> a, b;
  Offsets rows, columns, along_a, along_b;

  // a is m x k, b is k x n.
  explicit Matrices(int64_t m = kM, int64_t n = kN, int64_t k = kK)
      : a(static_cast<size_t>(m * k)),
        b(static_cast<size_t>(k * n)),
        rows(OffsetsOf({m}, {k})),
        columns(OffsetsOf({n}, {1})),
        along_a(OffsetsOf({k}, {1})),
        along_b(OffsetsOf({k}, {n})) {
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
    for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(i) * 0.7);
  }

  std::vector<double> Times(const GemmOptions& options) const {
    std::vector<double> c(rows.size() * columns.size());
    Gemm({{a.data()}, rows, along_a}, {{b.data()}, columns, along_b}, c.data(), options);
    return c;
  }
};

// Expects two products to differ by no more than the rounding of sums in double.
void ExpectSameButForRounding(const Matrices& matrices, const std::vector<double>& got,
                              const std::vector<double>& expected) {
  const std::vector<double> magnitudes = matrices.Times({.taken = Taken::kModulus});
  const double relative = 2 * static_cast<double>(matrices.along_a.size()) * 0x1p-53;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], relative * magnitudes[i]) << i;
}

TEST(GemmTest, ALibraryComputesLargeProducts) {
  const Matrices matrices;
  const Blas blas{.dgemm = &RightGemm<double>};
  calls = 0;
  for (const Taken taken : {Taken::kValue, Taken::kFiniteModulus}) {
    ExpectSameButForRounding(matrices, matrices.Times({.taken = taken, .blas = &blas}),
                             matrices.Times({.taken = taken}));
  }
  EXPECT_EQ(calls, 8);  // two products of two blocks of columns and two of inner positions
  EXPECT_TRUE(blas.trusted);
}

TEST(GemmTest, ALibraryComputesNoSmallOrThinProducts) {
  const Blas blas{.dgemm = &RightGemm<double>};
  calls = 0;
  for (const Matrices& matrices : {Matrices(20, 20, 20), Matrices(1, 30000, 1000), Matrices(30000, 1000, 2)}) {
    EXPECT_EQ(matrices.Times({.blas = &blas}), matrices.Times({}));
  }
  EXPECT_EQ(calls, 0);
}

TEST(GemmTest, AProductThatALibraryGetsWrongIsComputedAgain) {
  const Matrices matrices;
  const std::vector<double> expected = matrices.Times({});
  // From far below the rounding of f32, which is 2^-24 of the sum of 300 moduli of about 0.4, to no number at all.
  for (const double wrong :
       {1e-9, -1e-6, 0.5, 1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const Blas blas{.dgemm = &LyingDgemm};
    lie = wrong;
    calls = 0;
    ExpectSameButForRounding(matrices, matrices.Times({.blas = &blas}), expected);
    EXPECT_FALSE(blas.trusted) << wrong;
    const int before = calls;
    EXPECT_EQ(matrices.Times({.blas = &blas}), expected);
    EXPECT_EQ(calls, before) << "a library that was wrong once computes nothing more";
  }
}

TEST(GemmTest, ALibraryThatComputesNothingIsFoundOut) {
  const Matrices matrices;
  const Blas blas{.dgemm = &IdleDgemm};
  EXPECT_EQ(matrices.Times({.blas = &blas}), matrices.Times({}));
  EXPECT_FALSE(blas.trusted);
}

// The rounding of the large rows would hide an error in the small ones if all rows had the same weight.
TEST(GemmTest, AnErrorInASmallRowIsFoundAmongLargeRows) {
  Matrices matrices;
  for (size_t i = 0; i + kK < matrices.a.size(); ++i) matrices.a[i] *= 1e20;
  const Blas blas{.dgemm = &LyingDgemm};
  lie = 1e-6;
  calls = 0;
  ExpectSameButForRounding(matrices, matrices.Times({.blas = &blas}), matrices.Times({}));
  EXPECT_FALSE(blas.trusted);
}

TEST(GemmTest, ARightLibraryIsTrustedWithNumbersOfAllSizes) {
  Matrices matrices;
  for (size_t i = 0; i < matrices.a.size(); ++i) matrices.a[i] *= std::exp2(static_cast<double>(i * 37 % 250) - 125);
  for (size_t i = 0; i < matrices.b.size(); ++i) matrices.b[i] *= std::exp2(static_cast<double>(i * 53 % 250) - 125);
  const Blas blas{.dgemm = &RightGemm<double>};
  ExpectSameButForRounding(matrices, matrices.Times({.blas = &blas}), matrices.Times({}));
  EXPECT_TRUE(blas.trusted);
}

// Expects sums of moduli that are not too small, but for the rounding of doubles, and hardly too large.
void ExpectMagnitudes(const std::vector<double>& got, const std::vector<double>& exact) {
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_GE(got[i], exact[i] * (1 - 0x1p-40)) << i;
    ASSERT_LE(got[i], exact[i] * (1 + 0x1p-14)) << i;
  }
}

TEST(GemmTest, ALibraryAddsModuliUpInF32) {
  const Matrices matrices;
  const Blas blas{.dgemm = &RightGemm<double>, .sgemm = &RightGemm<float>};
  calls = 0;
  for (const Taken taken : {Taken::kModulus, Taken::kFiniteModulus}) {
    ExpectMagnitudes(matrices.Times({.taken = taken, .blas = &blas}), matrices.Times({.taken = taken}));
  }
  EXPECT_GT(calls, 0);
  EXPECT_TRUE(blas.trusted_in_f32);
}

// Both are far outside of f32, or their product is.
TEST(GemmTest, ModuliOfAllSizesAreAddedUpInF32) {
  Matrices matrices;
  for (size_t i = 0; i < matrices.a.size(); ++i) matrices.a[i] *= std::exp2(static_cast<double>(i * 37 % 250) - 200);
  for (size_t i = 0; i < matrices.b.size(); ++i) matrices.b[i] *= std::exp2(static_cast<double>(i * 53 % 250) - 200);
  const Blas blas{.dgemm = &RightGemm<double>, .sgemm = &RightGemm<float>};
  ExpectMagnitudes(matrices.Times({.taken = Taken::kFiniteModulus, .blas = &blas}),
                   matrices.Times({.taken = Taken::kFiniteModulus}));
  EXPECT_TRUE(blas.trusted_in_f32);
}

#if defined(__SSE2__)
TEST(GemmTest, ALibraryMeetsNoSubnormalNumbersInF32) {
  Matrices matrices;
  for (size_t i = 0; i < matrices.a.size(); ++i) matrices.a[i] *= std::exp2(-static_cast<double>(i * 37 % 140));
  for (size_t i = 0; i < matrices.b.size(); ++i) matrices.b[i] *= std::exp2(-static_cast<double>(i * 53 % 140));
  const Blas blas{.dgemm = &RightGemm<double>, .sgemm = &WatchfulSgemm};
  ExpectMagnitudes(matrices.Times({.taken = Taken::kModulus, .blas = &blas}),
                   matrices.Times({.taken = Taken::kModulus}));
  EXPECT_EQ(subnormals, 0);
  EXPECT_TRUE(blas.trusted_in_f32);
}
#endif

// A magnitude of a sum of zeros is 0, so that the bound does not accept anything else.
TEST(GemmTest, ModuliOfZerosAddUpToZero) {
  for (const size_t every : {2, 70}) {
    Matrices matrices;
    for (size_t i = 0; i < matrices.a.size(); ++i) {
      if (i / kK % every == 0) matrices.a[i] = 0;
    }
    for (size_t p = 0; p < 8; ++p) matrices.a[kK + p] = 0x1p-140;
    for (size_t p = 8; p < kK; ++p) matrices.a[kK + p] = 0;
    for (size_t j = 0; j < kN; ++j) matrices.b[j] = j % 3 == 0 ? 0x1p100 : 0;
    const Blas blas{.dgemm = &RightGemm<double>, .sgemm = &RightGemm<float>};
    ExpectMagnitudes(matrices.Times({.taken = Taken::kModulus, .blas = &blas}),
                     matrices.Times({.taken = Taken::kModulus}));
    EXPECT_TRUE(blas.trusted_in_f32);
  }
}

TEST(GemmTest, ModuliThatALibraryGetsWrongInF32AreAddedUpInDouble) {
  const Matrices matrices;
  const std::vector<double> exact = matrices.Times({.taken = Taken::kModulus});
  const float inf = std::numeric_limits<float>::infinity();
  for (const float wrong : {0.99F, 0.5F, -1.0F, 0.0F, 1.01F, 1e20F, inf, -inf, std::nanf("")}) {
    const Blas blas{.dgemm = &RightGemm<double>, .sgemm = &LyingSgemm};
    f32_lie = wrong;
    calls = 0;
    ExpectMagnitudes(matrices.Times({.taken = Taken::kModulus, .blas = &blas}), exact);
    EXPECT_TRUE(blas.trusted) << wrong;
  }
}

TEST(GemmTest, EqualModuliWhoseRoundingAddsUpAreNoFaultOfALibrary) {
  for (const double value : {1.0 / 3, 0.7, 1.1}) {
    Matrices matrices;
    for (double& v : matrices.a) v = static_cast<float>(value);
    for (double& v : matrices.b) v = static_cast<float>(value * 1.3);
    const Blas blas{.dgemm = &RightGemm<double>, .sgemm = &RightGemm<float>};
    ExpectMagnitudes(matrices.Times({.taken = Taken::kModulus, .blas = &blas}),
                     matrices.Times({.taken = Taken::kModulus}));
    EXPECT_TRUE(blas.trusted_in_f32);
  }
}

TEST(GemmTest, ThreadsThatUseALibrarySumInTheSameOrder) {
  const Blas* blas = InstalledBlas();
  if (blas == nullptr) GTEST_SKIP() << "this machine has no OpenBLAS";
  for (const Matrices& matrices : {Matrices(70, 3000, 300), Matrices(3000, 90, 300), Matrices(700, 1025, 333)}) {
    const std::vector<double> alone = matrices.Times({.blas = blas});
    ExpectSameButForRounding(matrices, alone, matrices.Times({}));
    EXPECT_EQ(matrices.Times({.blas = blas, .threads = 3}), alone);
  }
  EXPECT_TRUE(blas->trusted);
}

TEST(GemmTest, NumbersAreReadAsTheyAreStored) {
  constexpr int64_t n = 40, k = 20;
  std::vector<double> table(16);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<double>(i) - 7.5;
  std::vector<uint8_t> codes8(n * k);
  std::vector<uint16_t> codes16(n * k), bf16(n * k);
  std::vector<float> floats(n * k);
  std::vector<int64_t> integers(n * k);
  std::vector<double> coded(n * k), wide(n * k), whole(n * k);
  for (size_t i = 0; i < coded.size(); ++i) {
    codes8[i] = static_cast<uint8_t>(i * 7 + i / 16);  // bits beyond the mask are set too
    codes16[i] = codes8[i];
    coded[i] = table[codes8[i] & 15];
    bf16[i] = static_cast<uint16_t>(0x3f80 + i % 100);
    floats[i] = std::bit_cast<float>(static_cast<uint32_t>(bf16[i]) << 16);
    wide[i] = static_cast<double>(floats[i]);
    integers[i] = static_cast<int64_t>(i) - 300;
    whole[i] = static_cast<double>(integers[i]);
  }
  const std::vector<double> a = Values(5 * k);
  const Offsets rows = OffsetsOf({5}, {k}), along = OffsetsOf({k}, {1});
  const auto times = [&](const StoredNumbers& b, bool transposed) {
    std::vector<double> c(5 * n);
    const Offsets outer = OffsetsOf({n}, {transposed ? k : 1}), inner = OffsetsOf({k}, {transposed ? 1 : n});
    Gemm({{a.data()}, rows, along}, {b, outer, inner}, c.data());
    return c;
  };
  for (const bool transposed : {false, true}) {
    EXPECT_EQ(times({codes8.data(), NumberForm::kCode8, table.data(), 15}, transposed),
              times({coded.data()}, transposed));
    EXPECT_EQ(times({codes16.data(), NumberForm::kCode16, table.data(), 15}, transposed),
              times({coded.data()}, transposed));
    EXPECT_EQ(times({bf16.data(), NumberForm::kBf16}, transposed), times({wide.data()}, transposed));
    EXPECT_EQ(times({floats.data(), NumberForm::kF32}, transposed), times({wide.data()}, transposed));
    EXPECT_EQ(times({integers.data(), NumberForm::kI64}, transposed), times({whole.data()}, transposed));
  }
}

TEST(GemmTest, InfinitiesAndNaNCountAsZeroInFiniteModuli) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> a = {1, inf, -3}, b = {-2, 5, std::numeric_limits<double>::quiet_NaN()};
  const Offsets one = {0}, along = {0, 1, 2};
  double c = -1;
  Gemm({{a.data()}, one, along}, {{b.data()}, one, along}, &c, {.taken = Taken::kFiniteModulus});
  EXPECT_EQ(c, 2);
  Gemm({{a.data()}, one, along}, {{b.data()}, one, along}, &c, {.taken = Taken::kNonzero});
  EXPECT_EQ(c, 3);
}

}  // namespace
}  // namespace opbyop::reference
