// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kTargetHead =
    "schema: opbyop-target/1\nname: t\nworker: ['{bin}/w']\ndevice: {kind: host, parallel: true}\n";

Expected<Target> Load(const std::string& rest) {
  const auto path = std::filesystem::path(testing::TempDir()) / "target.yaml";
  EXPECT_TRUE(WriteFile(path, std::string(kTargetHead) + rest));
  return LoadTarget(path);
}

TEST(TargetTest, StagesKeepTheirOrderAndInheritLimits) {
  const auto target = Load(
      "limits: {timeout_s: 7}\nstages:\n- {name: parse}\n- {name: lower, pipeline: 'builtin.module(cse)', timeout_s: "
      "2}\n"
      "- {name: execute}\n");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->StageNames(), ElementsAre("parse", "lower", "execute", "compare"));
  EXPECT_EQ(target->stages[0].limits.timeout_s, 7);
  EXPECT_EQ(target->stages[1].limits.timeout_s, 2);
  EXPECT_TRUE(target->stages[1].is_compile_stage());
  EXPECT_FALSE(target->stages[2].is_compile_stage());
}

TEST(TargetTest, HelpersAreEndedUnlessTheyAreKept) {
  const std::string stages = "stages:\n- {name: parse}\n";
  EXPECT_FALSE(Load(stages)->keeps_helpers);
  EXPECT_FALSE(Load("helpers: ended\n" + stages)->keeps_helpers);
  EXPECT_TRUE(Load("helpers: kept\n" + stages)->keeps_helpers);
  const auto other = Load("helpers: keep\n" + stages);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("`helpers` is `kept` or `ended`, found 'keep'"));
}

TEST(TargetTest, APartitionerIsOneOfXlas) {
  const std::string stages = "stages:\n- {name: parse}\n";
  EXPECT_EQ(Load(stages)->partitioner, "");
  EXPECT_EQ(Load("partitioner: shardy\n" + stages)->partitioner, "shardy");
  EXPECT_EQ(Load("partitioner: gspmd\n" + stages)->partitioner, "gspmd");
  const auto other = Load("partitioner: sdy\n" + stages);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("`partitioner` is `gspmd` or `shardy`, found 'sdy'"));
}

TEST(TargetTest, MisspeltKeyOfAStageIsNamedWithItsLine) {
  const auto target = Load("stages:\n- {name: parse, pipelin: x}\n");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("target.yaml:6: unknown key `pipelin`"));
}

TEST(TargetTest, AnInvalidPatternIsNamedWithItsLine) {
  for (const char* pattern : {"(a", "a(?=b)"}) {
    const auto target =
        Load(std::string("stages:\n- name: lower\n  command: [x]\n  inconclusive:\n  - {match: '") + pattern + "'}\n");
    ASSERT_FALSE(target);
    EXPECT_THAT(target.error().message,
                HasSubstr(std::string("target.yaml:9: `") + pattern + "` is no regular expression: "));
  }
}

Expected<Target> LoadPluginTarget(const std::string& kind, const std::string& rest) {
  const auto path = std::filesystem::path(testing::TempDir()) / "plugin_target.yaml";
  EXPECT_TRUE(WriteFile(path,
                        "schema: opbyop-target/1\nname: t\nworker: ['{bin}/w']\nstages: [{name: compile}]\n"
                        "device: {kind: " +
                            kind + "}\n" + rest));
  return LoadTarget(path);
}

TEST(TargetTest, APluginHasOptionsOfAnyType) {
  const auto target = LoadPluginTarget(
      "pjrt",
      "plugin: /p.so\ntopology: 'v5e:2x2'\noptions: {text: x, number: 3, share: 0.5, flag: true, quoted: '3'}\n");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->plugin, "/p.so");
  EXPECT_EQ(target->topology, "v5e:2x2");
  const std::map<std::string, TargetOption> expected = {
      {"text", std::string("x")}, {"number", int64_t{3}}, {"share", 0.5}, {"flag", true}, {"quoted", std::string("3")}};
  EXPECT_EQ(target->options, expected);
}

