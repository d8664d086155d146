// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/inputs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/draw_text.h"

namespace opbyop::reference {
namespace {

std::vector<Tensor> Inputs(const std::string& text, InputKind kind = InputKind::kDomain, uint64_t seed = 1) {
  return DrawText(text, kind, seed);
}

// Recorded once. Results name their inputs by seed, so these values must never change.
constexpr double kFirstValue = 7.20072;
constexpr uint64_t kFirstSeed = 7831601871002324210;

const char* kLog = R"(func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.log %a : tensor<1000xf32>
  return %0 : tensor<1000xf32>
})";

TEST(InputsTest, LogGetsPositiveNumbers) {
  const Tensor a = Inputs(kLog)[0];
  for (const double v : a.data<double>()) EXPECT_GT(v, 0);
}

TEST(InputsTest, TheSameSeedGivesTheSameBytesAndAnotherSeedOtherBytes) {
  const Tensor a = Inputs(kLog)[0];
  const Tensor same = Inputs(kLog)[0];
  const Tensor other = Inputs(kLog, InputKind::kDomain, 2)[0];
  EXPECT_TRUE(std::ranges::equal(a.data<double>(), same.data<double>()));
  EXPECT_FALSE(std::ranges::equal(a.data<double>(), other.data<double>()));
}

TEST(InputsTest, FirstValuesAreFixedForEver) {
  const Tensor a = Inputs(kLog)[0];
  EXPECT_NEAR(a.data<double>()[0], kFirstValue, 1e-5);
  EXPECT_EQ(SeedOf("add_2x3_f32_00000000", 0), kFirstSeed);
  EXPECT_NE(SeedOf("a", 0), SeedOf("b", 0));
}

TEST(InputsTest, TheErrorForADynamicShapeNamesTheFlagThatSetsIt) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(
      "func.func @main(%a: tensor<4xf32>, %b: tensor<?x4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }",
      "test.mlir", context);
  ASSERT_TRUE(module);
  const auto inputs = MakeInputs(module->get(), InputKind::kDomain, 1);
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, ExitCode::kUnsupported);
  EXPECT_EQ(inputs.error().message,
            "unsupported: argument 1 of type tensor<?x4xf32>; a program for one shape is made by --shape 1=SHAPE");
}

// The specification says nothing if a is not below b.
TEST(InputsTest, NumbersAreDrawnFromAnInterval) {
  for (const std::string type : {"i2", "ui2", "i64", "ui8", "f4E2M1FN", "f32"}) {
    const std::string scalar = "tensor<" + type + ">";
    const std::vector<Tensor> ends = Inputs(
        "func.func @main(%a: " + scalar + ", %b: " + scalar + ") -> tensor<7x" + type +
        "> {\n  %s = stablehlo.constant dense<7> : tensor<1xi64>\n  %0 = stablehlo.rng %a, %b, %s, distribution = "
        "UNIFORM : (" +
        scalar + ", " + scalar + ", tensor<1xi64>) -> tensor<7x" + type + ">\n  return %0 : tensor<7x" + type + ">\n}");
    if (ends[0].kind() == ElementKind::kFloat) {
      EXPECT_LT(ends[0].data<double>()[0], ends[1].data<double>()[0]) << type;
    } else {
      EXPECT_LT(ends[0].data<int64_t>()[0], ends[1].data<int64_t>()[0]) << type;
    }
  }
}

std::string Reduction(const std::string& function, const std::string& type) {
  return "func.func @main(%a: tensor<5x" + type + ">, %i: tensor<" + type + ">) -> tensor<" + type +
         "> {\n  %0 = stablehlo.reduce(%a init: %i) applies stablehlo." + function +
         " across dimensions = [0] : (tensor<5x" + type + ">, tensor<" + type + ">) -> tensor<" + type +
         ">\n  return %0 : tensor<" + type + ">\n}";
}

