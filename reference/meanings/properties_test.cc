// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace opbyop::reference {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

DenseMatrix Of(int64_t rows, int64_t columns, std::initializer_list<double> elements) {
  DenseMatrix matrix(rows, columns);
  std::ranges::copy(elements, matrix.elements.begin());
  return matrix;
}

FactorParts Parts(std::map<std::string, DenseMatrix, std::less<>> values,
                  std::map<std::string, double, std::less<>> options = {}) {
  const FloatFormat& format = FormatOf(ElementType::kF32);
  return {.values = std::move(values), .options = std::move(options), .format = format, .unit = format.UnitRoundoff()};
}

// The results that the property refuses, and the worst error in units of its limit.
struct Verdict {
  std::set<std::string> refused;
  double worst = 0;
};

Verdict Judge(const char* property, const FactorParts& parts) {
  Verdict verdict;
  for (const Requirement& requirement : FindProperty(property)->judge(parts)) {
    EXPECT_EQ(requirement.errors.size(), requirement.limits.size()) << requirement.rule;
    for (size_t i = 0; i < requirement.errors.size(); ++i) {
      const double error = requirement.errors[i], limit = requirement.limits[i];
      if (error > 0 && limit > 0) verdict.worst = std::max(verdict.worst, error / limit);
      if (limit != std::numeric_limits<double>::infinity() && !(error <= limit)) {
        verdict.refused.insert(requirement.result);
      }
    }
  }
  return verdict;
}

// The factors that LAPACK gives for these matrices in f32.
const DenseMatrix kTall = Of(4, 3, {-1.66, -1.05, 1.21, 0.33, -1.62, -0.27, -0.08, -1.36, 0.94, -1.55, -0.44, 0.07});
const DenseMatrix kSquare = Of(3, 3, {-0.28, 0.35, 0.95, 1.83, -0.86, 0.59, 0.78, -0.83, -1.99});

FactorParts Qr() {
  return Parts({{"a", kTall},
                {"packed", Of(4, 3,
                              {2.2963883876800537, 0.8705844879150391, -0.9934730529785156, -0.08340940624475479,
                               2.238790512084961, -0.5705749988555908, 0.02022046037018299, 0.328730970621109,
                               -1.0549670457839966, 0.3917714059352875, -0.07773853838443756, -0.42184561491012573})},
                {"tau", Of(3, 1, {1.7228742837905884, 1.795159101486206, 1.697859525680542})}});
}

FactorParts Product() {
  FactorParts parts = Qr();
  parts.values.erase("a");
  parts.values["q"] = Of(4, 3,
                         {-0.7228742837905884, -0.18790365755558014, -0.3645903170108795, 0.14370392262935638,
                          -0.7794861793518066, 0.542186975479126, -0.03483731299638748, -0.5939238667488098,
                          -0.5369948744773865, -0.6749728918075562, 0.06593775749206543, 0.5336138010025024});
  return parts;
}

FactorParts Lu() {
  return Parts({{"a", kTall},
                {"lu", Of(4, 3,
                          {-1.659999966621399, -1.0499999523162842, 1.2100000381469727, -0.19879519939422607,
                           -1.8287349939346313, -0.029457807540893555, 0.9337349534034729, -0.29551663994789124,
                           -1.0685244798660278, 0.04819277301430702, 0.716012716293335, -0.8448836803436279})},
                {"pivots", Of(3, 1, {1, 2, 4})},
                {"info", Of(1, 1, {0})}});
}

FactorParts Svd() {
  return Parts(
      {{"a", kTall},
       {"u", Of(4, 3,
                {-0.7442267537117004, 0.2792510390281677, -0.2427474707365036, -0.2510879933834076, -0.744206964969635,
                 0.5525641441345215, -0.4503629505634308, -0.44021931290626526, -0.4956842064857483,
                 -0.42456376552581787, 0.417590469121933, 0.6245346069335938})},
       {"s", Of(3, 1, {3.002258539199829, 1.8791568279266357, 0.9613614082336426})},
       {"vh", Of(3, 3,
                 {0.6150904893875122, 0.662002682685852, -0.42827144265174866, -0.7030776143074036, 0.7063596248626709,
                  0.08208689093589783, -0.3568553030490875, -0.2506170868873596, -0.8999141454696655})},
       {"info", Of(1, 1, {0})}});
}

