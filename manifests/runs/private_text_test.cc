// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/private_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "hunter2hunter2";

PrivateValues Values() { return {{{"GH_PAT", kSecret}}, {}}; }

TEST(PrivateTextTest, ATargetsFileNamesItsVariables) {
  TestFolder folder;
  const std::filesystem::path file = folder.path() / "chip.yaml";
  ASSERT_TRUE(
      WriteFile(file,
                "schema: opbyop-target/1\n"
                "name: chip\n"
                "environment: {CHIP: \"{env:CHIP_KIND}\"}\n"
                "stages: [{name: lower, command: [cc, \"{env_file:CHIP_DESCRIPTION}\"], environment: {LEVEL: 3}}]\n"));
  EXPECT_THAT(VariablesNamedBy(file), ElementsAre("CHIP", "CHIP_DESCRIPTION", "CHIP_KIND", "LEVEL"));
  EXPECT_TRUE(VariablesNamedBy(folder.path() / "absent.yaml").empty());
}

TEST(PrivateTextTest, NoTextOfARecordHasAPrivateValue) {
  CaseRecord record;
  record.id = "add_f32_1f2e3d4c";
  record.diagnostic = record.repro = record.partitioning = record.first_attempt.diagnostic =
      record.differential.diagnostic = kSecret;
  record.stages = {{.name = "lower", .diagnostic = kSecret}};
  record.sets = {{.policy = "domain", .diagnostic = kSecret}};
  record.stderr_tail = {std::string("a ") + kSecret};
  record.comparisons.emplace_back().relaxed = kSecret;
  record.placements.inputs = {{kSecret, kSecret, {}}};
  const PrivateValues values = Values();
  HideIn(values, record);
  EXPECT_THAT(ToJsonLine(record), Not(HasSubstr(kSecret)));
  EXPECT_EQ(values.counts().at("GH_PAT"), 11);
  record.diagnostic = kSecret;
  HideIn(values, record, Count::kNo);
  EXPECT_EQ(record.diagnostic, "<GH_PAT>");
  EXPECT_EQ(values.counts().at("GH_PAT"), 11);
}

TEST(PrivateTextTest, NoTextOfAHeaderHasAPrivateValue) {
  RunHeader header;
  header.argv = {"conformance", std::string("--key=") + kSecret};
  header.toolchain = header.compile_only = header.target_file = header.filter = kSecret;
  header.host["device"] = header.properties["key"] = header.compiled["cpu"] = header.decides["environment.X"] = kSecret;
  header.merged.emplace_back().cpu = kSecret;
  HideIn(Values(), header);
  EXPECT_THAT(ToJsonLine(header), Not(HasSubstr(kSecret)));
}

TEST(PrivateTextTest, NoTextOfAManifestHasAPrivateValue) {
  Manifest manifest;
  Model& model = manifest.models.emplace_back();
  model.name = "m";
  model.source = model.error = model.producer = kSecret;
  Case& c = manifest.cases.emplace_back();
  c.attributes["key"] = kSecret;
  c.origins.push_back({.model = "m", .locations = {kSecret}, .framework_op = kSecret, .module_path = {kSecret}});
  HideIn(Values(), manifest);
  EXPECT_THAT(WriteManifest(manifest), Not(HasSubstr(kSecret)));
}

TEST(PrivateTextTest, NamesOfTheRunsSubjectAreNotPrivate) {
  Manifest manifest;
  manifest.models.emplace_back().name = "resnet50-v2";
  manifest.cases.emplace_back().op = "stablehlo.add";
  RunHeader header;
  header.target = "chip-of-2026";
  PrivateValues values({{"MODEL", "resnet50-v2"}, {"PART", "stablehlo"}, {"TARGET", "chip-of-2026"}}, {});
  values.AllowNamesIn(NamesOf(manifest) + NamesOf(header));
  EXPECT_EQ(values.Hide("resnet50-v2 stablehlo.add chip-of-2026"), "resnet50-v2 stablehlo.add chip-of-2026");
}

}  // namespace
}  // namespace opbyop