// The specification allows an implementation to use the initial value any number of times.
TEST(InputsTest, AReductionBeginsWithTheIdentityOfItsFunction) {
  const auto initial = [](const char* function, const char* type) {
    return Inputs(Reduction(function, type), InputKind::kEdge)[1];
  };
  EXPECT_EQ(initial("add", "f32").data<double>()[0], 0);
  EXPECT_EQ(initial("multiply", "bf16").data<double>()[0], 1);
  EXPECT_EQ(initial("maximum", "f32").data<double>()[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(initial("minimum", "f8E4M3FN").data<double>()[0], 448) << "the type has no infinity";
  EXPECT_EQ(initial("multiply", "complex<f32>").data<Complex>()[0], Complex(1));
  EXPECT_EQ(initial("maximum", "i8").data<int64_t>()[0], -128);
  EXPECT_EQ(initial("minimum", "i8").data<int64_t>()[0], 127);
  EXPECT_EQ(initial("minimum", "ui8").data<int64_t>()[0], 255);
  EXPECT_EQ(initial("and", "i16").data<int64_t>()[0], -1);
  EXPECT_EQ(initial("maximum", "i1").data<uint8_t>()[0], 0);
  EXPECT_EQ(initial("and", "i1").data<uint8_t>()[0], 1);
}

TEST(InputsTest, AReductionOfSeveralTensorsBeginsWithTheIdentityOfEachFunction) {
  const std::vector<Tensor> inputs = Inputs(
      R"(func.func @main(%a: tensor<5xf32>, %b: tensor<5xi32>, %i: tensor<f32>, %j: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0]
        : (tensor<5xf32>, tensor<5xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
      reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>) {
        %m = stablehlo.maximum %x, %y : tensor<f32>
        %s = stablehlo.add %u, %v : tensor<i32>
        stablehlo.return %m, %s : tensor<f32>, tensor<i32>
      }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  })");
  EXPECT_EQ(inputs[2].data<double>()[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(inputs[3].data<int64_t>()[0], 0);
}

TEST(InputsTest, AUnitDiagonalIsOne) {
  const Tensor a = Inputs(R"(func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  })",
                          InputKind::kEdge)[0];
  EXPECT_EQ(a.data<double>()[0], 1);
  EXPECT_EQ(a.data<double>()[3], 1);
}

TEST(InputsTest, GatherIndicesAreInRange) {
  const auto inputs = Inputs(R"(func.func @main(%a: tensor<7x2xf32>, %i: tensor<100x1xi32>) -> tensor<100x2xf32> {
    %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 2>, indices_are_sorted = false} : (tensor<7x2xf32>, tensor<100x1xi32>) -> tensor<100x2xf32>
    return %0 : tensor<100x2xf32>
  })");
  const auto indices = inputs[1].data<int64_t>();
  EXPECT_GE(*std::ranges::min_element(indices), 0);
  EXPECT_LE(*std::ranges::max_element(indices), 6);
  EXPECT_EQ(std::set<int64_t>(indices.begin(), indices.end()).size(), 7u);
}

const char* kScatter =
    R"(func.func @main(%a: tensor<40x3xf32>, %i: tensor<20x1xi32>, %u: tensor<20x3xf32>) -> tensor<40x3xf32> {
    %0 = "stablehlo.scatter"(%a, %i, %u) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %y : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}
      : (tensor<40x3xf32>, tensor<20x1xi32>, tensor<20x3xf32>) -> tensor<40x3xf32>
    return %0 : tensor<40x3xf32>
  })";

TEST(InputsTest, SortedIndicesAreSortedByTheOperandsDimensions) {
  const char* const gather =
      R"(func.func @main(%a: tensor<7x9x2xf32>, %i: tensor<2x100xui8>) -> tensor<100x2xf32> {
    %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0>,
      slice_sizes = array<i64: 1, 1, 2>, indices_are_sorted = true}
      : (tensor<7x9x2xf32>, tensor<2x100xui8>) -> tensor<100x2xf32>
    return %0 : tensor<100x2xf32>
  })";
  for (const InputKind kind : {InputKind::kDomain, InputKind::kEdge}) {
    const Tensor indices = Inputs(gather, kind)[1];
    std::vector<std::pair<int64_t, int64_t>> rows;
    for (size_t v = 0; v < 100; ++v) rows.emplace_back(indices.data<int64_t>()[100 + v], indices.data<int64_t>()[v]);
    EXPECT_TRUE(std::ranges::is_sorted(rows)) << ToString(kind);
    EXPECT_GT(std::set(rows.begin(), rows.end()).size(), 20u) << ToString(kind);
  }
}

