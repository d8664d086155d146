// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/elementwise_inputs.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {
namespace {

// A program of one op on arguments of the given types.
std::string Program(const std::string& op, const std::vector<std::string>& types, const std::string& result,
                    const std::string& attributes = "") {
  std::string arguments;
  std::string operands;
  std::string list;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    arguments += comma + "%a" + std::to_string(i) + ": tensor<" + types[i] + ">";
    operands += comma + "%a" + std::to_string(i);
    list += comma + "tensor<" + types[i] + ">";
  }
  return "func.func @main(" + arguments + ") -> tensor<" + result + "> {\n  %0 = \"" + op + "\"(" + operands + ") " +
         attributes + " : (" + list + ") -> tensor<" + result + ">\n  return %0 : tensor<" + result + ">\n}\n";
}

class ElementwiseInputsTest : public testing::Test {
 protected:
  mlir::ModuleOp Read(const std::string& text) {
    auto module = ReadModuleFromBytes(text, "test.mlir", context_);
    EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
    modules_.push_back(std::move(*module));
    return modules_.back().get();
  }

  std::vector<Tensor> Draw(const std::string& text, InputKind kind, uint64_t seed = 1) {
    const auto inputs = MakeInputs(Read(text), kind, SeedOf("case", seed));
    EXPECT_TRUE(inputs.has_value()) << (inputs ? "" : inputs.error().message);
    std::vector<Tensor> tensors;
    for (const InputData& input : *inputs) tensors.push_back(*TensorFromBytes(input.type, input.shape, input.bytes));
    return tensors;
  }

