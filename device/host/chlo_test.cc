// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles and runs CHLO ops and compares with values that were computed with 25 digits.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <limits>

#include "device/host/run_program.h"

namespace opbyop::host {
namespace {

using ::testing::ElementsAre;

std::string TypeOf(size_t size, const std::string& element) {
  return "tensor<" + std::to_string(size) + "x" + element + ">";
}

// op(inputs[0], inputs[1], ...) in f64.
std::vector<double> Compute(const std::string& op, const std::vector<std::vector<double>>& inputs) {
  const std::string type = TypeOf(inputs[0].size(), "f64");
  std::string arguments, names, types;
  std::vector<std::vector<std::byte>> bytes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    arguments += fmt::format("{}%a{}: {}", comma, i, type);
    names += fmt::format("{}%a{}", comma, i);
    types += comma + type;
    bytes.push_back(BytesOf(inputs[i]));
  }
  const auto r = Runner().Run(
      Main(arguments, type, fmt::format("%r = chlo.{} {} : {} -> {}\nreturn %r : {}", op, names, types, type, type)),
      bytes);
  EXPECT_TRUE(r.stage.passed()) << op << ": " << r.stage.diagnostic;
  return r.stage.passed() ? r.Values<double>() : std::vector<double>();
}

void ExpectClose(const std::string& op, const std::vector<double>& got, const std::vector<double>& expected,
                 double ulps, double absolute = 0) {
  ASSERT_EQ(got.size(), expected.size()) << op;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(got[i]) : got[i] == expected[i]) << op << i << ": " << got[i];
      continue;
    }
    const double unit = std::numeric_limits<double>::epsilon();
    EXPECT_LE(std::fabs(got[i] - expected[i]), ulps * unit * std::fabs(expected[i]) + absolute * unit)
        << op << " " << i << ": got " << got[i] << ", expected " << expected[i];
  }
}

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(HostChlo, ErfInvIsExactToTheEdges) {
  ExpectClose("erf_inv", Compute("erf_inv", {{0.1, 0.5, -0.9, 0.999, 1 - 0x1p-40, 1e-10, 1, -1, 1.5}}),
              {0.088855990494257691974, 0.47693627620446987338, -1.1630871536766741628, 2.3267537655135244939,
               5.0512540852493899671, 8.8622692545275804594e-11, kInf, -kInf, kNan},
              8);
}

TEST(HostChlo, LgammaReflectsAndHasPoles) {
  ExpectClose("lgamma", Compute("lgamma", {{0.1, 1.5, 2.5, 30, -1.5, 0.5, 0, -2, kInf, 1e300}}),
              {2.2527126517342059599, -0.12078223763524522235, 0.28468287047291915963, 71.25703896716800901,
               0.86004701537648101451, 0.57236494292470008707, kInf, kInf, kInf, std::lgamma(1e300)},
              16, 16);
}

TEST(HostChlo, LgammaNextToZeroIsTheLogarithm) {
  ExpectClose("lgamma", Compute("lgamma", {{0x1p-1074, -0x1p-1074, 0x1p-1022, -1e-20}}),
              {std::lgamma(0x1p-1074), std::lgamma(-0x1p-1074), std::lgamma(0x1p-1022), std::lgamma(-1e-20)}, 4);
}

TEST(HostChlo, DigammaReflectsAndHasPoles) {
  ExpectClose("digamma", Compute("digamma", {{0.25, 1.5, 9, -2.75, 0, -1, kInf}}),
              {-4.2274535333762654081, 0.036489973978576520559, 2.1406414779556099965, -1.9590552649779970098, kNan,
               kNan, kInf},
              8, 8);
}

TEST(HostChlo, DigammaNextToZeroIsTheReciprocal) {
  ExpectClose("digamma", Compute("digamma", {{1e-30, -1e-30, -1e-300}}), {-1e30, 1e30, 1e300}, 4);
}