TEST(InputsTest, SortedEdgeIndicesOfAScatterStayUnique) {
  std::string text = kScatter;
  text.insert(text.find("unique_indices"), "indices_are_sorted = true, ");
  const Tensor indices = Inputs(text, InputKind::kEdge)[1];
  EXPECT_TRUE(std::ranges::is_sorted(indices.data<int64_t>()));
  EXPECT_LT(indices.data<int64_t>().front(), 0) << "indices out of bounds are among them";
}

TEST(InputsTest, SortGetsDistinctValues) {
  const auto inputs = Inputs(R"(func.func @main(%a: tensor<500xf32>) -> tensor<500xf32> {
    %0 = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
    }) {dimension = 0 : i64, is_stable = false} : (tensor<500xf32>) -> tensor<500xf32>
    return %0 : tensor<500xf32>
  })");
  const auto values = inputs[0].data<double>();
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 500u);
}

TEST(InputsTest, SortedNumbersHaveInfinitiesOnlyIfTheirTypeHas) {
  for (const auto& [type, infinities] : {std::pair("f32", 2), {"f8E5M2", 2}, {"f8E4M3FNUZ", 0}, {"f8E4M3FN", 0}}) {
    const std::string scalar = std::string("tensor<") + type + ">";
    const std::string tensor = std::string("tensor<16x") + type + ">";
    const auto inputs = Inputs("func.func @main(%a: " + tensor + ") -> " + tensor + R"( {
    %0 = "stablehlo.sort"(%a) ({
      ^bb0(%x: )" + scalar +
                                   ", %y: " + scalar + R"():
        %1 = stablehlo.compare LT, %x, %y : ()" +
                                   scalar + ", " + scalar + R"() -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
    }) {dimension = 0 : i64, is_stable = false} : ()" +
                                   tensor + ") -> " + tensor + "\n  return %0 : " + tensor + "\n}\n",
                               InputKind::kEdge);
    int found = 0;
    for (const double v : inputs[0].data<double>()) {
      EXPECT_FALSE(std::isnan(v)) << type;
      found += std::isinf(v);
    }
    EXPECT_EQ(found, infinities) << type;
  }
}

TEST(InputsTest, DivisorsStayAwayFromZero) {
  const auto inputs = Inputs(R"(func.func @main(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> {
    %0 = stablehlo.divide %a, %b : tensor<1000xf32>
    return %0 : tensor<1000xf32>
  })");
  for (const double v : inputs[1].data<double>()) EXPECT_GE(std::abs(v), 0.5);
}

TEST(InputsTest, RolesAreFoundBehindCallsAndReshapes) {
  const auto inputs = Inputs(R"(
  func.func @main(%a: tensor<10xf32>) -> tensor<2x5xf32> {
    %0 = stablehlo.reshape %a : (tensor<10xf32>) -> tensor<2x5xf32>
    %1 = func.call @f(%0) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
  func.func private @f(%a: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %0 = stablehlo.rsqrt %a : tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  })");
  for (const double v : inputs[0].data<double>()) EXPECT_GT(v, 0);
}

TEST(InputsTest, ComparisonsSeeEqualNumbersAndIsFiniteSeesInfinities) {
  const auto compared = Inputs(R"(func.func @main(%a: tensor<100xf32>, %b: tensor<100xf32>) -> tensor<100xi1> {
    %0 = stablehlo.compare EQ, %a, %b : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
    return %0 : tensor<100xi1>
  })");
  int64_t equal = 0;
  for (size_t i = 0; i < 100; ++i) equal += compared[0].data<double>()[i] == compared[1].data<double>()[i];
  EXPECT_GT(equal, 0);
  EXPECT_LT(equal, 100);
  const auto finite = Inputs(R"(func.func @main(%a: tensor<100xf32>) -> tensor<100xi1> {
    %0 = stablehlo.is_finite %a : (tensor<100xf32>) -> tensor<100xi1>
    return %0 : tensor<100xi1>
  })");
  const int64_t infinite = std::ranges::count_if(finite[0].data<double>(), [](double v) { return !std::isfinite(v); });
  EXPECT_GT(infinite, 0);
  EXPECT_LT(infinite, 100);
}

