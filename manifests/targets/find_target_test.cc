// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/find_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "manifests/targets/find_plugin.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FindTargetTest : public ::testing::Test {
 protected:
  std::filesystem::path Plugin(const std::string& name) {
    const std::filesystem::path file = folder_.path() / name;
    EXPECT_TRUE(WriteFile(file, "ELF"));
    return file;
  }

  TestFolder folder_;
};

TEST_F(FindTargetTest, APluginIsATargetOfItsName) {
  const std::filesystem::path plugin = Plugin("my chip: \"a\".so");
  const Expected<Target> target = FindTarget("pjrt:" + plugin.string(), folder_.path() / "run");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->name, "pjrt-my_chip___a_");
  EXPECT_EQ(target->plugin, plugin.string());
  EXPECT_EQ(target->path, folder_.path() / "run/pjrt-my_chip___a_.yaml");
  EXPECT_EQ(DeclarationsNote(*target), "");
  EXPECT_EQ(DeclaringTarget(*target), target->name);
  EXPECT_THAT(target->StageNames(), ElementsAre("parse", "compile", "load", "execute", "compare"));
}

TEST_F(FindTargetTest, DeclarationsOfTheOnlyTargetWithAPluginOfThatNameApplyToItsPath) {
  const std::filesystem::path plugin = Plugin("xla_cpu_pjrt.so");
  const Expected<Target> target = FindTarget("pjrt:" + plugin.string(), folder_.path() / "run");
  ASSERT_TRUE(target) << target.error().message;
  const Expected<Target> known = FindTarget("xla-cpu-pjrt", folder_.path());
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(target->name, "pjrt-xla_cpu_pjrt");
  EXPECT_EQ(target->plugin, plugin.string());
  EXPECT_EQ(DeclaringTarget(*target), "xla-cpu-pjrt");
  EXPECT_EQ(DeclaringTarget(*known), "xla-cpu-pjrt");
  EXPECT_EQ(DeclarationsNote(*known), "");
  EXPECT_EQ(DeclarationsNote(*target), "declarations of target xla-cpu-pjrt");
  EXPECT_TRUE(target->arithmetic.flushes.operands);
  EXPECT_EQ(target->requirements, "");
  EXPECT_EQ(target->worker, known->worker);
  EXPECT_EQ(target->StageNames(), known->StageNames());
  EXPECT_EQ(target->stages.front().limits.timeout_s, known->stages.front().limits.timeout_s);
}

TEST_F(FindTargetTest, OptionsFromAnotherTargetKeepTheirTypes) {
  const std::filesystem::path plugin = Plugin("libtt.so"), targets = folder_.path() / "manifests/targets";
  std::filesystem::create_directories(targets);
  for (const char* file : {"host.yaml", "tenstorrent-n150.yaml"}) {  // the project has several of this plugin
    std::filesystem::copy(TestSource("manifests/targets") + "/" + file, targets);
  }
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Expected<Target> target = FindTarget("pjrt:" + plugin.string(), folder_.path() / "run");
  const Expected<Target> known = FindTarget("tenstorrent-n150", folder_.path());
  std::filesystem::current_path(here);
  ASSERT_TRUE(target && known);
  EXPECT_EQ(target->compile_options.at("enable_const_eval"), TargetOption("false"));
  EXPECT_EQ(target->compile_options, known->compile_options);
  EXPECT_EQ(target->compile_only.environment, known->compile_only.environment);
  EXPECT_EQ(target->environment, known->environment);
  EXPECT_EQ(target->arithmetic, known->arithmetic);
}

TEST_F(FindTargetTest, SeveralTargetsWithAPluginOfThatNameAreNamedAndNoneApplies) {
  const Expected<Target> target = FindTarget("pjrt:" + Plugin("libtpu.so").string(), folder_.path() / "run");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(DeclaringTarget(*target), "pjrt-libtpu");
  EXPECT_EQ(target->topology, "");
  EXPECT_EQ(DeclarationsNote(*target),
            "nothing is declared for libtpu.so; targets of a plugin of this name: tpu-7x, tpu-v4, tpu-v5e, tpu-v5p, "
            "tpu-v6e");
}

TEST_F(FindTargetTest, ARenamedPluginIsKnownByItsPlatform) {
  const Expected<Target> target = FindTarget("pjrt:" + Plugin("my_chip.so").string(), folder_.path());
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(PlatformNote(*target, "no such platform"), "");
  EXPECT_EQ(PlatformNote(*target, "tpu"),
            "nothing is declared for my_chip.so, which is a plugin of platform tpu, as the plugins of these targets: "
            "tpu-7x, tpu-v4, tpu-v5e, tpu-v5p, tpu-v6e");
  EXPECT_EQ(PlatformNote(*FindTarget("tpu-v5e", folder_.path()), "tpu"), "");
}

TEST_F(FindTargetTest, AnEnvironmentThatTheTargetsOfAPluginSetIsMissed) {
  EXPECT_EQ(EnvironmentNote("/x/my_chip.so", {}), "");
  const std::string note = EnvironmentNote("/x/libtpu.so", {{"TPU_SKIP_MDS_QUERY", "1"}});
  EXPECT_THAT(note,
              HasSubstr("not set are ALLOW_MULTIPLE_LIBTPU_LOAD, TPU_ACCELERATOR_TYPE, TPU_WORKER_HOSTNAMES, which "
                        "these targets set: tpu-7x, tpu-v4, tpu-v5e, tpu-v5p, tpu-v6e"));
  const Expected<Target> known = FindTarget("tpu-v5e", folder_.path());
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(EnvironmentNote("/x/libtpu.so", known->environment), "");
}

TEST_F(FindTargetTest, AnAbsentPluginIsNoInput) {
  const Expected<Target> target = FindTarget("pjrt:/no/such.so", folder_.path());
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().code, ExitCode::kNoInput);
  EXPECT_THAT(target.error().message, HasSubstr("/no/such.so"));
}

TEST_F(FindTargetTest, AnyOtherNameIsThatOfAFile) {
  EXPECT_EQ(FindTarget("nosuch", folder_.path()).error().code, ExitCode::kUsage);
}

class FindPluginTest : public FindTargetTest {};

TEST_F(FindPluginTest, APatternAndAVariableAreFilledIn) {
  Plugin("python3.9/p.so");
  const std::filesystem::path newest = Plugin("python3.9b/p.so");
  ::setenv("OPBYOP_TEST_PLUGINS", folder_.path().c_str(), 1);
  const Expected<std::filesystem::path> found = FindPlugin({.plugin = "{env:OPBYOP_TEST_PLUGINS}/python3*/p.so"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, newest);
}

TEST_F(FindPluginTest, AFileWithBracketsIsNoPattern) {
  const std::filesystem::path file = Plugin("[1].so");
  EXPECT_EQ(FindPlugin({.plugin = file.string()}).value(), file);
}

TEST_F(FindPluginTest, AnAbsentPluginSaysHowToInstallIt) {
  const auto found = FindPlugin({.name = "chip", .requirements = "device/chip.txt", .plugin = "/no/such*.so"});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ExitCode::kNoInput);
  EXPECT_EQ(found.error().message,
            "target chip: no PJRT plugin /no/such*.so: `./dev setup --target chip` installs it (device/chip.txt)");
}

}  // namespace
}  // namespace opbyop