FactorParts Eigh() {
  return Parts(
      {{"a", kSquare},
       {"w", Of(3, 1, {-3.364779233932495, -1.049057960510254, 1.2838375568389893})},
       {"v", Of(3, 3,
                {-0.5058545470237732, -0.40055927634239197, 0.7639786005020142, 0.5808943510055542, 0.4965553879737854,
                 0.6449760794639587, 0.6377089023590088, -0.7700550556182861, 0.018502134829759598})},
       {"info", Of(1, 1, {0})}},
      {{"lower", 1}});
}

FactorParts Eig() {
  return Parts(
      {{"a", kSquare},
       {"wr", Of(3, 1, {-2.4739022254943848, 0.008311554789543152, -0.6644094586372375})},
       {"wi", Of(3, 1, {0, 0, 0})},
       {"vl",
        Of(3, 3,
           {-0.6133236885070801, 0.9066557288169861, 0.8270030617713928, 0.4623397886753082, -0.036305755376815796,
            -0.35835540294647217, 0.6403717994689941, 0.42030614614486694, 0.43318289518356323})},
       {"vr", Of(3, 3,
                 {-0.4120132327079773, 0.46790996193885803, -0.2283601015806198, 0.1379156857728958, 0.8658700585365295,
                  -0.8799440264701843, 0.900679886341095, -0.17700062692165375, 0.4165935516357422})},
       {"info", Of(1, 1, {0})}},
      {{"left", 1}, {"right", 1}});
}

FactorParts Cholesky() {
  return Parts(
      {{"a", Of(3, 3,
                {1.367799997329712, -0.08430001884698868, -0.7997999787330627, -0.08430001884698868, 2.4788665771484375,
                 0.3223666846752167, -0.7997999787330627, 0.3223666846752167, 2.7524666786193848})},
       {"l", Of(3, 3,
                {1.1695297956466675, 7, 8, -0.07208026945590973, 1.5727908611297607, 9, -0.6838645339012146,
                 0.17362356185913086, 1.501549482345581})},
       {"info", Of(1, 1, {0})}},
      {{"lower", 1}});
}

// Exchanges two columns.
void SwapColumns(DenseMatrix& x, int64_t p, int64_t q) {
  for (int64_t i = 0; i < x.rows; ++i) std::swap(x(i, p), x(i, q));
}
void NegateColumn(DenseMatrix& x, int64_t p) {
  for (int64_t i = 0; i < x.rows; ++i) x(i, p) = -x(i, p);
}
void NegateRow(DenseMatrix& x, int64_t p) {
  for (int64_t j = 0; j < x.columns; ++j) x(p, j) = -x(p, j);
}

TEST(PropertiesTest, TheFactorsOfLapackAreRight) {
  const auto is_right = [](const char* property, const FactorParts& parts) {
    const Verdict verdict = Judge(property, parts);
    EXPECT_THAT(verdict.refused, IsEmpty()) << property;
    EXPECT_LT(verdict.worst, 0.2) << property;
  };
  is_right("qr", Qr());
  is_right("householder_product", Product());
  is_right("lu", Lu());
  is_right("svd", Svd());
  is_right("eigh", Eigh());
  is_right("eig", Eig());
  is_right("cholesky", Cholesky());
}

TEST(PropertiesTest, SignsAndOrdersThatAreFreeAreRight) {
  FactorParts svd = Svd();
  NegateColumn(svd.values["u"], 1);
  NegateRow(svd.values["vh"], 1);
  EXPECT_THAT(Judge("svd", svd).refused, IsEmpty());
  FactorParts eigh = Eigh();
  NegateColumn(eigh.values["v"], 2);
  EXPECT_THAT(Judge("eigh", eigh).refused, IsEmpty());
  FactorParts eig = Eig();
  std::swap(eig.values["wr"](0, 0), eig.values["wr"](2, 0));
  SwapColumns(eig.values["vr"], 0, 2);
  SwapColumns(eig.values["vl"], 0, 2);
  EXPECT_THAT(Judge("eig", eig).refused, IsEmpty());
  FactorParts unsorted = Eigh();
  std::swap(unsorted.values["w"](0, 0), unsorted.values["w"](2, 0));
  SwapColumns(unsorted.values["v"], 0, 2);
  EXPECT_THAT(Judge("eigh", unsorted).refused, ElementsAre("w"));
  unsorted.options["sorted"] = 0;
  EXPECT_THAT(Judge("eigh", unsorted).refused, IsEmpty());
}

