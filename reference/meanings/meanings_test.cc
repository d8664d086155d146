// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/meanings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ir/foreign_dialects.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "reference/eval/evaluate_text.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kScale = R"(
func.func @vendor.scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
)";

// A program of its own @twice, which must not be the one that is called.
constexpr const char* kProgram = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @vendor.scale(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
)";

class MeaningsTest : public testing::Test {
 protected:
  MeaningsTest() : context_(mlir::MLIRContext::Threading::DISABLED) { AllowAnyDialect(context_); }

  Expected<Meanings> Load(const std::string& text) {
    const std::filesystem::path file = folder_.path() / "vendor.mlir";
    EXPECT_TRUE(WriteFile(file, text));
    return Meanings::Load({file});
  }

  // Evaluates the program with the meanings of `definitions`.
  Expected<Values> Evaluate(const std::string& definitions, const std::string& program) {
    const Expected<Meanings> meanings = Load(definitions);
    if (!meanings) return Unexpected(meanings.error());
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(program, "case.mlir", context_);
    if (!module) return Unexpected(module.error());
    Expected<Applied> applied = meanings->Apply(module->get());
    if (!applied) return Unexpected(applied.error());
    used_ = applied->words;
    EXPECT_TRUE(succeeded(mlir::verify(module->get())));
    Evaluator evaluator(module->get(), EvalOptions());
    return evaluator.CallFunction(*EntryOf(module->get()), {F32({2}, {1, 3})});
  }

  TestFolder folder_;
  mlir::MLIRContext context_;
  std::string used_;
};

TEST_F(MeaningsTest, ACustomCallMeansWhatItsFunctionComputes) {
  const Expected<Values> results = Evaluate(kScale, kProgram);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
  EXPECT_EQ(used_, "vendor.scale as vendor.mlir defines it");
}

TEST_F(MeaningsTest, ADefinitionOverridesADecomposition) {
  const Expected<Values> results = Evaluate(kScale, R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.composite "vendor.scale" %x {decomposition = @stub} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @stub(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
}

TEST_F(MeaningsTest, AnIdentityIsOneOfEveryType) {
  const Expected<Values> results = Evaluate("module attributes {opbyop.identities = [\"vendor.scale\"]} {}", kProgram);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(1, 3));
}

TEST_F(MeaningsTest, ANameMayBeDefinedForSeveralTypes) {
  const Expected<Values> results = Evaluate(std::string(kScale) + R"(
    func.func @scale_of_four(%x: tensor<4xf32>) -> tensor<4xf32> attributes {opbyop.meaning = "vendor.scale"} {
      return %x : tensor<4xf32>
    })",
                                            kProgram);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
}

TEST_F(MeaningsTest, ACallOfOtherTypesIsUnsupportedAndSaysWhatIsDefined) {
  const Expected<Values> results =
      Evaluate("func.func @vendor.scale(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }", kProgram);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(results.error().message,
              HasSubstr("custom_call @vendor.scale: vendor.mlir defines it for (tensor<4xf32>) -> tensor<4xf32>"));
}

TEST_F(MeaningsTest, ACallInsideADefinitionKeepsItsOwnMeaning) {
  const Expected<Values> results = Evaluate(R"(
    func.func @Sharding(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = stablehlo.add %0, %0 : tensor<2xf32>
      return %1 : tensor<2xf32>
    })",
                                            R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @Sharding(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(2, 6));
}