  // Returns the stored codes of the inputs, element by element. The first of several arguments is in the highest bits.
  std::vector<uint64_t> DrawCodes(const std::string& text) {
    const auto inputs = MakeInputs(Read(text), InputKind::kSweep, SeedOf("case", 1));
    EXPECT_TRUE(inputs.has_value()) << (inputs ? "" : inputs.error().message);
    std::vector<uint64_t> codes(static_cast<size_t>(SizeOf(inputs->front().shape)));
    for (const InputData& input : *inputs) {
      const size_t bytes = input.bytes.size() / codes.size();
      for (size_t i = 0; i < codes.size(); ++i) {
        uint64_t code = 0;
        std::memcpy(&code, input.bytes.data() + i * bytes, bytes);
        codes[i] = codes[i] << 16 | code;
      }
    }
    return codes;
  }
  size_t CountOfCodes(const std::string& text) {
    const std::vector<uint64_t> codes = DrawCodes(text);
    return std::set<uint64_t>(codes.begin(), codes.end()).size();
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules_;
};

// Returns the binades of the elements, by exponent and sign. Zeros and non-finite numbers have entries of their own.
std::set<int> BinadesOf(const Tensor& t) {
  std::set<int> binades;
  for (const double v : t.data<double>()) {
    binades.insert(v == 0 || !std::isfinite(v) ? 9999 : (std::ilogb(v) + 2000) * (std::signbit(v) ? -1 : 1));
  }
  return binades;
}

std::set<uint64_t> CodesOf(const Tensor& t) {
  std::set<uint64_t> codes;
  for (const double v : t.data<double>()) codes.insert(EncodeFloat(FormatOf(t.type()), v));
  return codes;
}

TEST_F(ElementwiseInputsTest, ASweepCoversEveryBinadeWithBothSigns) {
  const Tensor x = Draw(Program("stablehlo.exponential", {"2000xf32"}, "2000xf32"), InputKind::kSweep)[0];
  EXPECT_EQ(BinadesOf(x).size(), 2U * (254 + 23));
}

TEST_F(ElementwiseInputsTest, SeedsOfASweepCoverOtherBinades) {
  const std::string text = Program("chlo.erf", {"100xf32"}, "100xf32");
  std::set<int> seen = BinadesOf(Draw(text, InputKind::kSweep)[0]);
  EXPECT_GT(seen.size(), 50U);
  for (uint64_t seed = 2; seed <= 40; ++seed) seen.merge(BinadesOf(Draw(text, InputKind::kSweep, seed)[0]));
  EXPECT_GT(seen.size(), 500U);
}

TEST_F(ElementwiseInputsTest, ASweepGoesNearOneAndThroughTheMiddle) {
  const Tensor x = Draw(Program("chlo.erf_inv", {"4000xf32"}, "4000xf32"), InputKind::kSweep)[0];
  int64_t near = 0;
  int64_t middle = 0;
  for (const double v : x.data<double>()) {
    near += std::fabs(v) < 1 && std::fabs(v) > 0.9998;
    middle += std::fabs(v) > 1e-3 && std::fabs(v) < 100;
  }
  EXPECT_GT(near, 50);
  EXPECT_GT(middle, 600);
}

TEST_F(ElementwiseInputsTest, ASweepHoldsEveryValueOfANarrowType) {
  for (const auto& [type, count] : {std::pair("f16", 65536), {"bf16", 65536}, {"f8E4M3FN", 256}}) {
    const std::string tensor = std::to_string(count) + "x" + type;
    const Tensor x = Draw(Program("stablehlo.tanh", {tensor}, tensor), InputKind::kSweep)[0];
    int64_t nans = 0;
    for (const double v : x.data<double>()) nans += std::isnan(v);
    EXPECT_EQ(static_cast<int64_t>(CodesOf(x).size()) - 1 + nans, count) << type << ": all NaN are read as one";
  }
}

struct NarrowType {
  const char* name;
  uint64_t values;
};
constexpr NarrowType kNarrowTypes[] = {
    {"i1", 2},           {"i2", 4},         {"ui2", 4},      {"i4", 16},          {"ui4", 16},
    {"i8", 256},         {"ui8", 256},      {"i16", 65536},  {"ui16", 65536},     {"f4E2M1FN", 16},
    {"f6E2M3FN", 64},    {"f6E3M2FN", 64},  {"f8E3M4", 256}, {"f8E4M3", 256},     {"f8E4M3FN", 256},
    {"f8E5M2", 256},     {"bf16", 65536},   {"f16", 65536},  {"f8E4M3FNUZ", 256}, {"f8E4M3B11FNUZ", 256},
    {"f8E5M2FNUZ", 256}, {"f8E8M0FNU", 256}};

bool IsFloat(const NarrowType& type) { return type.name[0] == 'f' || type.name[0] == 'b'; }

TEST_F(ElementwiseInputsTest, ASweepOfAsManyElementsHasEveryBitPatternOnce) {
  for (const NarrowType& type : kNarrowTypes) {
    const std::string tensor = std::to_string(type.values) + "x" + type.name;
    EXPECT_EQ(CountOfCodes(Program(IsFloat(type) ? "stablehlo.abs" : "stablehlo.not", {tensor}, tensor)), type.values)
        << type.name;
  }
}

TEST_F(ElementwiseInputsTest, ASweepOfMoreElementsHasEveryBitPattern) {
  for (const NarrowType& type : kNarrowTypes) {
    const std::string tensor = std::to_string(2 * type.values + 3) + "x" + type.name;
    EXPECT_EQ(CountOfCodes(Program(IsFloat(type) ? "stablehlo.abs" : "stablehlo.not", {tensor}, tensor)), type.values)
        << type.name;
  }
}

TEST_F(ElementwiseInputsTest, ASweepOfAsManyElementsHasEveryPairOfBitPatternsOnce) {
  for (const NarrowType& type : kNarrowTypes) {
    if (type.values > 256) continue;
    const std::string tensor = std::to_string(type.values * type.values) + "x" + type.name;
    EXPECT_EQ(CountOfCodes(Program("stablehlo.maximum", {tensor, tensor}, tensor)), type.values * type.values)
        << type.name;
  }
}

TEST_F(ElementwiseInputsTest, ASweepOfDifferentTypesHasEveryCombination) {
  EXPECT_EQ(
      CountOfCodes(Program("stablehlo.select", {"131072xi1", "131072xf8E4M3FN", "131072xf8E4M3FN"}, "131072xf8E4M3FN")),
      131072U);
}

TEST_F(ElementwiseInputsTest, ConversionsAndComparisonsHaveEveryBitPattern) {
  EXPECT_EQ(CountOfCodes(Program("stablehlo.convert", {"65536xf16"}, "65536xf8E5M2")), 65536U);
  EXPECT_EQ(CountOfCodes(Program("stablehlo.convert", {"65536xbf16"}, "65536xf64")), 65536U);
  EXPECT_EQ(CountOfCodes(Program("stablehlo.convert", {"256xi8"}, "256xf32")), 256U);
  EXPECT_EQ(CountOfCodes(Program("stablehlo.reduce_precision", {"65536xf16"}, "65536xf16",
                                 "{exponent_bits = 5 : i32, mantissa_bits = 2 : i32}")),
            65536U);
  EXPECT_EQ(CountOfCodes(Program("stablehlo.compare", {"65536xf8E5M2", "65536xf8E5M2"}, "65536xi1",
                                 "{comparison_direction = #stablehlo<comparison_direction LT>}")),
            65536U);
}

TEST_F(ElementwiseInputsTest, AComparisonInTotalOrderHasOneNan) {
  EXPECT_EQ(CountOfCodes(Program("stablehlo.compare", {"65536xf8E5M2", "65536xf8E5M2"}, "65536xi1",
                                 "{comparison_direction = #stablehlo<comparison_direction LT>, "
                                 "compare_type = #stablehlo<comparison_type TOTALORDER>}")),
            251U * 251U)
      << "of the six codes for NaN the reference keeps one";
}

TEST_F(ElementwiseInputsTest, ABitcastHasEveryBitPattern) {
  EXPECT_EQ(CountOfCodes(Program("stablehlo.bitcast_convert", {"65536xi16"}, "65536xf16")), 65536U);
  EXPECT_EQ(CountOfCodes(Program("stablehlo.bitcast_convert", {"65536xui16"}, "65536x2xi8")), 65536U);
  EXPECT_EQ(CountOfCodes(Program("stablehlo.bitcast_convert", {"65536xf16"}, "65536xi16")), 65536U - 2 * 1023 + 1)
      << "of the codes for NaN the reference keeps one";
}

TEST_F(ElementwiseInputsTest, ABitcastThatJoinsElementsHasEveryCombination) {
  const auto joined = [](const std::vector<uint64_t>& codes, size_t together) {
    std::set<uint64_t> results;
    for (size_t i = 0; i < codes.size(); i += together) {
      uint64_t result = 0;
      for (size_t k = 0; k < together; ++k) result = result << (16 / together) | codes[i + k];
      results.insert(result);
    }
    return results.size();
  };
  EXPECT_EQ(joined(DrawCodes(Program("stablehlo.bitcast_convert", {"65536x2xi8"}, "65536xbf16")), 2), 65536U);
  EXPECT_EQ(joined(DrawCodes(Program("stablehlo.bitcast_convert", {"65536x4xi4"}, "65536xi16")), 4), 65536U);
}

TEST_F(ElementwiseInputsTest, QuotientsOfNarrowIntegersHaveEveryPairThatIsSpecified) {
  for (const char* op : {"stablehlo.divide", "stablehlo.remainder"}) {
    const std::vector<uint64_t> codes = DrawCodes(Program(op, {"65536xi8", "65536xi8"}, "65536xi8"));
    const std::set<uint64_t> pairs(codes.begin(), codes.end());
    EXPECT_FALSE(pairs.contains(0x8000FF)) << op << ": -128 by -1";
    size_t specified = 0;
    for (const uint64_t pair : pairs) specified += (pair & 0xFF) != 0;
    EXPECT_EQ(specified, pairs.size()) << op << ": by zero";
    EXPECT_EQ(specified, 256U * 255 - 1) << op;
  }
}

TEST_F(ElementwiseInputsTest, ShiftsOfNarrowIntegersHaveEveryAmountBelowTheWidth) {
  EXPECT_EQ(CountOfCodes(Program("stablehlo.shift_left", {"2048xi8", "2048xi8"}, "2048xi8")), 2048U);
}

TEST_F(ElementwiseInputsTest, SmallTensorsOfANarrowTypeHoldDifferentValuesInEverySeed) {
  const std::string text = Program("stablehlo.tanh", {"64xf8E5M2"}, "64xf8E5M2");
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::set<uint64_t> codes = CodesOf(Draw(text, InputKind::kSweep, seed)[0]);
    EXPECT_GE(codes.size(), 60U);
    seen.merge(codes);
  }
  EXPECT_EQ(seen.size(), 256U - 5) << "of six NaN one is read";
}