TEST(HostChlo, ZetaSumsFromTheLeftOfZero) {
  ExpectClose("zeta", Compute("zeta", {{2, 1.5, 6, 3, 40, 1, 0.5, 2, kNan}, {1, 0.5, 8, -0.5, 1.25, 3, 1, -1, 1}}),
              {1.6449340668482264365, 4.7765379475548332486, 8.2459167064278224877e-6, 0.4143983221171599978,
               0.00013292279958667057307, kInf, kNan, kInf, kNan},
              32);
}

TEST(HostChlo, PolygammaOfOrderZeroIsDigamma) {
  ExpectClose(
      "polygamma", Compute("polygamma", {{0, 1, 2, 4, 0.5, -1}, {1.5, 1, 0.5, 8, 1, 1}}),
      {0.036489973978576520559, 1.6449340668482264365, -16.828796644234319996, -0.0018687951506376135156, kNan, kNan},
      64);
}

TEST(HostChlo, BesselI1eAgreesWhereItsSeriesMeet) {
  ExpectClose("bessel_i1e", Compute("bessel_i1e", {{0.001, 1, -10, 29, 31, 200, 0, kInf}}),
              {0.00049950031235422134737, 0.20791041534970844887, -0.12126268138445551872, 0.073113117939388365104,
               0.070776392834385680169, 0.028156503394832917822, 0, 0},
              16);
}

TEST(HostChlo, BesselI1eOfTheLargestNumberIsNotZero) {
  ExpectClose("bessel_i1e", Compute("bessel_i1e", {{std::numeric_limits<double>::max()}}), {2.9754474593158995e-155},
              4);
}