TEST_F(MeaningsTest, AProgramWithoutSuchCallsStaysAsItIs) {
  const Expected<Values> results =
      Evaluate(kScale, "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(used_, "");
}

TEST_F(MeaningsTest, AFileThatDefinesNothingUsableIsAnError) {
  EXPECT_THAT(Load("module {}").error().message, HasSubstr("defines nothing"));
  EXPECT_THAT(Load("func.func private @helper(tensor<2xf32>)").error().message, HasSubstr("defines nothing"));
  EXPECT_THAT(Load("module attributes {opbyop.identities = [\"a\"]} {\n"
                   "  func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n}")
                  .error()
                  .message,
              HasSubstr("a is defined twice"));
  EXPECT_EQ(Meanings::Load({folder_.path() / "absent.mlir"}).error().code, ExitCode::kNoInput);
}

// A definition for any size, two element types and a batch, with an attribute of the call.
constexpr const char* kWeighted = R"(
func.func @weighted(%x: tensor<?xf32>, %weight: tensor<f64> {opbyop.attribute = "weight", opbyop.default = 10.0},
                    %size: tensor<i32> {opbyop.result_size = [0, 0]}) -> tensor<?xf32>
    attributes {opbyop.meaning = ["vendor.weighted", "vendor.?weighted"], opbyop.types = [f64]} {
  %0 = stablehlo.convert %weight : (tensor<f64>) -> tensor<f32>
  %1 = chlo.broadcast_multiply %x, %0 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = stablehlo.convert %size : (tensor<i32>) -> tensor<f32>
  %3 = chlo.broadcast_add %1, %2 : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
})";

std::string Weighted(const std::string& name, const std::string& attributes, const std::string& type) {
  return "func.func @main(%x: tensor<2xf32>) -> " + type + " {\n  %c = stablehlo.constant dense<2.0> : " + type +
         "\n  %0 = stablehlo.custom_call @" + name + "(%c) {" + attributes + "} : (" + type + ") -> " + type +
         "\n  return %0 : " + type + "\n}";
}

TEST_F(MeaningsTest, ADynamicDefinitionIsForEverySize) {
  for (const char* type : {"tensor<2xf32>", "tensor<3xf32>", "tensor<3xf64>"}) {
    const Expected<Values> results = Evaluate(kWeighted, Weighted("vendor.weighted", "", type));
    ASSERT_TRUE(results) << results.error().message;
    const Tensor& tensor = (*results)[0].tensor();
    EXPECT_EQ(tensor.data<double>()[0], 20 + static_cast<double>(tensor.size())) << type;
    EXPECT_EQ("tensor<" + std::to_string(tensor.size()) + "x" + std::string(NameOf(tensor.type())) + ">", type);
  }
  EXPECT_FALSE(Evaluate(kWeighted, Weighted("vendor.weighted", "", "tensor<2xf16>")));
  EXPECT_FALSE(Evaluate(kWeighted, Weighted("vendor.weighted", "", "tensor<f32>")));
}

TEST_F(MeaningsTest, AQuestionMarkStandsForTheLettersOfLapack) {
  EXPECT_TRUE(Evaluate(kWeighted, Weighted("vendor.dweighted", "", "tensor<2xf64>")));
  EXPECT_FALSE(Evaluate(kWeighted, Weighted("vendor.xweighted", "", "tensor<2xf64>")));
}

TEST_F(MeaningsTest, AttributesAreFoundWhereverFrameworksWriteThem) {
  for (const char* attributes :
       {"weight = 3 : i64", "mhlo.backend_config = {weight = 3.0 : f32}", "mhlo.attributes = {weight = 3 : ui8}",
        "mhlo.frontend_attributes = {weight = \"3\"}", "api_version = 4 : i32, backend_config = {weight = 3 : i32}"}) {
    const Expected<Values> results = Evaluate(kWeighted, Weighted("vendor.weighted", attributes, "tensor<2xf32>"));
    ASSERT_TRUE(results) << attributes << results.error().message;
    EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(8, 8)) << attributes;
  }
}

TEST_F(MeaningsTest, APathFindsAMemberOfJsonAndAnEntryOfAList) {
  const std::string in_list =
      std::string(kWeighted).replace(std::string(kWeighted).find("\"weight\""), 8, "\"backend_config.1\"");
  const std::string in_json =
      std::string(kWeighted).replace(std::string(kWeighted).find("\"weight\""), 8, "\"backend_config.a.b\"");
  const auto evaluate = [&](const std::string& definitions, const std::string& config) {
    const Expected<Values> results =
        Evaluate(definitions, Weighted("vendor.weighted", "backend_config = \"" + config + "\"", "tensor<2xf32>"));
    EXPECT_TRUE(results) << results.error().message;
    return Elements<double>((*results)[0].tensor())[0];
  };
  EXPECT_EQ(evaluate(in_list, "1, 4,7"), 10);
  EXPECT_EQ(evaluate(in_list, "1"), 22) << "the default";
  EXPECT_EQ(evaluate(in_json, "{\\22a\\22: {\\22b\\22: 0.5}}"), 3);
  EXPECT_EQ(evaluate(in_json, "{\\22a\\22: {\\22b\\22: \\220.5\\22}}"), 3);
  EXPECT_EQ(evaluate(in_json, "not JSON"), 22);
}

