// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/replica_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/read_module.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

using testing::ElementsAre;

Expected<IdGroups> Groups(const std::string& attribute, const std::string& before = "") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(
      before +
          "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = \"stablehlo.collective_broadcast\"(%a) "
          "{replica_groups = " +
          attribute + "} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
      "test.mlir", context);
  if (!module) return Unexpected(module.error());
  Expected<IdGroups> groups = MakeError(ExitCode::kInternal, "no op");
  (*module)->walk([&](mlir::Operation* op) {
    if (op->hasAttr("replica_groups")) groups = ReplicaGroupsOf(op);
  });
  return groups;
}

std::string Axes(const std::string& axes, const std::string& ids = "") {
  return "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = "
         "2>, #stablehlo.mesh_axis<name = \"y\", size = 4>]" +
         ids + ">, axes = [" + axes + "]>";
}

TEST(ReplicaGroupsTest, RowsOfAConstant) {
  EXPECT_THAT(*Groups("dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(ReplicaGroupsTest, AnAxisOfAMeshVariesInsideAGroup) {
  EXPECT_THAT(*Groups(Axes("#stablehlo.axis_ref<name = \"y\">")),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(*Groups(Axes("#stablehlo.axis_ref<name = \"x\">")),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
}

TEST(ReplicaGroupsTest, AxesCountInTheOrderInWhichTheyAreNamed) {
  EXPECT_THAT(*Groups(Axes("#stablehlo.axis_ref<name = \"y\">, #stablehlo.axis_ref<name = \"x\">")),
              ElementsAre(ElementsAre(0, 4, 1, 5, 2, 6, 3, 7)));
}

TEST(ReplicaGroupsTest, ASubAxisIsAPartOfItsAxis) {
  EXPECT_THAT(*Groups(Axes("#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)2>")),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(4, 6), ElementsAre(5, 7)));
  EXPECT_THAT(*Groups(Axes("#stablehlo.axis_ref<name = \"y\", sub_axis_info = (2)2>")),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5), ElementsAre(6, 7)));
}

TEST(ReplicaGroupsTest, DeviceIdsNameThePlacesOfTheMesh) {
  EXPECT_THAT(*Groups(Axes("#stablehlo.axis_ref<name = \"x\">",
                           ", device_ids = dense<[7, 6, 5, 4, 3, 2, 1, 0]> : "
                           "tensor<8xi64>")),
              ElementsAre(ElementsAre(7, 3), ElementsAre(6, 2), ElementsAre(5, 1), ElementsAre(4, 0)));
}

TEST(ReplicaGroupsTest, AMeshMayBeASymbolOfTheModule) {
  EXPECT_THAT(*Groups("#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\">]>",
                      "sdy.mesh @m = <[\"x\"=2, \"y\"=2], device_ids=[3, 2, 1, 0]>\n"),
              ElementsAre(ElementsAre(3, 1), ElementsAre(2, 0)));
}

TEST(ReplicaGroupsTest, AnUnknownAxisIsAnError) {
  const Expected<IdGroups> groups = Groups(Axes("#stablehlo.axis_ref<name = \"z\">"));
  ASSERT_FALSE(groups.has_value());
  EXPECT_NE(groups.error().message.find("no axis 'z'"), std::string::npos);
}

}  // namespace
}  // namespace opbyop
