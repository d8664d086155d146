// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/mesh_ways.h"

#include <gmock/gmock.h>

#include "ir/register.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Mesh kMesh = {.rows = 2, .columns = 4};
const Axes kX = {{.stride = 4, .size = 2}};
const Axes kY = {{.stride = 1, .size = 4}};

class MeshWaysTest : public testing::Test {
 protected:
  MeshWaysTest() {
    mlir::DialectRegistry registry;
    RegisterAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  Divided Of(Way way, const std::string& arguments, const std::string& op, const Mesh& mesh = kMesh) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>("func.func @main(" + arguments + ") {\n%r = " + op + "\nreturn }",
                                                      &context_);
    EXPECT_TRUE(module_);
    return Divide(way, &module_->lookupSymbol<mlir::func::FuncOp>("main").getBody().front().front(), mesh);
  }
  Divided OfDot(Way way, const Mesh& mesh = kMesh) {
    return Of(way, "%a: tensor<8x16xf32>, %b: tensor<16x24xf32>",
              "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x24xf32>) -> "
              "tensor<8x24xf32>",
              mesh);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(MeshWaysTest, AMeshIsReadFromTheDevicesAlongItsAxes) {
  EXPECT_EQ(ParseMesh("2x4")->devices(), 8);
  EXPECT_EQ(ParseMesh("1x3")->X(), Axes());
  EXPECT_EQ(ParseMesh("64x64")->devices(), 4096);
  for (const char* text : {"", "8", "2x", "x4", "2x4x2", "1x1", "0x4", "-2x4", "64x65", "2x4 ", "99999999999x2"}) {
    EXPECT_FALSE(ParseMesh(text)) << text;
  }
}

TEST_F(MeshWaysTest, AContractedDimensionIsDividedInBothOperands) {
  const Divided divided = OfDot(Way::kContracting);
  ASSERT_THAT(divided.divisions, SizeIs(1));
  EXPECT_THAT(divided.divisions[0].operands, ElementsAre(Division{{}, kY}, Division{kY, {}}));
  EXPECT_THAT(divided.divisions[0].results, ElementsAre(Division{{}, {}}));
}

TEST_F(MeshWaysTest, FreeDimensionsAreDividedOneOrBoth) {
  const Divided divided = OfDot(Way::kResult);
  ASSERT_THAT(divided.divisions, SizeIs(2));
  EXPECT_THAT(divided.divisions[0].results, ElementsAre(Division{kY, {}}));
  EXPECT_THAT(divided.divisions[1].results, ElementsAre(Division{kX, kY}));
}

TEST_F(MeshWaysTest, OperandsAreDividedOverAxesOfTheirOwn) {
  const Divided divided = OfDot(Way::kOperandsDifferently);
  ASSERT_THAT(divided.divisions, SizeIs(1));
  EXPECT_THAT(divided.divisions[0].operands, ElementsAre(Division{kX, {}}, Division{{}, kY}));
}

TEST_F(MeshWaysTest, PartsOfAnAxisDivideTwoDimensions) {
  const Divided divided = OfDot(Way::kOneAxisTwice);
  ASSERT_THAT(divided.divisions, SizeIs(1));
  const Axes major = {{.stride = 2, .size = 2}}, minor = {{.stride = 1, .size = 2}};
  EXPECT_THAT(divided.divisions[0].operands[0], ElementsAre(minor, major)) << "the contracted dimension comes first";
}

TEST_F(MeshWaysTest, TwoAxesDivideADimensionInBothOrders) {
  const Divided divided = OfDot(Way::kTwoAxes);
  ASSERT_THAT(divided.divisions, SizeIs(2));
  EXPECT_EQ(divided.divisions[0].operands[0][1], (Axes{{.stride = 1, .size = 8}}));
  EXPECT_EQ(divided.divisions[1].operands[0][1], (Axes{kY[0], kX[0]}));
}

TEST_F(MeshWaysTest, AReshardedResultDiffersFromTheOperands) {
  for (const OpDivision& division : OfDot(Way::kResharded).divisions) {
    EXPECT_NE(division.operands[0][0].empty(), division.results[0][0].empty());
  }
}

TEST_F(MeshWaysTest, ADimensionThatIsNoMultipleOfTheDevicesIsNotDivided) {
  const Divided divided = Of(Way::kResult, "%a: tensor<12xf32>", "stablehlo.negate %a : tensor<12xf32>");
  EXPECT_THAT(divided.divisions, IsEmpty());
  EXPECT_FALSE(divided.reason.empty());
}

TEST_F(MeshWaysTest, AnOpWithoutARuleIsDividedByPlace) {
  const Divided divided =
      Of(Way::kResharded, "%a: tensor<8x16xcomplex<f32>>",
         "stablehlo.fft %a, type = FFT, length = [16] : (tensor<8x16xcomplex<f32>>) -> tensor<8x16xcomplex<f32>>");
  ASSERT_THAT(divided.divisions, SizeIs(2));
  EXPECT_THAT(divided.divisions[0].operands, ElementsAre(Division{{}, kY}));
  EXPECT_THAT(divided.divisions[0].results, ElementsAre(Division{kY, {}}));
}

TEST_F(MeshWaysTest, ADimensionThatTheRuleLeavesWholeIsDivided) {
  const Divided divided =
      Of(Way::kWhole, "%a: tensor<8x16xf32>", "stablehlo.slice %a [0:8, 3:11] : (tensor<8x16xf32>) -> tensor<8x8xf32>");
  ASSERT_THAT(divided.divisions, SizeIs(2));
  EXPECT_THAT(divided.divisions[0].operands, ElementsAre(Division{{}, kY}));
  EXPECT_THAT(divided.divisions[1].results, ElementsAre(Division{{}, kY}));
}

TEST_F(MeshWaysTest, EveryWayHasAReasonIfItHasNoDivision) {
  for (const Mesh& mesh : {kMesh, Mesh{.rows = 1, .columns = 8}, Mesh{.rows = 2, .columns = 1}}) {
    for (const Way way : kWays) {
      const Divided divided = OfDot(way, mesh);
      EXPECT_NE(divided.divisions.empty(), divided.reason.empty()) << ToString(way) << " of " << mesh.Text();
    }
  }
}

}  // namespace
}  // namespace opbyop::generator