TEST_F(MeaningsTest, AnAbsentAttributeWithoutDefaultIsUnsupported) {
  std::string definitions = kWeighted;
  definitions.replace(definitions.find(", opbyop.default = 10.0"), 23, "");
  const Expected<Values> results = Evaluate(definitions, Weighted("vendor.weighted", "", "tensor<2xf32>"));
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(results.error().message, HasSubstr("needs the attribute weight of the call"));
}

TEST_F(MeaningsTest, FurtherDimensionsInFrontAreABatch) {
  const Expected<Values> results = Evaluate(kWeighted, Weighted("vendor.weighted", "", "tensor<2x0x3xf32>"));
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ((*results)[0].tensor().shape(), (Shape{2, 0, 3}));
  const Expected<Values> sums = Evaluate(R"(func.func @total(%x: tensor<?xf32>) -> tensor<f32>
    attributes {opbyop.meaning = "vendor.scale"} {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    })",
                                         R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
      %0 = stablehlo.custom_call @vendor.scale(%a) : (tensor<2x3xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_TRUE(sums) << sums.error().message;
  EXPECT_THAT(Elements<double>((*sums)[0].tensor()), ElementsAre(6, 15));
}

TEST_F(MeaningsTest, TheFirstDefinitionThatFitsTheAttributesIsTaken) {
  const std::string definitions = R"(
    func.func @one(%x: tensor<2xf32>) -> tensor<2xf32>
      attributes {opbyop.meaning = "vendor.scale", opbyop.where = {mode = [1, 2]}} {
      %0 = stablehlo.negate %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @other(%x: tensor<2xf32>) -> tensor<2xf32>
      attributes {opbyop.meaning = "vendor.scale", opbyop.where = {mode = ["full"]}} { return %x : tensor<2xf32> })";
  const auto first = [&](const std::string& attributes) {
    const Expected<Values> results = Evaluate(definitions, R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @vendor.scale(%x) {)" + attributes +
                                                               R"(} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32> })");
    return results ? Elements<double>((*results)[0].tensor())[0] : 0;
  };
  EXPECT_EQ(first("mode = 2 : ui8"), -1);
  EXPECT_EQ(first("mode = \"full\""), 1);
  EXPECT_EQ(first("mode = 3 : i32"), 0);
  EXPECT_EQ(first(""), 0);
}

TEST_F(MeaningsTest, ACompositeWithoutDefinitionMeansItsDecomposition) {
  const std::string program = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.composite "vendor.other" %x {decomposition = @other} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @other(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> })";
  ASSERT_TRUE(Evaluate(kScale, program));
  EXPECT_EQ(used_, "vendor.other by its decomposition");
}