TEST(InputsTest, ConversionsStayInsideTheirTarget) {
  const auto inputs = Inputs(R"(func.func @main(%a: tensor<1000xf32>) -> tensor<1000xui8> {
    %0 = stablehlo.convert %a : (tensor<1000xf32>) -> tensor<1000xui8>
    return %0 : tensor<1000xui8>
  })");
  for (const double v : inputs[0].data<double>()) EXPECT_GE(v, 0);
}

TEST(InputsTest, ExactIntegersAreSmallIntegersAndEdgesAreEdges) {
  const std::string text = R"(func.func @main(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> {
    %0 = stablehlo.add %a, %b : tensor<1000xf32>
    return %0 : tensor<1000xf32>
  })";
  const Tensor exact = Inputs(text, InputKind::kExactInt)[0];
  for (const double v : exact.data<double>()) {
    EXPECT_EQ(v, std::rint(v));
    EXPECT_LE(std::abs(v), 4);
  }
  const Tensor edge = Inputs(text, InputKind::kEdge)[0];
  EXPECT_TRUE(std::ranges::any_of(edge.data<double>(), [](double v) { return std::isnan(v); }));
  EXPECT_TRUE(std::ranges::any_of(edge.data<double>(), [](double v) { return std::isinf(v); }));
}

TEST(InputsTest, EveryEdgeDrawOfAFewNumbersHasAnEdge) {
  // The program is not elementwise, so that each argument is drawn by itself.
  const auto text = [](std::string_view type) {
    return fmt::format(R"(func.func @main(%a: tensor<2x{0}>) -> tensor<2x{0}> {{
      %0 = stablehlo.add %a, %a : tensor<2x{0}>
      %1 = stablehlo.reverse %0, dims = [0] : tensor<2x{0}>
      return %1 : tensor<2x{0}>
    }})",
                       type);
  };
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (const char* type : {"f32", "bf16", "i32"}) {
      const std::string program = text(type);
      EXPECT_NE(TensorToBytes(Inputs(program, InputKind::kEdge, seed)[0]),
                TensorToBytes(Inputs(program, InputKind::kDomain, seed)[0]))
          << type << ", seed " << seed;
    }
  }
}

// Imaginary parts decide only where the real parts are equal.
TEST(InputsTest, ComplexNumbersThatAreComparedHaveEqualRealParts) {
  for (const std::string op : {"stablehlo.maximum", "stablehlo.minimum"}) {
    for (const InputKind kind : {InputKind::kDomain, InputKind::kEdge}) {
      const std::string type = "tensor<40xcomplex<f32>>";
      const std::vector<Tensor> drawn =
          Inputs("func.func @main(%a: " + type + ", %b: " + type + ") -> " + type + " {\n%0 = " + op +
                     " %a, %b : " + type + "\nreturn %0 : " + type + "\n}",
                 kind);
      int64_t ties = 0;
      for (size_t i = 0; i < 40; ++i) {
        const Complex a = drawn[0].data<Complex>()[i], b = drawn[1].data<Complex>()[i];
        ties += a.real() == b.real() && a.imag() != b.imag();
      }
      EXPECT_GE(ties, 2) << op << ToString(kind);
    }
  }
}