TEST(TargetTest, ATopologyHasOptionsOfItsOwn) {
  const auto target = LoadPluginTarget(
      "pjrt", "plugin: /p.so\ntopology: 1x1x1\noptions: {preallocate: false}\ntopology_options: {target_config: x}\n");
  ASSERT_TRUE(target) << target.error().message;
  const std::map<std::string, TargetOption> expected = {{"target_config", std::string("x")}};
  EXPECT_EQ(target->topology_options, expected);
  EXPECT_FALSE(target->options.contains("target_config"));
}

TEST(TargetTest, OptionsOfATopologyNeedOne) {
  const auto target = LoadPluginTarget("pjrt", "plugin: /p.so\ntopology_options: {target_config: x}\n");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("`topology_options`"));
}

TEST(TargetTest, AnOptionThatIsAListIsRefused) {
  const auto target = LoadPluginTarget("pjrt", "plugin: /p.so\noptions: {list: [1]}\n");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("the option `list`"));
}

TEST(TargetTest, APluginAndItsKindOfDeviceNeedEachOther) {
  EXPECT_THAT(LoadPluginTarget("pjrt", "").error().message, HasSubstr("`plugin`"));
  EXPECT_THAT(LoadPluginTarget("host", "plugin: /p.so\n").error().message, HasSubstr("`plugins`"));
}

TEST(TargetTest, ADuplicateStageIsRefused) {
  const auto target = Load("stages: [{name: parse}, {name: parse}]\n");
  ASSERT_FALSE(target);
  EXPECT_THAT(target.error().message, HasSubstr("declared twice"));
}

TEST(TargetTest, ATargetThatTakesHloHasAStageThatMakesIt) {
  const auto target = Load("input: hlo\nstages: [{name: compile, command: [x, '{input}']}]\n");
  ASSERT_TRUE(target) << target.error().message;
  ASSERT_EQ(target->stages.size(), 2);
  EXPECT_EQ(target->stages[0].name, "stablehlo-to-hlo");
  EXPECT_EQ(target->stages[1].name, "compile");
  EXPECT_FALSE(Load("input: hlo\nstages: [{name: compile}]\n")) << "its worker reads StableHLO";
  EXPECT_FALSE(Load("input: hlo\nstages: [{name: stablehlo-to-hlo, command: [x]}]\n"));
  EXPECT_FALSE(Load("input: tosa\nstages: [{name: compile, command: [x]}]\n"));
}

TEST(TargetTest, ATargetMayNotDeclareCompare) { EXPECT_FALSE(Load("stages: [{name: compare}]\n")); }

TEST(TargetTest, PipelineAndCommandExcludeEachOther) {
  EXPECT_FALSE(Load("stages: [{name: a, pipeline: x, command: [y]}]\n"));
}

TEST(TargetTest, FlagsRequirementsAndBatchAreOptional) {
  const auto plain = Load("stages: [{name: parse}]\n");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->batch, 1);
  EXPECT_TRUE(plain->flags.empty());
  const auto full = Load("flags: ['--x=y']\nrequirements: r.txt\nfinding: f.py\nbatch: 50\nstages: [{name: parse}]\n");
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_THAT(full->flags, ElementsAre("--x=y"));
  EXPECT_EQ(full->requirements, "r.txt");
  EXPECT_EQ(full->finding, "f.py");
  EXPECT_EQ(full->batch, 50);
}

TEST(TargetTest, ADeviceMayGenerateItsOwnInputs) {
  EXPECT_FALSE(Load("stages: [{name: parse}]\n")->device.own_inputs);
  const auto path = std::filesystem::path(testing::TempDir()) / "own_inputs.yaml";
  ASSERT_TRUE(WriteFile(path,
                        "schema: opbyop-target/1\nname: t\nworker: [w]\ndevice: {kind: command, own_inputs: true}\n"
                        "stages: [{name: parse}]\n"));
  const Expected<Target> target = LoadTarget(path);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_TRUE(target->device.own_inputs);
}