TEST_F(MeaningsTest, DefinitionsThatCannotBeUsedAreErrors) {
  const auto error = [&](const std::string& text) { return Load(text).error().message; };
  EXPECT_THAT(error(R"(func.func private @qr(tensor<?x?xf32>) -> tensor<?xf32> attributes {opbyop.property = "qr"})"),
              HasSubstr("argument 0 has no opbyop.is"));
  EXPECT_THAT(error(R"(func.func private @qr(tensor<?x?xf32> {opbyop.is = "a"}) -> tensor<?xf32>
                attributes {opbyop.property = "qz"})"),
              HasSubstr("unknown property 'qz'; there are cholesky, lu, qr"));
  EXPECT_THAT(error(R"(func.func @f(%x: tensor<?xf32>, %k: tensor<?xi32> {opbyop.attribute = "k"}) -> tensor<?xf32> {
                return %x : tensor<?xf32> })"),
              HasSubstr("expected a tensor of one integer or float"));
  EXPECT_THAT(error(R"(func.func @f(%x: tensor<?xf32>, %k: tensor<i32> {opbyop.result_size = [0, 1]}) -> tensor<?xf32> {
                return %x : tensor<?xf32> })"),
              HasSubstr("no [result, dimension]"));
  EXPECT_THAT(error(R"(func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> attributes {opbyop.types = [f64]} {
                %0 = stablehlo.constant dense<1.0> : tensor<f32>
                return %x : tensor<?xf32> })"),
              HasSubstr("has a constant of f32"));
  EXPECT_THAT(error(R"(func.func @f(%x: tensor<?x?xf32> {opbyop.input = "square"}) -> tensor<?x?xf32> {
                return %x : tensor<?x?xf32> })"),
              HasSubstr("neither \"triangular\" nor"));
  EXPECT_THAT(error(R"(func.func @f(%x: tensor<?x?xf32> {opbyop.input = [7, 0]}) -> tensor<?x?xf32> {
                return %x : tensor<?x?xf32> })"),
              HasSubstr("nor [least, greatest]"));
}

constexpr const char* kQr = R"(func.func private @qr(tensor<?x?xf32> {opbyop.is = "a"})
    -> (tensor<?x?xf32> {opbyop.is = "packed"}, tensor<?xf32> {opbyop.is = "tau"})
    attributes {opbyop.property = "qr", opbyop.meaning = "vendor.qr"})";

TEST_F(MeaningsTest, APropertyJudgesAProgramThatIsTheCall) {
  const Expected<Meanings> meanings = Load(kQr);
  ASSERT_TRUE(meanings) << meanings.error().message;
  const auto apply = [&](const std::string& text) {
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, "case.mlir", context_);
    EXPECT_TRUE(module) << module.error().message;
    const Expected<Applied> applied = meanings->Apply(module->get());
    EXPECT_TRUE(applied) << applied.error().message;
    std::string why;
    (*module)->walk([&](mlir::Operation* op) {
      if (const auto attribute = op->getAttrOfType<mlir::StringAttr>(kOtherMeaning)) why = attribute.str();
    });
    return std::pair(applied && applied->judge.has_value(), why);
  };
  EXPECT_TRUE(apply(R"(func.func @main(%a: tensor<2x3x2xf64>) -> (tensor<2x2xf64>, tensor<2x3x2xf64>) {
    %0:2 = stablehlo.custom_call @vendor.qr(%a) : (tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
    return %0#1, %0#0 : tensor<2x2xf64>, tensor<2x3x2xf64> })")
                  .first);
  const auto [is_partial, partial] = apply(R"(func.func @main(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0:2 = stablehlo.custom_call @vendor.qr(%a) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
    return %0#0 : tensor<3x2xf32> })");
  EXPECT_FALSE(is_partial);
  EXPECT_EQ(partial,
            "vendor.mlir says what its results must satisfy: not every result of the call is one of the program");
  const auto [is_odd, odd] = apply(R"(func.func @main(%a: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>) {
    %0:2 = stablehlo.custom_call @vendor.qr(%a) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<3x2xf32>, tensor<3xf32> })");
  EXPECT_FALSE(is_odd);
  EXPECT_THAT(odd, HasSubstr("tau has another shape than qr demands"));
}

TEST_F(MeaningsTest, ANumberWithoutTheBatchIsThatOfEveryElement) {
  const Expected<Values> results = Evaluate(R"(
    func.func @vendor.add(%x: tensor<?xf32>, %y: tensor<f32>) -> tensor<?xf32> {
      %0 = chlo.broadcast_add %x, %y : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })",
                                            R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2x2xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
      %1 = stablehlo.constant dense<10.0> : tensor<f32>
      %2 = stablehlo.custom_call @vendor.add(%0, %1) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      return %2 : tensor<2x2xf32>
    })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(results->front().tensor().data<double>(), ElementsAre(11, 13, 11, 13));
}