TEST(InputsTest, SomeVariancesAreAsSmallAsTheEpsilonThatIsAddedToThem) {
  const auto variances = [](const std::string& type, const std::string& epsilon) {
    const std::string x = "tensor<2x64x" + type + ">", f = "tensor<64x" + type + ">";
    const auto inputs =
        Inputs("func.func @main(%x: " + x + ", %s: " + f + ", %o: " + f + ", %m: " + f + ", %v: " + f + ") -> " + x +
                   " {\n%0 = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %m, %v) {epsilon = " + epsilon +
                   " : f32, feature_index = 1 : i64} : (" + x + ", " + f + ", " + f + ", " + f + ", " + f + ") -> " +
                   x + "\nreturn %0 : " + x + "\n}",
               InputKind::kDomain);
    const std::span<const double> drawn = inputs[4].data<double>();
    return std::vector<double>(drawn.begin(), drawn.end());
  };
  const auto small = [](double v) { return v < 0.25; };
  const std::vector<double> drawn = variances("bf16", "1.0e-5");
  EXPECT_GE(std::ranges::count_if(drawn, small), 8);
  EXPECT_GE(std::ranges::min(drawn), 0.24e-5);
  EXPECT_EQ(std::ranges::count_if(variances("f16", "1.0e-12"), small), 0) << "the results would overflow";
  EXPECT_LE(std::ranges::min(variances("f8E4M3FN", "0.0625")), 0.0625 / 16) << "its bound has the size of the result";
}

// If a batch norm computes the moments of its operand, some features have a small variance instead.
TEST(InputsTest, SomeFeaturesSpreadNoMoreThanTheEpsilonThatIsAddedToTheirVariance) {
  const auto greatest = [](int64_t features, const std::string& type, const std::string& epsilon) {
    const std::string x = fmt::format("tensor<32x{}x2x{}>", features, type);
    const std::string f = fmt::format("tensor<{}x{}>", features, type);
    const Tensor drawn =
        Inputs("func.func @main(%x: " + x + ", %s: " + f + ", %o: " + f + ") -> (" + x + ", " + f + ", " + f +
                   ") {\n%0:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) {epsilon = " + epsilon +
                   " : f32, feature_index = 1 : i64} : (" + x + ", " + f + ", " + f + ") -> (" + x + ", " + f + ", " +
                   f + ")\nreturn %0#0, %0#1, %0#2 : " + x + ", " + f + ", " + f + "\n}",
               InputKind::kDomain)[0];
    std::vector<double> most(static_cast<size_t>(features));
    for (size_t i = 0; i < drawn.data<double>().size(); ++i) {
      double& v = most[i / 2 % most.size()];
      v = std::max(v, std::fabs(drawn.data<double>()[i]));
    }
    return most;
  };
  const auto small = [](double v) { return v < 0.25; };
  for (const std::string type : {"f32", "bf16", "f16"}) {
    const std::vector<double> most = greatest(8, type, "1.0e-3");
    EXPECT_EQ(std::ranges::count_if(most, small), 2) << type;
    EXPECT_GT(std::ranges::min(most), 0.004) << type;
  }
  EXPECT_EQ(std::ranges::count_if(greatest(2, "bf16", "1.0e-3"), small), 1);
  EXPECT_EQ(std::ranges::count_if(greatest(1, "bf16", "1.0e-3"), small), 0) << "all that there is";
  EXPECT_EQ(std::ranges::count_if(greatest(8, "f16", "1.0e-12"), small), 0) << "squares would vanish";
  EXPECT_EQ(std::ranges::count_if(greatest(8, "f8E5M2", "1.0e-3"), small), 0) << "roundings hide it";
}

// Partial sums in fewer digits than those of f32 are then detected.
TEST(InputsTest, ExactIntegersOfFactorsNeedMoreDigitsThanTheirTypeHas) {
  const auto product = [](int64_t k, const std::string& rest) {
    return fmt::format(R"(func.func @main(%a: tensor<4x{0}xbf16>, %b: tensor<{0}x4xbf16>) -> tensor<4x4xbf16> {{
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x{0}xbf16>, tensor<{0}x4xbf16>) -> tensor<4x4xbf16>
    {1}
  }})",
                       k, rest);
  };
  const auto greatest = [&](int64_t k, const std::string& rest = "return %0 : tensor<4x4xbf16>") {
    const Tensor factor = Inputs(product(k, rest), InputKind::kExactInt)[0];
    return std::ranges::max(factor.data<double>());
  };
  EXPECT_EQ(greatest(1030), 15);
  EXPECT_EQ(greatest(1 << 20), 4) << "products up to 16 in 2^20 terms are exact in f32";
  EXPECT_EQ(greatest(1030, "%1 = stablehlo.tanh %0 : tensor<4x4xbf16>\n return %1 : tensor<4x4xbf16>"), 1);
}

