// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/repro_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kRow = "m__add_1";

TEST(ReproCommandTest, ProgramAndFolderAreAbsolute) {
  const ReproCommand repro({.manifest = "out/nightly/manifest.yaml", .target = "host", .seed = 7});
  EXPECT_THAT(repro.Of(kRow, {}), StartsWith((ProgramFolder() / "opbyop").string() + " repro m__add_1 --run=/"));
  EXPECT_THAT(repro.Of(kRow, {}), EndsWith((fs::current_path() / "out/nightly").string() + " --target=host --seed=7"));
}

TEST(ReproCommandTest, TheFolderOfTheManifestIsNamedWithoutDots) {
  const ReproCommand repro({.manifest = "./manifest.yaml", .target = "host"});
  EXPECT_THAT(repro.Of(kRow, {}), HasSubstr(" --run=" + fs::current_path().string() + " "));
}

TEST(ReproCommandTest, ATargetsFileAndAPluginAreAbsolute) {
  const TestFolder folder;
  const std::string file = (folder.path() / "chip.yaml").string();
  ASSERT_TRUE(WriteFile(file, "schema: opbyop-target/1\n"));
  const std::string relative = fs::relative(file).string();
  EXPECT_THAT(ReproCommand({.manifest = "manifest.yaml", .target = relative}).Of(kRow, {}),
              EndsWith("--target=" + fs::canonical(file).string()));
  EXPECT_THAT(ReproCommand({.manifest = "manifest.yaml", .target = "pjrt:chip.so"}).Of(kRow, {}),
              EndsWith("--target=pjrt:" + (fs::current_path() / "chip.so").string()));
}

TEST(ReproCommandTest, ThePolicyOfTheCaseIsRepeatedOrElseThoseOfTheRun) {
  const ReproCommand repro({.manifest = "manifest.yaml", .target = "host", .policies = "domain,edge"});
  EXPECT_THAT(repro.Of(kRow, {}), EndsWith(" --policy=domain,edge"));
  EXPECT_THAT(repro.Of(kRow, {"edge"}), EndsWith(" --policy=edge"));
}

TEST(ReproCommandTest, TheSeedOfTheFurtherDrawReplacesThatOfTheRun) {
  const ReproCommand repro({.manifest = "manifest.yaml", .target = "host", .seed = 7});
  EXPECT_THAT(repro.Of(kRow, {"edge", 20261126}), EndsWith(" --policy=edge --seed=20261126"));
  const ReproCommand bundle({.manifest = "b/manifest.yaml", .bundle = "b/", .target = "host"});
  EXPECT_THAT(bundle.Of(kRow, {"edge", 20261126}), EndsWith(" --seed=20261126 --fresh-seed=none"));
}

TEST(ReproCommandTest, AManifestOfAnotherNameIsRunWithConformance) {
  const ReproCommand repro({.manifest = "other.yaml", .target = "host"});
  EXPECT_THAT(repro.Of(kRow, {}), HasSubstr("/conformance --manifest=" + (fs::current_path() / "other.yaml").string()));
}

TEST(ReproCommandTest, ABundleIsExecutedAgain) {
  const ReproCommand repro({.manifest = "b/manifest.yaml", .bundle = "b/", .target = "host"});
  EXPECT_THAT(repro.Of(kRow, {"edge"}), HasSubstr(" run " + (fs::current_path() / "b").string() + " --from load"));
}

TEST(ReproCommandTest, ABundleOfAnotherVersionIsAllowedAgain) {
  ReproCommand::Run run = {.manifest = "b/manifest.yaml", .bundle = "b/", .target = "host"};
  EXPECT_THAT(ReproCommand(run).Of(kRow, {}), testing::Not(HasSubstr("--allow-other-version")));
  run.allow_other_version = true;
  EXPECT_THAT(ReproCommand(run).Of(kRow, {}), HasSubstr(" --allow-other-version -- --gtest_filter="));
}

}  // namespace
}  // namespace opbyop::harness