TEST_F(MeaningsTest, ADefinitionMayBeForTheLastDimensionOnly) {
  const std::string definition = R"(func.func @vendor.first(%x: tensor<?xf32>) -> tensor<?xf32>
      attributes {opbyop.last_dimension = "axis"} { return %x : tensor<?xf32> })";
  const auto evaluate = [&](int axis) {
    return Evaluate(definition, R"(func.func @main(%x: tensor<2xf32>) -> tensor<2x2xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
      %1 = stablehlo.custom_call @vendor.first(%0) {mhlo.backend_config = {axis = )" +
                                    std::to_string(axis) + R"( : i64}} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      return %1 : tensor<2x2xf32> })");
  };
  EXPECT_TRUE(evaluate(1));
  const Expected<Values> other = evaluate(0);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("vendor.mlir defines it for"));
}

// Definitions become calls of these names. A program that has such a call itself may have any attributes.
TEST_F(MeaningsTest, AnInvalidBatchIsAnError) {
  const auto error = [](const std::string& attributes) {
    const Expected<Values> results =
        EvaluateText(R"(func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = stablehlo.custom_call @opbyop.for_each(%x, %y) {)" +
                         attributes + R"(} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    func.func private @first(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> })",
                     {F32({2, 3}, {1, 2, 3, 4, 5, 6}), F32({3}, {1, 2, 3})});
    return results ? "" : results.error().message;
  };
  EXPECT_THAT(error(""), HasSubstr("names no function"));
  EXPECT_THAT(error("called_computations = [@first], opbyop.batch_rank = 2 : i64"),
              HasSubstr("an operand without the dimensions of the batch"));
  EXPECT_THAT(error("called_computations = [@first], opbyop.batch_rank = -1 : i64"),
              HasSubstr("an operand without the dimensions of the batch"));
  EXPECT_THAT(error("called_computations = [@first], opbyop.batch_rank = 1 : i64"), HasSubstr("different batches"));
  EXPECT_THAT(error("called_computations = [@absent], opbyop.batch_rank = 0 : i64"), HasSubstr("no function @absent"));
}

TEST_F(MeaningsTest, AChoiceOfTheDeviceHasTheAnswersOfAllBranches) {
  const Expected<Values> results = EvaluateText(R"(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %any = stablehlo.custom_call @opbyop.any() : () -> tensor<i32>
      %0 = "stablehlo.case"(%any) ({
        stablehlo.return %x : tensor<1xf32>
      }, {
        %1 = stablehlo.negate %x : tensor<1xf32>
        stablehlo.return %1 : tensor<1xf32>
      }) : (tensor<i32>) -> tensor<1xf32>
      return %0 : tensor<1xf32>
    })",
                                                {F32({1}, {3})}, {.bounds = true});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(3));
  EXPECT_GE((*results)[0].tensor().bounds()[0], 6);
}

// Every target that the shipped definitions are for.
class ShippedTest : public MeaningsTest {};

TEST_F(ShippedTest, EveryFileIsRead) {
  for (const ShippedFile& file : ShippedFiles()) {
    const std::filesystem::path path = folder_.path() / file.name;
    ASSERT_TRUE(WriteFile(path, std::string(file.text)));
    const Expected<Meanings> meanings = Meanings::Load({path});
    EXPECT_TRUE(meanings) << meanings.error().message;
  }
}