std::string SortOf(bool stable) {
  return std::string(R"(func.func @main(%a: tensor<200xf32>) -> tensor<200xf32> {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = )") +
         (stable ? "true" : "false") + R"(}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %c = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }) : (tensor<200xf32>) -> tensor<200xf32>
    return %0 : tensor<200xf32>
  })";
}

size_t Different(const Tensor& t) {
  const auto values = t.data<double>();
  return std::set<double>(values.begin(), values.end()).size();
}

// If nothing is sorted with them, equal keys give the same result in every order. line_inputs_test.cc tests keys that
// are sorted with other operands.
TEST(InputsTest, TiesAreDrawnOnlyIfTheirOrderIsDefinedOrDoesNotMatter) {
  EXPECT_LT(Different(Inputs(SortOf(true), InputKind::kExactInt)[0]), 20U);
  EXPECT_EQ(Different(Inputs(SortOf(true))[0]), 200U);
  EXPECT_EQ(Different(Inputs(SortOf(false), InputKind::kExactInt)[0]), 200U);
  EXPECT_EQ(Different(Inputs(SortOf(false), InputKind::kEdge)[0]), 175U);
}

TEST(InputsTest, ANumberAddedToAConstantUnderARootIsPositive) {
  const Tensor a = Inputs(R"(func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
    %e = stablehlo.constant dense<1.0e-5> : tensor<f32>
    %b = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %0 = stablehlo.add %a, %b : tensor<100xf32>
    %1 = stablehlo.rsqrt %0 : tensor<100xf32>
    return %1 : tensor<100xf32>
  })")[0];
  for (const double v : a.data<double>()) EXPECT_GT(v, 0);
}

// Every bit is drawn, and so are numbers of few bits. Otherwise a high product, a shift to the right and a count of
// leading zeros would hardly vary.
TEST(InputsTest, OpsOnBitsGetNumbersOfEveryLength) {
  for (const char* type : {"i8", "i32", "i64", "ui16", "ui64"}) {
    const std::string tensor = "tensor<200x" + std::string(type) + ">";
    const Tensor a = Inputs("func.func @main(%a: " + tensor + ", %b: " + tensor + ") -> " + tensor +
                            " {\n  %0 = chlo.mulhi %a, %b : " + tensor + ", " + tensor + " -> " + tensor +
                            "\n  return %0 : " + tensor + "\n}")[0];
    std::set<int> lengths;
    const int width = Info(a.type()).width;
    for (const int64_t v : a.data<int64_t>()) {
      lengths.insert(64 - std::countl_zero(static_cast<uint64_t>(v) << (64 - width) >> (64 - width)));
    }
    EXPECT_TRUE(lengths.contains(0)) << type;
    EXPECT_TRUE(lengths.contains(width)) << type;
    EXPECT_GT(lengths.size(), static_cast<size_t>(width / 2)) << type;
  }
}

TEST(InputsTest, AnIntegerThatIsAFactorOfAllOthersIsNotZero) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto inputs = Inputs(R"(func.func @main(%a: tensor<ui64>, %b: tensor<3x2xui64>) -> tensor<3x2xui64> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<ui64>, tensor<3x2xui64>) -> tensor<3x2xui64>
      return %0 : tensor<3x2xui64>
    })",
                               InputKind::kDomain, seed);
    EXPECT_NE(inputs[0].data<int64_t>()[0], 0) << seed;
  }
}

TEST(InputsTest, TheMinimumAndTheAndOfUnsignedNumbersAreNotZero) {
  for (const std::string type : {"ui2", "ui4", "ui8", "ui64"}) {
    for (const std::string function : {"minimum", "and"}) {
      const auto inputs =
          Inputs("func.func @main(%a: tensor<3x40x" + type + ">, %b: tensor<" + type + ">) -> tensor<3x" + type +
                 "> {\n %0 = stablehlo.reduce(%a init: %b) applies stablehlo." + function +
                 " across dimensions = [1] : (tensor<3x40x" + type + ">, tensor<" + type + ">) -> tensor<3x" + type +
                 ">\n return %0 : tensor<3x" + type + ">\n}");
      int64_t common = -1;
      for (const int64_t v : inputs[0].data<int64_t>()) common &= v;
      if (function == "and") EXPECT_NE(common, 0) << type;
      EXPECT_TRUE(std::ranges::none_of(inputs[0].data<int64_t>(), [](int64_t v) { return v == 0; }))
          << type << function;
    }
  }
}

