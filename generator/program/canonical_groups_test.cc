// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/canonical_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "generator/program/parse_for_test.h"
#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop::generator {
namespace {

constexpr std::string_view kEight = "mhlo.num_partitions = 8 : i32";

// The attribute of a collective after CanonicalizeGroups().
std::string Canonical(const std::string& op, const std::string& given, const std::string& attribute,
                      std::string_view module_attributes = kEight) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const std::string text =
      "module attributes {" + std::string(module_attributes) +
      "} {\nsdy.mesh @m = <[\"data\"=2, \"tp\"=4]>\nfunc.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n%0 = "
      "\"stablehlo." +
      op + "\"(%a) <{" + given + "}> : (tensor<8xf32>) -> tensor<8xf32>\nreturn %0 : tensor<8xf32>\n}\n}\n";
  const auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return "";
  CanonicalizeGroups(**module);
  std::string printed;
  llvm::raw_string_ostream out(printed);
  if (const mlir::Attribute found = FindOp(**module, "stablehlo." + op)->getAttr(attribute)) out << found;
  return printed;
}

std::string Groups(const std::string& given, std::string_view module_attributes = kEight) {
  return Canonical("collective_broadcast",
                   "channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, replica_groups = " + given,
                   "replica_groups", module_attributes);
}

TEST(CanonicalGroupsTest, GroupsAreOrderedByTheirFirstIds) {
  EXPECT_EQ(Groups("dense<[[6, 7], [0, 1], [3, 2], [4, 5]]> : tensor<4x2xi64>"),
            "dense<[[0, 1], [3, 2], [4, 5], [6, 7]]> : tensor<4x2xi64>");
}

TEST(CanonicalGroupsTest, MeshAxesBecomeLists) {
  const std::string tp = "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"tp\">]>";
  EXPECT_EQ(Groups(tp), "dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>");
}

TEST(CanonicalGroupsTest, AbsentGroupsAreSpelledOut) {
  EXPECT_EQ(Groups("dense<> : tensor<0x0xi64>"), "dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>");
}

TEST(CanonicalGroupsTest, GroupsOfOneProcessDoNotChange) {
  EXPECT_EQ(Groups("dense<> : tensor<0x0xi64>", ""), "dense<> : tensor<0x0xi64>");
  EXPECT_EQ(Groups("dense<0> : tensor<1x1xi64>", ""), "dense<0> : tensor<1x1xi64>");
}

TEST(CanonicalGroupsTest, PaddingIsAtTheEnd) {
  EXPECT_EQ(Groups("dense<[[7, -1, -1], [-1, 5, 6], [0, 1, 2]]> : tensor<3x3xi64>"),
            "dense<[[0, 1, 2], [5, 6, -1], [7, -1, -1]]> : tensor<3x3xi64>");
}

TEST(CanonicalGroupsTest, PairsAreOrderedAndChannelsHaveOneNumber) {
  const std::string given =
      "channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, source_target_pairs = "
      "dense<[[3, 0], [0, 1]]> : tensor<2x2xi64>";
  EXPECT_EQ(Canonical("collective_permute", given, "source_target_pairs"), "dense<[[0, 1], [3, 0]]> : tensor<2x2xi64>");
  EXPECT_EQ(Canonical("collective_permute", given, "channel_handle"),
            "#stablehlo.channel_handle<handle = 1, type = 1>");
}

}  // namespace
}  // namespace opbyop::generator