TEST_F(ShippedTest, EveryCallThatJaxEmitsHasAMeaning) {
  const std::map<std::string, size_t> targets_of_file = {{"cpu", 44},   {"cuda", 10},     {"tpu", 4},
                                                         {"random", 1}, {"selection", 1}, {"selection_tpu", 1}};
  for (const auto& [name, count] : targets_of_file) {
    const std::filesystem::path path = std::filesystem::path("fixtures/custom_calls") / (name + ".mlir");
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(path, context_);
    ASSERT_TRUE(module) << module.error().message;
    std::set<std::string> targets;
    (*module)->walk([&](mlir::Operation* op) {
      if (op->getName().getStringRef() != "stablehlo.custom_call") return;
      targets.insert(op->getAttrOfType<mlir::StringAttr>("call_target_name").str());
    });
    EXPECT_EQ(targets.size(), count) << name;
    ASSERT_TRUE(Meanings().Apply(module->get()));
    // In a whole model a factorization cannot be judged, which must be the only reason.
    (*module)->walk([&](mlir::Operation* op) {
      if (op->getName().getStringRef() != "stablehlo.custom_call") return;
      const auto why = op->getAttrOfType<mlir::StringAttr>(kOtherMeaning);
      const auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
      if (target == kForEach) return;
      ASSERT_TRUE(why) << target.str();
      EXPECT_TRUE(why.getValue().contains("further results") || why.getValue().contains("not every result") ||
                  why.getValue().contains("not an op of the program"))
          << target.str() << ": " << why.str();
    });
  }
}

TEST_F(ShippedTest, ThreefryGivesTheKnownAnswers) {
  // The vectors of Random123 for 20 rounds.
  const Expected<Values> results = Evaluate("module attributes {opbyop.identities = [\"vendor.none\"]} {}",
                                            R"(func.func @main(%x: tensor<2xf32>) -> (tensor<3xui32>, tensor<3xui32>) {
      %k0 = stablehlo.constant dense<[0x0, 0xFFFFFFFF, 0x13198A2E]> : tensor<3xui32>
      %k1 = stablehlo.constant dense<[0x0, 0xFFFFFFFF, 0x03707344]> : tensor<3xui32>
      %x0 = stablehlo.constant dense<[0x0, 0xFFFFFFFF, 0x243F6A88]> : tensor<3xui32>
      %x1 = stablehlo.constant dense<[0x0, 0xFFFFFFFF, 0x85A308D3]> : tensor<3xui32>
      %0:2 = stablehlo.custom_call @cu_threefry2x32_ffi(%k0, %k1, %x0, %x1)
          : (tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>)
      return %0#0, %0#1 : tensor<3xui32>, tensor<3xui32>
    })");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT((*results)[0].tensor().Integers(), ElementsAre(0x6B200159, 0x1CB996FC, 0xC4923A9C));
  EXPECT_THAT((*results)[1].tensor().Integers(), ElementsAre(0x99BA4EFE, 0xBB002BE7, 0x483DF7A0));
  EXPECT_EQ(used_, "cu_threefry2x32_ffi as opbyop's threefry.mlir defines it");
}

TEST_F(ShippedTest, ADefinitionOfTheUserTakesPrecedence) {
  const std::string program = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @Pin(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })";
  Expected<Values> results = Evaluate("module attributes {opbyop.identities = [\"vendor.none\"]} {}", program);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(1, 3));
  EXPECT_EQ(used_, "Pin as opbyop's identities.mlir defines it");
  results = Evaluate(R"(func.func @Pin(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.negate %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    })",
                     program);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(Elements<double>((*results)[0].tensor()), ElementsAre(-1, -3));
  EXPECT_EQ(used_, "Pin as vendor.mlir defines it");
}

// The sizes in a definition are not known where inputs are drawn by the ops that read them.
TEST_F(ShippedTest, InputsAreDrawnForDefinitionsOfEverySize) {
  const std::filesystem::path path = "fixtures/custom_calls/attention.mlir";
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(path, context_);
  ASSERT_TRUE(module) << module.error().message;
  const Expected<Applied> applied = Meanings().Apply(module->get());
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(applied->words, HasSubstr("__cudnn$fmhaScaleBiasSoftmax as opbyop's attention.mlir defines it"));
  for (const InputKind kind : {InputKind::kDomain, InputKind::kEdge, InputKind::kExactInt, InputKind::kSparse}) {
    const Expected<std::vector<InputData>> inputs = MakeInputs(module->get(), kind, 1);
    ASSERT_TRUE(inputs) << inputs.error().message;
    EXPECT_EQ(inputs->size(), 22u);
  }
}