TEST(InputsTest, ShiftsGetAmountsBelowTheWidth) {
  const auto inputs = Inputs(R"(func.func @main(%a: tensor<100xi32>, %b: tensor<100xi32>) -> tensor<100xi32> {
    %0 = stablehlo.shift_right_logical %a, %b : tensor<100xi32>
    return %0 : tensor<100xi32>
  })");
  EXPECT_TRUE(std::ranges::any_of(inputs[0].data<int64_t>(), [](int64_t v) { return v > 1 << 29; }));
  for (const int64_t v : inputs[1].data<int64_t>()) EXPECT_TRUE(v >= 0 && v < 32) << v;
}

TEST(InputsTest, MostSumsOfEdgeAreFinite) {
  const auto inputs =
      Inputs(R"(func.func @main(%a: tensor<200x300xf32>, %b: tensor<300x100xf32>) -> tensor<200x100xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<200x300xf32>, tensor<300x100xf32>) -> tensor<200x100xf32>
    return %0 : tensor<200x100xf32>
  })",
             InputKind::kEdge);
  const auto lost = [](double v) { return !std::isfinite(v) || std::abs(v) > 1e36; };
  int64_t rows = 0;
  int64_t columns = 0;
  for (size_t r = 0; r < 200; ++r) rows += std::ranges::any_of(inputs[0].data<double>().subspan(r * 300, 300), lost);
  for (size_t c = 0; c < 100; ++c) {
    bool any = false;
    for (size_t k = 0; k < 300; ++k) any = any || lost(inputs[1].data<double>()[k * 100 + c]);
    columns += any;
  }
  EXPECT_GT(rows, 10);
  EXPECT_LT(rows, 50);
  EXPECT_GT(columns, 5);
  EXPECT_LT(columns, 25);
  EXPECT_GT(std::ranges::count(inputs[0].data<double>(), 0.0), 60000 / 40);
}

TEST(InputsTest, EdgeIndicesLieBeyondBothEndsAndStayUniqueIfDemanded) {
  const Tensor indices = Inputs(kScatter, InputKind::kEdge)[1];
  std::set<int64_t> inside;
  std::set<int64_t> outside;
  int64_t count = 0;
  for (const int64_t v : indices.data<int64_t>()) {
    count += v >= 0 && v < 40;
    (v >= 0 && v < 40 ? inside : outside).insert(v);
  }
  EXPECT_EQ(count, 15);
  EXPECT_EQ(inside.size(), 15U);
  EXPECT_EQ(outside,
            (std::set<int64_t>{-1, 40, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}));
}

TEST(InputsTest, SeedsGiveASingleEdgeIndexAllItsEdges) {
  const char* const slice = R"(func.func @main(%a: tensor<10xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.dynamic_slice %a, %i, sizes = [4] : (tensor<10xf32>, tensor<i32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })";
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 60; ++seed) seen.insert(Inputs(slice, InputKind::kEdge, seed)[1].data<int64_t>()[0]);
  EXPECT_EQ(seen,
            (std::set<int64_t>{-1, 7, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), 6, 0}));
}

TEST(InputsTest, EdgeMatricesCanBeFactored) {
  const char* const cholesky = R"(func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  })";
  EXPECT_TRUE(
      std::ranges::equal(Inputs(cholesky, InputKind::kEdge)[0].data<double>(), Inputs(cholesky)[0].data<double>()));
}