TEST(TargetTest, ADeviceOfKindWorkerNeedsAWorker) {
  const auto load = [](const std::string& device) {
    const auto path = std::filesystem::path(testing::TempDir()) / "device_worker.yaml";
    EXPECT_TRUE(WriteFile(
        path, "schema: opbyop-target/1\nname: t\nworker: [w]\ndevice: {" + device + "}\nstages: [{name: parse}]\n"));
    return LoadTarget(path);
  };
  const auto target = load("kind: worker, worker: [python3, w.py]");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->device.worker, ElementsAre("python3", "w.py"));
  EXPECT_THAT(load("kind: worker").error().message, HasSubstr("`worker` (an argv)"));
  EXPECT_THAT(load("kind: command, worker: [python3]").error().message, HasSubstr("`worker` (an argv)"));
}

TEST(TargetTest, AnExitCodeIsAStatusOfAStage) {
  const auto with = [](const std::string& status) {
    return Load("stages: [{name: lower, command: [a], exit_codes: {7: " + status + "}}]\n");
  };
  EXPECT_TRUE(with("timeout"));
  EXPECT_FALSE(with("flaky"));
}

TEST(TargetTest, AWorkersFurtherNeedsAreDeclared) {
  const auto plain = Load("stages: [{name: parse}]\n");
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->writable.empty());
  EXPECT_FALSE(plain->network);
  const auto full = Load("writable: [/var/cache/x, '{env:HOME}/x']\nnetwork: true\nstages: [{name: parse}]\n");
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->writable, (std::vector<std::string>{"/var/cache/x", "{env:HOME}/x"}));
  EXPECT_TRUE(full->network);
}

TEST(TargetTest, DebianPackagesAreNames) {
  const auto target = Load("packages: [libvulkan1, g++-12]\nstages: [{name: parse}]\n");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->packages, (std::vector<std::string>{"libvulkan1", "g++-12"}));
  for (const char* name : {"'--allow-downgrades'", "'a b'", "../a.deb", "''", "A"}) {
    EXPECT_FALSE(Load("packages: [" + std::string(name) + "]\nstages: [{name: parse}]\n")) << name;
  }
}

TEST(TargetTest, AProgramMayRunBeforeTheFirstCase) {
  const auto target = Load("preflight: [check, '--json={out}/check.json']\nstages: [{name: parse}]\n");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_THAT(target->preflight, ElementsAre("check", "--json={out}/check.json"));
}

TEST(TargetTest, AWritableFolderThatIsRelativeIsRefused) {
  EXPECT_TRUE(Load("writable: ['{venvs}/.venv-tt']\nstages: [{name: parse}]\n"));
  EXPECT_FALSE(Load("writable: ['{venvs}']\nstages: [{name: parse}]\n")) << "all environments of all targets";
  EXPECT_FALSE(Load("writable: [cache]\nstages: [{name: parse}]\n"));
}

TEST(TargetTest, BatchOfNothingIsRefused) { EXPECT_FALSE(Load("batch: 0\nstages: [{name: parse}]\n")); }

TEST(TargetTest, TargetWithoutStagesIsRefused) { EXPECT_FALSE(Load("")); }

TEST(TargetTest, NumberOutsideItsRangeIsNamedWithItsLineAndTheRange) {
  for (const std::string bad : {".inf", "-.inf", ".nan", "1e12", "0", "-1", "1e400", "ten", "[1]", ""}) {
    const auto limit = Load("stages:\n- {name: parse, timeout_s: " + bad + "}\n");
    ASSERT_FALSE(limit) << bad;
    EXPECT_THAT(limit.error().message,
                HasSubstr("target.yaml:6: `timeout_s` must be a number of 0.001 to 31536000, found `"))
        << bad;
  }
  EXPECT_FALSE(Load("hello_timeout_s: .inf\nstages: [{name: parse}]\n"));
  for (const std::string key : {"memory_mb", "disk_mb"}) {
    for (const std::string bad : {"0", "-1", "9223372036854775807", "1e3", ".inf", "99999999999999999999"}) {
      const auto limit = Load("limits: {" + key + ": " + bad + "}\nstages: [{name: parse}]\n");
      ASSERT_FALSE(limit) << bad;
      EXPECT_THAT(limit.error().message, HasSubstr("`" + key + "` must be a whole number of 1 to 1073741824, found `"));
    }
  }
  EXPECT_FALSE(Load("batch: 99999999999\nstages: [{name: parse}]\n"));
}