TEST(PropertiesTest, AFlippedSignOnOneSideIsWrong) {
  FactorParts svd = Svd();
  NegateColumn(svd.values["u"], 1);
  EXPECT_THAT(Judge("svd", svd).refused, Contains("u"));
  FactorParts qr = Qr();
  for (int64_t j = 1; j < 3; ++j) qr.values["packed"](1, j) *= -1.0;
  EXPECT_THAT(Judge("qr", qr).refused, ElementsAre("packed"));
  FactorParts product = Product();
  NegateColumn(product.values["q"], 0);
  EXPECT_THAT(Judge("householder_product", product).refused, ElementsAre("q"));
}

TEST(PropertiesTest, AnEigenvalueWithoutItsVectorIsWrong) {
  FactorParts eigh = Eigh();
  std::swap(eigh.values["w"](0, 0), eigh.values["w"](1, 0));
  EXPECT_THAT(Judge("eigh", eigh).refused, UnorderedElementsAre("v", "w"));
  FactorParts eig = Eig();
  std::swap(eig.values["wr"](0, 0), eig.values["wr"](1, 0));
  EXPECT_THAT(Judge("eig", eig).refused, UnorderedElementsAre("vl", "vr"));
}

TEST(PropertiesTest, AnEigenvectorGivenTwiceIsWrong) {
  FactorParts eig = Eig();
  eig.values["wr"](1, 0) = eig.values["wr"](0, 0);
  for (const char* v : {"vl", "vr"}) {
    for (int64_t i = 0; i < 3; ++i) eig.values[v](i, 1) = eig.values[v](i, 0);
  }
  EXPECT_THAT(Judge("eig", eig).refused, UnorderedElementsAre("wr", "wi"));
  FactorParts eigh = Eigh();
  eigh.values["w"](1, 0) = eigh.values["w"](0, 0);
  for (int64_t i = 0; i < 3; ++i) eigh.values["v"](i, 1) = eigh.values["v"](i, 0);
  EXPECT_THAT(Judge("eigh", eigh).refused, ElementsAre("v"));
}

TEST(PropertiesTest, AFactorThatIsNotOrthogonalIsWrong) {
  FactorParts qr = Qr();
  qr.values["tau"](1, 0) *= 1.001;
  EXPECT_THAT(Judge("qr", qr).refused, Contains("tau"));
  FactorParts svd = Svd();
  // The product is right, but not the lengths of the columns.
  for (int64_t i = 0; i < 4; ++i) svd.values["u"](i, 0) *= 2.0;
  svd.values["s"](0, 0) /= 2.0;
  EXPECT_THAT(Judge("svd", svd).refused, Contains("u"));
}

TEST(PropertiesTest, EveryWrongElementIsFound) {
  const auto finds_all = [](const char* property, const FactorParts& right,
                            std::initializer_list<const char*> results) {
    for (const char* result : results) {
      const DenseMatrix& matrix = right[result];
      for (size_t i = 0; i < matrix.elements.size(); ++i) {
        for (const double error : {1e-3, std::numeric_limits<double>::quiet_NaN()}) {
          FactorParts wrong = right;
          wrong.values[result].elements[i] += error;
          EXPECT_THAT(Judge(property, wrong).refused, Contains(result)) << property << " " << i << " " << error;
        }
      }
    }
  };
  finds_all("householder_product", Product(), {"q"});
  finds_all("lu", Lu(), {"lu"});
  finds_all("svd", Svd(), {"u", "s", "vh"});
  finds_all("eigh", Eigh(), {"v", "w"});
  finds_all("eig", Eig(), {"vl", "vr", "wr"});
  FactorParts qr = Qr();
  finds_all("qr", qr, {"packed", "tau"});
}