TEST(InputsTest, OrdersOfDerivativesAreIntegers) {
  const char* const polygamma = R"(func.func @main(%n: tensor<50xf32>, %x: tensor<50xf32>) -> tensor<50xf32> {
    %0 = chlo.polygamma %n, %x : tensor<50xf32>, tensor<50xf32> -> tensor<50xf32>
    return %0 : tensor<50xf32>
  })";
  for (const InputKind kind : {InputKind::kDomain, InputKind::kEdge, InputKind::kSweep}) {
    const Tensor orders = Inputs(polygamma, kind)[0];
    for (const double n : orders.data<double>()) EXPECT_EQ(n, std::rint(n));
  }
}

// Draws the arguments of a program by blocks where that is possible, and expects what is drawn as a whole.
void ExpectTheSameByBlocks(const std::string& text, InputKind kind, const std::vector<bool>& by_blocks) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  ASSERT_TRUE(module) << module.error().message;
  const auto whole = MakeInputs(**module, kind, 5);
  const auto parts = MakeInputs(**module, kind, 5, LargeInputs::kByBlocks);
  ASSERT_TRUE(whole && parts);
  ASSERT_EQ(parts->size(), by_blocks.size());
  for (size_t i = 0; i < parts->size(); ++i) {
    const InputData& part = (*parts)[i];
    EXPECT_EQ(static_cast<bool>(part.draw), by_blocks[i]) << i;
    std::vector<std::byte> bytes = part.bytes;
    if (part.draw) {
      constexpr int64_t kBlock = 70'001;
      const int64_t count = SizeOf(part.shape), each = StoredBytes(part.type);
      bytes.resize(static_cast<size_t>(count * each));
      for (int64_t at = 0; at < count; at += kBlock) {
        part.draw(at, std::min(kBlock, count - at), bytes.data() + at * each);
      }
    }
    EXPECT_TRUE(bytes == (*whole)[i].bytes) << i;
  }
}

TEST(InputsTest, LargeArgumentsDrawnByBlocksAreThoseDrawnAsAWhole) {
  const char* const select = R"(func.func @main(%p: tensor<1100x1000xi1>, %a: tensor<1100x1000xbf16>,
      %b: tensor<1100x1000xbf16>) -> tensor<1100x1000xbf16> {
    %0 = stablehlo.select %p, %a, %b : tensor<1100x1000xi1>, tensor<1100x1000xbf16>
    return %0 : tensor<1100x1000xbf16>
  })";
  ExpectTheSameByBlocks(select, InputKind::kDomain, {true, true, true});
  const char* const add = R"(func.func @main(%a: tensor<1100000xcomplex<f32>>, %b: tensor<1100000xcomplex<f32>>)
      -> tensor<1100000xcomplex<f32>> {
    %0 = stablehlo.add %a, %b : tensor<1100000xcomplex<f32>>
    return %0 : tensor<1100000xcomplex<f32>>
  })";
  ExpectTheSameByBlocks(add, InputKind::kDomain, {true, true});
  const char* const negate = R"(func.func @main(%a: tensor<1100000xi32>) -> tensor<1100000xi32> {
    %0 = stablehlo.negate %a : tensor<1100000xi32>
    return %0 : tensor<1100000xi32>
  })";
  ExpectTheSameByBlocks(negate, InputKind::kDomain, {true});
}

TEST(InputsTest, ArgumentsWhoseElementsDependOnEachOtherAreDrawnAsAWhole) {
  const char* const sort = R"(func.func @main(%a: tensor<1100000xf32>) -> tensor<1100000xf32> {
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<1100000xf32>) -> tensor<1100000xf32>
    return %0 : tensor<1100000xf32>
  })";
  ExpectTheSameByBlocks(sort, InputKind::kDomain, {false});
  const char* const product = R"(func.func @main(%a: tensor<2x1000xf32>, %b: tensor<1000x1100xf32>)
      -> tensor<2x1100xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x1000xf32>, tensor<1000x1100xf32>)
      -> tensor<2x1100xf32>
    return %0 : tensor<2x1100xf32>
  })";
  ExpectTheSameByBlocks(product, InputKind::kDomain, {false, true});
  ExpectTheSameByBlocks(product, InputKind::kEdge, {false, false});
  ExpectTheSameByBlocks(product, InputKind::kSparse, {false, false});
}

}  // namespace
}  // namespace opbyop::reference