TEST(HostChlo, NarrowResultsAreRoundedOnce) {
  const auto r = Runner().Run(Main("%a: tensor<2xf32>", "tensor<2xf32>",
                                   "%r = chlo.digamma %a : tensor<2xf32> -> tensor<2xf32>\n"
                                   "return %r : tensor<2xf32>"),
                              {Bytes({1.5f, 9.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(0.036489973978576520559f, 2.1406414779556099965f));
}

TEST(HostChlo, ComplexInversesKeepTheirBranches) {
  using C = std::complex<double>;
  const std::vector<C> points = {{0.5, 0.25}, {-2, 3}, {1, -0.5}, {0.1, 1e-3}, {-3, -0.0}, {0, 1e200}};
  const std::string type = TypeOf(points.size(), "complex<f64>");
  const std::pair<const char*, C (*)(const C&)> functions[] = {
      {"asin", &std::asin<double>},   {"acos", &std::acos<double>}, {"asinh", &std::asinh<double>},
      {"acosh", &std::acosh<double>}, {"atan", &std::atan<double>}, {"atanh", &std::atanh<double>},
  };
  for (const auto& [op, exact] : functions) {
    const auto r = Runner().Run(
        Main("%a: " + type, type, fmt::format("%r = chlo.{} %a : {} -> {}\nreturn %r : {}", op, type, type, type)),
        {BytesOf(points)});
    ASSERT_TRUE(r.stage.passed()) << op << ": " << r.stage.diagnostic;
    const auto values = r.Values<C>();
    for (size_t i = 0; i < points.size(); ++i) {
      const C expected = exact(points[i]);
      EXPECT_LE(std::abs(values[i] - expected), 16 * std::numeric_limits<double>::epsilon() * std::abs(expected))
          << op << points[i] << ": got " << values[i] << ", expected " << expected;
    }
  }
}

TEST(HostChlo, ComplexFunctionsKeepTheSmallerPart) {
  using C = std::complex<double>;
  const std::vector<C> points = {{1e-7, 3e-6}, {-4e-17, 5e-17}, {1 + 1e-9, 1e-9}, {2, -3}, {0.3, 1e-12}};
  const std::string type = TypeOf(points.size(), "complex<f64>");
  const auto log1p = [](C z) {
    return C(std::log1p(z.real() * (2 + z.real()) + z.imag() * z.imag()) / 2, std::atan2(z.imag(), 1 + z.real()));
  };
  const auto expect = [&](const char* op, auto exact) {
    const auto r = Runner().Run(
        Main("%a: " + type, type, fmt::format("%r = stablehlo.{} %a : {}\nreturn %r : {}", op, type, type)),
        {BytesOf(points)});
    ASSERT_TRUE(r.stage.passed()) << op << ": " << r.stage.diagnostic;
    const auto values = r.Values<C>();
    for (size_t i = 0; i < points.size(); ++i) {
      const C expected = exact(points[i]);
      EXPECT_NEAR(values[i].real(), expected.real(), 8 * std::numeric_limits<double>::epsilon() * std::abs(expected))
          << op << points[i];
      EXPECT_NEAR(values[i].imag(), expected.imag(), 8 * std::numeric_limits<double>::epsilon() * std::abs(expected))
          << op << points[i];
    }
  };
  expect("log", [](C z) { return std::log(z); });
  expect("log_plus_one", log1p);
  expect("sine", [](C z) { return std::sin(z); });
}

TEST(HostChlo, ComplexPolesAndInfinitiesAreThoseOfTheirParts) {
  using C = std::complex<double>;
  const auto log = Runner().Run(Main("%a: tensor<1xcomplex<f64>>", "tensor<1xcomplex<f64>>",
                                     "%r = stablehlo.log %a : tensor<1xcomplex<f64>>\n"
                                     "return %r : tensor<1xcomplex<f64>>"),
                                {BytesOf<C>({{0, 0}})});
  ASSERT_TRUE(log.stage.passed()) << log.stage.diagnostic;
  EXPECT_EQ(log.Values<C>()[0], C(-kInf, 0));
  const auto abs = Runner().Run(Main("%a: tensor<4xcomplex<f64>>", "tensor<4xf64>",
                                     "%r = stablehlo.abs %a : (tensor<4xcomplex<f64>>) -> tensor<4xf64>\n"
                                     "return %r : tensor<4xf64>"),
                                {BytesOf<C>({{kInf, -kInf}, {kNan, kInf}, {3, -4}, {0, 0}})});
  ASSERT_TRUE(abs.stage.passed()) << abs.stage.diagnostic;
  EXPECT_THAT(abs.Values<double>(), ElementsAre(kInf, kInf, 5, 0));
  const auto power =
      Runner().Run(Main("%a: tensor<3xcomplex<f64>>, %b: tensor<3xcomplex<f64>>", "tensor<3xcomplex<f64>>",
                        "%r = stablehlo.power %a, %b : tensor<3xcomplex<f64>>\n"
                        "return %r : tensor<3xcomplex<f64>>"),
                   {BytesOf<C>({{0, 0}, {0, 0}, {2, 0}}), BytesOf<C>({{1, 2}, {0, 0}, {0, 0}})});
  ASSERT_TRUE(power.stage.passed()) << power.stage.diagnostic;
  EXPECT_THAT(power.Values<C>(), ElementsAre(C(0, 0), C(1, 0), C(1, 0)));
}

TEST(HostChlo, NextAfterStepsInTheFormatOfItsOperands) {
  const auto r = Runner().Run(
      Main("%a: tensor<4xbf16>, %b: tensor<4xbf16>", "tensor<4xbf16>",
           "%r = chlo.next_after %a, %b : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xbf16>\n"
           "return %r : tensor<4xbf16>"),
      {Bytes<uint16_t>({0x3f80, 0x3f80, 0x0000, 0xbf80}), Bytes<uint16_t>({0x4000, 0x0000, 0xbf80, 0xbf80})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<uint16_t>(), ElementsAre(0x3f81, 0x3f7f, 0x8001, 0xbf80));
}

TEST(HostChlo, MulhiGivesTheUpperHalf) {
  const auto r = Runner().Run(Main("%a: tensor<2xi64>, %b: tensor<2xi64>", "tensor<2xi64>",
                                   "%r = chlo.mulhi %a, %b : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>\n"
                                   "return %r : tensor<2xi64>"),
                              {Bytes<int64_t>({int64_t{1} << 40, -3}), Bytes<int64_t>({int64_t{1} << 40, 5})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int64_t>(), ElementsAre(1 << 16, -1));
}

TEST(HostChlo, TopKTakesTheEarlierOfEqualsAndNanFirst) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xi32>) {\n"
      "  %v, %i = chlo.top_k(%a, k = 3) : tensor<5xf32> -> (tensor<3xf32>, tensor<3xi32>)\n"
      "  return %v, %i : tensor<3xf32>, tensor<3xi32>\n}\n",
      {Bytes({1.f, 7.f, std::nanf(""), 7.f, 2.f})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(1), ElementsAre(2, 1, 3));
}

TEST(HostChlo, BroadcastsBothSides) {
  const auto r = Runner().Run(Main("%a: tensor<2x1xi32>, %b: tensor<3xi32>", "tensor<2x3xi32>",
                                   "%r = chlo.broadcast_subtract %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> "
                                   "tensor<2x3xi32>\nreturn %r : tensor<2x3xi32>"),
                              {Bytes({10, 20}), Bytes({1, 2, 3})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(), ElementsAre(9, 8, 7, 19, 18, 17));
}

TEST(HostChlo, RaggedDotGivesEachGroupItsOwnRightSide) {
  const auto r = Runner().Run(
      Main("%a: tensor<4x1xf32>, %b: tensor<2x1x2xf32>, %g: tensor<2xi32>", "tensor<4x2xf32>",
           "%r = \"chlo.ragged_dot\"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<"
           "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
           "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : "
           "(tensor<4x1xf32>, tensor<2x1x2xf32>, tensor<2xi32>) -> tensor<4x2xf32>\nreturn %r : tensor<4x2xf32>"),
      {Bytes({1.f, 2.f, 3.f, 4.f}), Bytes({1.f, 10.f, 100.f, 1000.f}), Bytes({1, 2})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(1, 10, 200, 2000, 300, 3000, 0, 0));
}

// The composite is the op, not its decomposition, which multiplies every row once for each group.
TEST(HostChlo, ACompositeOfARaggedDotTakesEachRowOnce) {
  const auto r =
      Runner().Run(R"(
func.func @main(%a: tensor<5x1xf32>, %b: tensor<1x3x2xf32>, %g: tensor<3xi32>) -> tensor<5x2xf32> {
  %0 = stablehlo.composite "chlo.ragged_dot" %a, %b, %g {composite_attributes = {ragged_dot_dimension_numbers = [
    dense<> : tensor<0xi64>, dense<> : tensor<0xi64>, dense<1> : tensor<1xi64>, dense<0> : tensor<1xi64>,
    dense<0> : tensor<1xi64>, dense<1> : tensor<1xi64>]}, decomposition = @other}
    : (tensor<5x1xf32>, tensor<1x3x2xf32>, tensor<3xi32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
func.func private @other(%a: tensor<5x1xf32>, %b: tensor<1x3x2xf32>, %g: tensor<3xi32>) -> tensor<5x2xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
)",
                   {Bytes({1.f, 2.f, 3.f, 4.f, 5.f}), Bytes({1.f, -1.f, 10.f, -10.f, NAN, -100.f}), Bytes({2, 2, 0})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<float>(), ElementsAre(1, -1, 2, -2, 30, -30, 40, -40, 0, 0));
}

TEST(HostChlo, ScanCarriesBackwards) {
  const auto r = Runner().Run(
      "func.func @main(%a: tensor<3xi32>, %c: tensor<i32>) -> (tensor<3xi32>, tensor<i32>) {\n"
      "  %o, %s = \"chlo.scan\"(%a, %c) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, "
      "1>, resultSegmentSizes = array<i32: 1, 1>}> ({\n"
      "  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n    %n = stablehlo.add %x, %y : tensor<i32>\n"
      "    stablehlo.return %n, %n : tensor<i32>, tensor<i32>\n"
      "  }) : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)\n"
      "  return %o, %s : tensor<3xi32>, tensor<i32>\n}\n",
      {Bytes({1, 2, 3}), Bytes({10})});
  ASSERT_TRUE(r.stage.passed()) << r.stage.diagnostic;
  EXPECT_THAT(r.Values<int32_t>(0), ElementsAre(16, 15, 13));
  EXPECT_THAT(r.Values<int32_t>(1), ElementsAre(16));
}

}  // namespace
}  // namespace opbyop::host