TEST(PropertiesTest, TheTriangleThatIsNotAFactorMayBeAnything) {
  FactorParts cholesky = Cholesky();
  cholesky.values["l"](0, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(Judge("cholesky", cholesky).refused, IsEmpty());
  cholesky.values["l"](2, 0) += 1e-4;
  EXPECT_THAT(Judge("cholesky", cholesky).refused, ElementsAre("l"));
}

TEST(PropertiesTest, AFactorWithANegativeDiagonalIsNoCholeskyFactor) {
  FactorParts cholesky = Cholesky();
  NegateColumn(cholesky.values["l"], 1);
  EXPECT_THAT(Judge("cholesky", cholesky).refused, ElementsAre("l"));
}

TEST(PropertiesTest, InfoSaysWhetherThereIsAFactorization) {
  FactorParts cholesky = Cholesky();
  cholesky.values["info"](0, 0) = 2;
  EXPECT_THAT(Judge("cholesky", cholesky).refused, Contains("info"));
  cholesky.values["a"](1, 1) = -2;  // no longer positive definite
  EXPECT_THAT(Judge("cholesky", cholesky).refused, IsEmpty());
  cholesky.values["info"](0, 0) = 0;
  EXPECT_THAT(Judge("cholesky", cholesky).refused, ElementsAre("l"));
  FactorParts eigh = Eigh();
  eigh.values["info"](0, 0) = 1;
  EXPECT_THAT(Judge("eigh", eigh).refused, ElementsAre("info"));
}

TEST(PropertiesTest, TheInfoOfASingularMatrixIsItsFirstZeroPivot) {
  FactorParts lu = Parts({{"a", Of(2, 2, {1, 2, 1, 2})},
                          {"lu", Of(2, 2, {1, 2, 1, 0})},
                          {"pivots", Of(2, 1, {1, 2})},
                          {"info", Of(1, 1, {2})}});
  EXPECT_THAT(Judge("lu", lu).refused, IsEmpty());
  lu.values["info"](0, 0) = 0;
  EXPECT_THAT(Judge("lu", lu).refused, ElementsAre("info"));
}

TEST(PropertiesTest, PivotsAreRowsFromTheirOwnOn) {
  FactorParts lu = Lu();
  lu.values["pivots"](2, 0) = 9;
  EXPECT_THAT(Judge("lu", lu).refused, Contains("pivots"));
  lu = Lu();
  lu.values["pivots"](2, 0) = 3;  // possible, but not the one that was used
  EXPECT_THAT(Judge("lu", lu).refused, ElementsAre("lu"));
}

TEST(PropertiesTest, NoPivotingIsWrong) {
  FactorParts lu = Parts({{"a", Of(2, 2, {0.01, 1, 1, 1})},
                          {"lu", Of(2, 2, {0.01, 1, 100, -99})},
                          {"pivots", Of(2, 1, {1, 2})},
                          {"info", Of(1, 1, {0})}});
  EXPECT_THAT(Judge("lu", lu).refused, ElementsAre("lu"));
}

TEST(PropertiesTest, PivotsMakeAPermutation) {
  FactorParts parts = Parts({{"pivots", Of(3, 1, {2, 2, 3})}, {"permutation", Of(4, 1, {2, 0, 3, 1})}});
  std::vector<double> rows = {0, 1, 2, 3};
  std::swap(rows[0], rows[2]);
  std::swap(rows[1], rows[2]);
  std::swap(rows[2], rows[3]);
  for (int64_t i = 0; i < 4; ++i) parts.values["permutation"](i, 0) = rows[static_cast<size_t>(i)];
  EXPECT_THAT(Judge("pivots_to_permutation", parts).refused, IsEmpty());
  std::swap(parts.values["permutation"](0, 0), parts.values["permutation"](1, 0));
  EXPECT_THAT(Judge("pivots_to_permutation", parts).refused, ElementsAre("permutation"));
}

TEST(PropertiesTest, SingularValuesAreComputedWithoutVectors) {
  FactorParts parts = Svd();
  parts.values.erase("u");
  parts.values.erase("vh");
  EXPECT_THAT(Judge("singular_values", parts).refused, IsEmpty());
  parts.values["s"](2, 0) += 1e-4;
  EXPECT_THAT(Judge("singular_values", parts).refused, ElementsAre("s"));
}

TEST(PropertiesTest, NothingIsDemandedForAMatrixThatIsNotFinite) {
  for (const double special : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    FactorParts eigh = Eigh();
    eigh.values["a"](2, 1) = special;
    for (std::complex<double>& w : eigh.values["w"].elements) w = special;
    EXPECT_THAT(Judge("eigh", eigh).refused, IsEmpty());
    FactorParts svd = Svd();
    svd.values["a"](0, 0) = special;
    svd.values["info"](0, 0) = -4;
    EXPECT_THAT(Judge("svd", svd).refused, IsEmpty());
    FactorParts lu = Lu();
    lu.values["a"](0, 0) = special;
    EXPECT_THAT(Judge("lu", lu).refused, IsEmpty());
    FactorParts qr = Qr();
    qr.values["a"] = Of(4, 3, {});
    std::ranges::fill(qr.values["a"].elements, special);
    for (const char* result : {"packed", "tau"}) std::ranges::fill(qr.values[result].elements, special);
    EXPECT_THAT(Judge("qr", qr).refused, IsEmpty());
  }
}

TEST(PropertiesTest, PreparedOperandsHaveTheFactorization) {
  FactorParts cholesky = Parts({{"a", kSquare}});
  FindProperty("cholesky")->prepare(cholesky);
  EXPECT_NEAR(cholesky["a"](0, 1).real(), cholesky["a"](1, 0).real(), 1e-12);
  EXPECT_GT(cholesky["a"](0, 0).real(), 1);
  FactorParts reflections = Parts({{"packed", kTall}, {"tau", Of(3, 1, {5, 6, 7})}});
  FindProperty("householder_product")->prepare(reflections);
  EXPECT_NEAR(reflections["tau"](0, 0).real(), 2 / (1 + 0.33 * 0.33 + 0.08 * 0.08 + 1.55 * 1.55), 1e-12);
  FactorParts pivots = Parts({{"pivots", Of(3, 1, {-5, 7, 1000})}});
  FindProperty("pivots_to_permutation")->prepare(pivots);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_GE(pivots["pivots"](i, 0).real(), static_cast<double>(i));
    EXPECT_LT(pivots["pivots"](i, 0).real(), 3);
  }
}