TEST_F(ElementwiseInputsTest, ASweepOfTwoArgumentsHoldsEveryPair) {
  const auto inputs = Draw(Program("chlo.mulhi", {"65536xi8", "65536xi8"}, "65536xi8"), InputKind::kSweep);
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < 65536; ++i) pairs.emplace(inputs[0].data<int64_t>()[i], inputs[1].data<int64_t>()[i]);
  EXPECT_EQ(pairs.size(), 65536U);
}

TEST_F(ElementwiseInputsTest, ASweepHasIntegersOfEveryLengthAndSign) {
  const Tensor x = Draw(Program("stablehlo.negate", {"200xi32"}, "200xi32"), InputKind::kSweep)[0];
  std::set<int> lengths;
  for (const int64_t v : x.data<int64_t>()) {
    lengths.insert(static_cast<int>(std::bit_width(static_cast<uint64_t>(v < 0 ? -v : v))) * (v < 0 ? -1 : 1));
  }
  EXPECT_EQ(lengths.size(), 1U + 31 + 32);
}

TEST_F(ElementwiseInputsTest, ValuesWithAnOpenResultAreNotDrawn) {
  for (const InputKind kind : {InputKind::kEdge, InputKind::kSweep}) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const auto quotient = Draw(Program("stablehlo.divide", {"400xi32", "400xi32"}, "400xi32"), kind, seed);
      for (size_t i = 0; i < 400; ++i) {
        EXPECT_NE(quotient[1].data<int64_t>()[i], 0);
        EXPECT_NE(quotient[0].data<int64_t>()[i], MinInteger(ElementType::kI32));
      }

      const Tensor converted = Draw(Program("stablehlo.convert", {"400xf32"}, "400xi8"), kind, seed)[0];
      for (const double v : converted.data<double>()) EXPECT_TRUE(v >= -128 && v <= 127) << v;
      const Tensor gamma = Draw(Program("chlo.lgamma", {"400xf32"}, "400xf32"), kind, seed)[0];
      for (const double v : gamma.data<double>()) EXPECT_GT(v, 0);
    }
  }
}

