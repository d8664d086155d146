// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/mesh.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "ir/op_info.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

class MeshTest : public testing::Test {
 protected:
  static MeshSuite Make(const Mesh& mesh, Level level, const std::string& ops) {
    const std::filesystem::path folder = TestSource("generator/suite/stablehlo");
    Expected<MeshSuite> made =
        MakeMeshSuite(*LoadSuite(folder), folder, mesh, level, ops,
                      [](const std::string&, const std::string&) -> Expected<void> { return {}; });
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : MeshSuite{};
  }

  // Made once for all tests.
  static const MeshSuite& All() {
    static const MeshSuite kAll = Make(kUsualMesh, Level::kSmoke, "*");
    return kAll;
  }
};

TEST_F(MeshTest, SmokeHoldsAtMostTwoThousandCases) {
  EXPECT_LE(All().result.manifest.cases.size(), 2000U);
  EXPECT_GE(All().result.manifest.cases.size(), 1000U);
  EXPECT_EQ(All().result.manifest.suite->level, "mesh-2x4");
}

TEST_F(MeshTest, EveryOpHasProgramsOrAReason) {
  for (const OpInfo& info : AllOps()) {
    const std::string op = info.name.str();
    if (!op.starts_with("stablehlo.") && !op.starts_with("chlo.")) continue;
    EXPECT_NE(All().sharded.contains(op) || All().collectives.contains(op), All().never.contains(op)) << op;
  }
}

TEST_F(MeshTest, EveryWayOfAnOpHasProgramsOrAReason) {
  for (const auto& [op, cells] : All().sharded) {
    EXPECT_EQ(cells.size(), kWays.size()) << op;
    for (const auto& [way, cell] : cells)
      EXPECT_EQ(cell.programs > 0, cell.reason.empty()) << op << " " << ToString(way);
  }
}

TEST_F(MeshTest, EveryCaseIsOfAllDevices) {
  for (const Case& c : All().result.manifest.cases) {
    EXPECT_TRUE(c.sharding || c.grid.processes() == 8) << c.id;
    if (c.sharding) EXPECT_EQ(c.sharding->partitions, 8) << c.id;
    EXPECT_TRUE(c.id.find("_8p_") != std::string::npos || c.id.find("_8r_") != std::string::npos ||
                c.id.find("_2r4p_") != std::string::npos)
        << c.id;
  }
}

TEST_F(MeshTest, TheProgramStatesTheDivisionOfEveryTensorThatAnOpTakes) {
  for (const Case& c : All().result.manifest.cases) {
    if (c.sharding) EXPECT_EQ(c.sharding->source, ShardingSource::kProgram) << c.id;
  }
  for (const Model& model : All().result.manifest.models) EXPECT_TRUE(model.not_divided.empty()) << model.name;
}

TEST_F(MeshTest, AnotherMeshHasTheSameOps) {
  const MeshSuite made = Make({.rows = 3, .columns = 2}, Level::kSmoke, "dot_general");
  EXPECT_EQ(made.sharded.size(), 1U);
  EXPECT_EQ(made.sharded.at("stablehlo.dot_general").at(Way::kOneAxisTwice).reason,
            "the second axis of the mesh has no parts");
  for (const Case& c : made.result.manifest.cases) EXPECT_THAT(c.id, HasSubstr("_6p_"));
}

TEST_F(MeshTest, TwoDevicesHaveTheSameOps) {
  const MeshSuite made = Make({.rows = 1, .columns = 2}, Level::kSmoke, "*");
  EXPECT_EQ(made.sharded.size(), All().sharded.size());
  for (const Case& c : made.result.manifest.cases) EXPECT_EQ(c.devices().processes(), 2) << c.id;
}

TEST_F(MeshTest, AMeshOfOneAxisSaysWhatItHasNot) {
  const MeshSuite made = Make({.rows = 1, .columns = 4}, Level::kSmoke, "all_reduce");
  EXPECT_FALSE(made.result.manifest.cases.empty());
}

TEST_F(MeshTest, AnOpThatNoMeshRunsIsAnError) {
  const std::filesystem::path folder = TestSource("generator/suite/stablehlo");
  const auto drop = [](const std::string&, const std::string&) -> Expected<void> { return {}; };
  EXPECT_EQ(MakeMeshSuite(*LoadSuite(folder), folder, kUsualMesh, Level::kSmoke, "tuple", drop).error().code,
            ExitCode::kNothingToDo);
}

TEST_F(MeshTest, ThePageIsUpToDate) {
  const Expected<std::string> page = ReadFile(TestSource("docs/mesh-coverage.md"));
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(*page, testing::Not(HasSubstr("no reason is stated")));
  EXPECT_EQ(*page, MeshPage(*LoadSuite(TestSource("generator/suite/stablehlo")), All()))
      << "opbyop suite stablehlo --mesh 2x4 --coverage docs/mesh-coverage.md";
}

}  // namespace
}  // namespace opbyop::generator