TEST(PropertiesTest, PartsOfOtherShapesOrNamesAreRefused) {
  const auto why = [](const char* property, const Sizes& sizes) { return WhyNoParts(*FindProperty(property), sizes); };
  EXPECT_EQ(why("qr", {{"a", {4, 3}}, {"packed", {4, 3}}, {"tau", {3}}}), "");
  EXPECT_EQ(why("qr", {{"a", {3, 4}}, {"packed", {3, 4}}, {"tau", {3}}}), "");
  EXPECT_THAT(why("qr", {{"a", {4, 3}}, {"packed", {4, 3}}, {"tau", {4}}}), HasSubstr("tau has another shape"));
  EXPECT_THAT(why("qr", {{"a", {4, 3}}, {"packed", {4}}, {"tau", {3}}}), HasSubstr("packed has another shape"));
  EXPECT_THAT(why("qr", {{"a", {4, 3}}, {"tau", {3}}}), HasSubstr("needs packed"));
  EXPECT_THAT(why("qr", {{"a", {4, 3}}, {"packed", {4, 3}}, {"tau", {3}}, {"r", {3, 3}}}), HasSubstr("has only"));
  EXPECT_EQ(why("svd", {{"a", {4, 3}}, {"s", {3}}, {"u", {4, 4}}, {"vh", {3, 3}}, {"info", {}}}), "");
  EXPECT_EQ(why("svd", {{"a", {4, 3}}, {"s", {3}}, {"u", {4, 3}}, {"v", {3, 3}}}), "");
  EXPECT_THAT(why("svd", {{"a", {4, 3}}, {"s", {3}}, {"u", {4, 2}}, {"vh", {3, 3}}}), HasSubstr("not those of svd"));
  EXPECT_THAT(why("svd", {{"a", {4, 3}}, {"s", {3}}, {"u", {4, 3}}}), HasSubstr("needs"));
  EXPECT_EQ(why("eig", {{"a", {3, 3}}, {"wr", {3}}, {"wi", {3}}, {"vr", {3, 3}}}), "");
  EXPECT_THAT(why("eig", {{"a", {3, 3}}, {"wr", {3}}, {"vr", {3, 3}}}), HasSubstr("needs"));
  EXPECT_EQ(why("tridiagonal", {{"a", {3, 3}}, {"packed", {3, 3}}, {"d", {3}}, {"e", {2}}, {"tau", {2}}}), "");
  EXPECT_THAT(why("tridiagonal", {{"a", {3, 3}}, {"packed", {3, 3}}, {"d", {3}}, {"e", {3}}, {"tau", {2}}}),
              HasSubstr("e has another shape"));
}

TEST(PropertiesTest, EmptyMatricesHaveFactors) {
  const DenseMatrix none(0, 0), vector(0, 1);
  EXPECT_THAT(Judge("qr", Parts({{"a", none}, {"packed", none}, {"tau", vector}})).refused, IsEmpty());
  EXPECT_THAT(Judge("eigh", Parts({{"a", none}, {"v", none}, {"w", vector}})).refused, IsEmpty());
  EXPECT_THAT(Judge("svd", Parts({{"a", none}, {"s", vector}, {"u", none}, {"vh", none}})).refused, IsEmpty());
}

}  // namespace
}  // namespace opbyop::reference