TEST_F(ShippedTest, ATriangularSystemIsDrawnWithAStrongDiagonal) {
  const std::string text = R"(func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x3x1xf32>) -> tensor<2x3x1xf32> {
      %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {side = 76 : ui8, uplo = 76 : ui8,
        trans_x = 78 : ui8, diag = 78 : ui8}} : (tensor<2x3x3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
      return %0 : tensor<2x3x1xf32>
    })";
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, "case.mlir", context_);
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_TRUE(Meanings().Apply(module->get()));
  const Expected<std::vector<InputData>> inputs = MakeInputs(module->get(), InputKind::kEdge, 1);
  ASSERT_TRUE(inputs) << inputs.error().message;
  const Expected<Tensor> a = TensorFromBytes((*inputs)[0].type, (*inputs)[0].shape, (*inputs)[0].bytes);
  for (int64_t i = 0; i < 18; ++i) {
    const double x = std::fabs(a->data<double>()[static_cast<size_t>(i)]);
    if (i % 9 % 4 == 0) {
      EXPECT_GE(x, 1) << i;
    } else {
      EXPECT_LE(x, 1) << i;
    }
  }
}

// All 24 forms of a triangular system, by what their solutions must satisfy.
TEST_F(ShippedTest, EveryFormOfATriangularSystemIsSolved) {
  constexpr Complex kA[3][3] = {{{2, 1}, {1, -1}, {0.5, 2}}, {{-1, 1}, {3, 0}, {1, 1}}, {{1, 2}, {-2, 0}, {-2, 2}}};
  const char* const kText =
      "[[(2.0, 1.0), (1.0, -1.0), (0.5, 2.0)], [(-1.0, 1.0), (3.0, 0.0), (1.0, 1.0)], "
      "[(1.0, 2.0), (-2.0, 0.0), (-2.0, 2.0)]]";
  for (const char side : {'L', 'R'}) {
    for (const char triangle : {'L', 'U'}) {
      for (const char transposition : {'N', 'T', 'C'}) {
        for (const char diagonal : {'N', 'U'}) {
          const bool left = side == 'L';
          const std::string shape = left ? "tensor<3x2xcomplex<f64>>" : "tensor<2x3xcomplex<f64>>";
          const std::string text =
              "func.func @main(%x: tensor<2xf32>) -> " + shape + " {\n  %a = stablehlo.constant dense<" + kText +
              "> : tensor<3x3xcomplex<f64>>\n  %b = stablehlo.constant dense<(1.0, 2.0)> : " + shape +
              "\n  %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {side = " +
              std::to_string(side) + " : ui8, uplo = " + std::to_string(triangle) +
              " : ui8, trans_x = " + std::to_string(transposition) + " : ui8, diag = " + std::to_string(diagonal) +
              " : ui8}} : (tensor<3x3xcomplex<f64>>, " + shape + ") -> " + shape + "\n  return %0 : " + shape + "\n}";
          const Expected<Values> results =
              Evaluate("module attributes {opbyop.identities = [\"vendor.none\"]} {}", text);
          ASSERT_TRUE(results) << results.error().message;
          const std::vector<Complex> x = Elements<Complex>((*results)[0].tensor());
          const auto m = [&](int64_t i, int64_t j) -> Complex {
            if (transposition != 'N') std::swap(i, j);
            if (i == j && diagonal == 'U') return 1;
            if (i != j && (i > j) != (triangle == 'L')) return 0;
            return transposition == 'C' ? std::conj(kA[i][j]) : kA[i][j];
          };
          for (int64_t i = 0; i < 3; ++i) {
            for (int64_t j = 0; j < 2; ++j) {
              Complex sum = 0;
              for (int64_t k = 0; k < 3; ++k) {
                sum += left ? m(i, k) * x[static_cast<size_t>(2 * k + j)] : x[static_cast<size_t>(3 * j + k)] * m(k, i);
              }
              EXPECT_LT(std::abs(sum - Complex(1, 2)), 1e-12) << side << triangle << transposition << diagonal;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace opbyop::reference