TEST(TargetTest, ExitCodeThatNoProgramHasIsRefused) {
  for (const std::string bad : {"256", "-1", "1e2", "x", "4294967297", "'1 '"}) {
    EXPECT_FALSE(Load("stages: [{name: a, command: [y], exit_codes: {" + bad + ": pass}}]\n")) << bad;
  }
  EXPECT_TRUE(Load("stages: [{name: a, command: [y], exit_codes: {255: crash}}]\n"));
}

TEST(TargetTest, ATargetOnlyCompilesWhereItsDeviceIsAbsent) {
  const auto load = [](const std::string& keys) {
    return Load("compile_only: {reason: no board" + keys + "}\nstages: [{name: parse}]\n");
  };
  EXPECT_EQ(WhyCompileOnly(*Load("stages: [{name: parse}]\n")), "");
  EXPECT_EQ(WhyCompileOnly(*load("")), "no board");
  EXPECT_EQ(WhyCompileOnly(*load(", unless: '/no/such/device*'")), "no board (/no/such/device* is absent)");
  EXPECT_EQ(WhyCompileOnly(*load(", unless: '/proc/sel?'")), "");
  EXPECT_EQ(load(", environment: {DESC: x}")->compile_only.environment.at("DESC"), "x");
  EXPECT_FALSE(load(", unless: board"));
  EXPECT_FALSE(load(", when: now"));
  EXPECT_FALSE(Load("compile_only: {unless: /dev/x}\nstages: [{name: parse}]\n"));
}

TEST(TargetTest, OptionsOfACompilationAreOfPjrt) {
  const auto path = std::filesystem::path(testing::TempDir()) / "pjrt.yaml";
  ASSERT_TRUE(
      WriteFile(path,
                "schema: opbyop-target/1\nname: t\nworker: [w]\ndevice: {kind: pjrt}\nplugin: p.so\n"
                "compile_options: {optimization_level: '1', verify: true}\ndump_options: {xla_dump_to: '{dir}/xla'}\n"
                "stages: [{name: compile, stage_of: [TTIR]}]\n"));
  const auto target = LoadTarget(path);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(std::get<std::string>(target->compile_options.at("optimization_level")), "1");
  EXPECT_EQ(std::get<bool>(target->compile_options.at("verify")), true);
  EXPECT_EQ(std::get<std::string>(target->dump_options.at("xla_dump_to")), "{dir}/xla");
  EXPECT_THAT(target->stages.front().stage_of, ElementsAre("TTIR"));
  EXPECT_FALSE(Load("compile_options: {a: b}\nstages: [{name: parse}]\n"));
  EXPECT_FALSE(Load("stages: [{name: parse, stage_of: ['(']}]\n"));
}

TEST(TargetTest, ATargetVerifiesUnlessItSaysThatItDoesNot) {
  EXPECT_TRUE(Load("stages: [{name: parse}]\n")->verifies);
  EXPECT_FALSE(Load("verifies: false\nstages: [{name: parse}]\n")->verifies);
}

TEST(TargetTest, RegularExpressionThatTakesTooMuchIsRefused) {
  for (const std::string& bad :
       {std::string(300'000, '('), std::string(300'000, 'a'), std::string("a{99999}{99999}")}) {
    const auto target = Load("stages:\n- name: a\n  command: [y]\n  diagnostic: ['" + bad + "']\n");
    ASSERT_FALSE(target);
    EXPECT_THAT(target.error().message, HasSubstr("target.yaml:6: "));
  }
}

}  // namespace
}  // namespace opbyop