TEST_F(ElementwiseInputsTest, ASweepShiftsByLessThanTheWidth) {
  const auto shift = Draw(Program("stablehlo.shift_left", {"400xi32", "400xi32"}, "400xi32"), InputKind::kSweep);
  for (const int64_t v : shift[1].data<int64_t>()) EXPECT_TRUE(v >= 0 && v < 32) << v;
}

TEST_F(ElementwiseInputsTest, ComplexFunctionsGetNumbersThatStayFinite) {
  for (const InputKind kind : {InputKind::kEdge, InputKind::kSweep}) {
    const auto inputs =
        Draw(Program("stablehlo.multiply", {"500xcomplex<f32>", "500xcomplex<f32>"}, "500xcomplex<f32>"), kind);
    for (const Complex z : inputs[1].data<Complex>()) EXPECT_LT(std::abs(z), 16);
  }
  const Tensor sum = Draw(Program("stablehlo.negate", {"500xcomplex<f32>"}, "500xcomplex<f32>"), InputKind::kEdge)[0];
  EXPECT_TRUE(std::ranges::any_of(sum.data<Complex>(), [](Complex z) { return std::isinf(z.imag()); }));
}

TEST_F(ElementwiseInputsTest, EdgeHoldsEveryPairOfSpecials) {
  const auto inputs = Draw(Program("stablehlo.power", {"1200xf32", "1200xf32"}, "1200xf32"), InputKind::kEdge);
  const std::vector<uint64_t> specials = SpecialCodes(ElementType::kF32);
  ASSERT_EQ(specials.size(), 16U);
  std::set<std::pair<uint64_t, uint64_t>> pairs;
  int64_t ordinary = 0;
  for (size_t i = 0; i < 1200; ++i) {
    const auto code = [&](size_t k) { return EncodeFloat(FormatOf(ElementType::kF32), inputs[k].data<double>()[i]); };
    const bool special = std::ranges::count(specials, code(0)) > 0 && std::ranges::count(specials, code(1)) > 0;
    if (special) pairs.emplace(code(0), code(1));
    ordinary += !special;
  }
  EXPECT_EQ(pairs.size(), 256U);
  EXPECT_GT(ordinary, 600);
}

TEST_F(ElementwiseInputsTest, SeedsOfEdgeCoverOtherPairs) {
  const std::string text = Program("stablehlo.add", {"40xf32", "40xf32"}, "40xf32");
  std::set<std::pair<uint64_t, uint64_t>> seen;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto inputs = Draw(text, InputKind::kEdge, seed);
    for (size_t i = 0; i < 40; ++i) {
      seen.emplace(std::bit_cast<uint64_t>(inputs[0].data<double>()[i]),
                   std::bit_cast<uint64_t>(inputs[1].data<double>()[i]));
    }
  }
  int64_t special = 0;
  for (const auto& [a, b] : seen) {
    const auto is = [](uint64_t bits) {
      const auto codes = SpecialCodes(ElementType::kF32);
      return std::ranges::count(codes, EncodeFloat(FormatOf(ElementType::kF32), std::bit_cast<double>(bits))) > 0;
    };
    special += is(a) && is(b);
  }
  EXPECT_GT(special, 250);
}

TEST_F(ElementwiseInputsTest, AScalarNextToATensorIsNotSwept) {
  const std::string text = Program("stablehlo.clamp", {"f32", "500xf32", "f32"}, "500xf32");
  const auto swept = Draw(text, InputKind::kSweep);
  const auto domain = Draw(text, InputKind::kDomain);
  EXPECT_EQ(swept[0].data<double>()[0], domain[0].data<double>()[0]);
  EXPECT_FALSE(std::ranges::equal(swept[1].data<double>(), domain[1].data<double>()));
}

TEST_F(ElementwiseInputsTest, FunctionsUnderOtherNamesAreSwept) {
  const char* const composite = R"(func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.composite "chlo.erf" %a {decomposition = @f} : (tensor<100xf32>) -> tensor<100xf32>
    return %0 : tensor<100xf32>
  }
  func.func private @f(%a: tensor<100xf32>) -> tensor<100xf32> {
    return %a : tensor<100xf32>
  })";
  EXPECT_FALSE(DrawsSameInputs(Read(composite), InputKind::kSweep, InputKind::kDomain));
  const char* const custom = R"(func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<100xf32>) -> tensor<100xf32>
    return %0 : tensor<100xf32>
  })";
  EXPECT_FALSE(DrawsSameInputs(Read(custom), InputKind::kSweep, InputKind::kDomain));
}

TEST_F(ElementwiseInputsTest, AConstantOperandLeavesAnElementwiseFunction) {
  const char* const text = R"(func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %0 = stablehlo.divide %a, %b : tensor<100xf32>
    return %0 : tensor<100xf32>
  })";
  EXPECT_FALSE(DrawsSameInputs(Read(text), InputKind::kSweep, InputKind::kDomain));
}

TEST_F(ElementwiseInputsTest, OtherProgramsHaveTheSameInputsUnderSweepAndDomain) {
  const std::string transpose = R"(func.func @main(%a: tensor<4x5xf32>) -> tensor<5x4xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  })";
  EXPECT_TRUE(DrawsSameInputs(Read(transpose), InputKind::kSweep, InputKind::kDomain));
  EXPECT_TRUE(std::ranges::equal(Draw(transpose, InputKind::kSweep)[0].data<double>(),
                                 Draw(transpose, InputKind::kDomain)[0].data<double>()));
  const char* const two = R"(func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.exponential %a : tensor<100xf32>
    %1 = stablehlo.add %0, %a : tensor<100xf32>
    return %1 : tensor<100xf32>
  })";
  EXPECT_TRUE(DrawsSameInputs(Read(two), InputKind::kSweep, InputKind::kDomain));
}

TEST_F(ElementwiseInputsTest, DrawsAsKnowsWhichPoliciesGiveTheSameInputs) {
  const mlir::ModuleOp add = Read(Program("stablehlo.add", {"4xf32", "4xf32"}, "4xf32"));
  EXPECT_TRUE(DrawsSameInputs(add, InputKind::kSparse, InputKind::kDomain));
  EXPECT_FALSE(DrawsSameInputs(add, InputKind::kEdge, InputKind::kDomain));
  EXPECT_FALSE(DrawsSameInputs(add, InputKind::kSweep, InputKind::kEdge));
  EXPECT_FALSE(DrawsSameInputs(add, InputKind::kCaptured, InputKind::kDomain));
  const mlir::ModuleOp constant = Read(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  })");
  EXPECT_TRUE(DrawsSameInputs(constant, InputKind::kEdge, InputKind::kDomain));
  const mlir::ModuleOp dot = Read(R"(func.func @main(%a: tensor<4x5xf32>, %b: tensor<5x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot %a, %b : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  })");
  EXPECT_FALSE(DrawsSameInputs(dot, InputKind::kSparse, InputKind::kDomain));
  EXPECT_TRUE(DrawsSameInputs(dot, InputKind::kSweep, InputKind::kDomain));
}

}  // namespace
}  // namespace opbyop::reference
