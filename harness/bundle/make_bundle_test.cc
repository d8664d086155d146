// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/make_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifests/runs/bundle.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class MakeBundleTest : public testing::Test {
 protected:
  MakeBundleTest() {
    manifest_.path = source_ / "manifest.yaml";
    manifest_.hash = "00";
    (void)WriteFile(manifest_.path, "cases");
    Case c;
    c.id = "add_1";
    c.file = "cases/add_1.mlir";
    (void)WriteFile(source_ / c.file, "module {}");
    manifest_.cases.push_back(c);
    (void)WriteFile(source_ / "targets/chip.yaml", "chip");
    (void)WriteFile(source_ / "mine.yaml", "mine");
    target_.path = source_ / "targets/chip.yaml";
    target_.name = "chip";
    target_.stages = {{.name = "lower", .command = {"{target_dir}/compiler"}}, {.name = "execute"}};
  }

  Expected<void> Make(const std::vector<std::string>& execute = {}) {
    target_.stages.back().command = execute;
    return MakeBundle({.folder = bundle_,
                       .manifest = &manifest_,
                       .target = &target_,
                       .policies = {{"./mine.yaml", "mine", source_ / "mine.yaml", kind_}},
                       .seed = 3,
                       .baseline = {}});
  }

  TestFolder folder_;
  const fs::path source_ = folder_.path() / "run", bundle_ = folder_.path() / "bundle";
  Manifest manifest_;
  Target target_;
  InputKind kind_ = InputKind::kDomain;
};

TEST_F(MakeBundleTest, HasTheFilesThatTheRunNames) {
  ASSERT_TRUE(Make());
  const Expected<Bundle> bundle = LoadBundle(bundle_);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->target, "chip");
  EXPECT_EQ(bundle->baseline, "none");
  EXPECT_EQ(ReadFile(bundle_ / bundle->target_file).value_or(""), "chip");
  EXPECT_EQ(bundle->policies, (std::vector<Bundle::PolicyFile>{{"./mine.yaml", "policies/mine.yaml"}}));
  EXPECT_EQ(ReadFile(bundle_ / "policies/mine.yaml").value_or(""), "mine");
  EXPECT_EQ(ReadFile(bundle_ / "cases/add_1.mlir").value_or(""), "module {}");
  EXPECT_FALSE(fs::exists(bundle_ / "target/compiler")) << "it is not run there";
}

TEST_F(MakeBundleTest, HasTheFilesBesideTheTargetThatRunOnTheDevice) {
  for (const char* name : {"run.py", "helper.py", "table.bin", "notes.txt"}) {
    ASSERT_TRUE(WriteFile(source_ / "targets/tools" / name, name));
  }
  fs::permissions(source_ / "targets/tools/run.py", fs::perms::owner_all);
  const Expected<void> made = Make({"python3", "{target_dir}/tools/run.py", "--table={target_dir}/tools/table.bin"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(fs::exists(bundle_ / "target/tools/run.py"));
  EXPECT_TRUE(fs::exists(bundle_ / "target/tools/helper.py")) << "a script may load the files next to it";
  EXPECT_TRUE(fs::exists(bundle_ / "target/tools/table.bin"));
  EXPECT_FALSE(fs::exists(bundle_ / "target/tools/notes.txt"));
  EXPECT_EQ(fs::status(bundle_ / "target/tools/run.py").permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
}

TEST_F(MakeBundleTest, AFileOutsideOfTheTargetsFolderIsRefused) {
  const Expected<void> made = Make({"{target_dir}/../run.sh"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ExitCode::kUsage);
  EXPECT_THAT(made.error().message, HasSubstr("{target_dir}/../run.sh"));
}

TEST_F(MakeBundleTest, CapturedInputsGoWithIt) {
  ASSERT_TRUE(WriteFile(source_ / "captured/index.json", "{}"));
  ASSERT_TRUE(Make());
  EXPECT_FALSE(fs::exists(bundle_ / "captured"));
  kind_ = InputKind::kCaptured;
  ASSERT_TRUE(Make());
  EXPECT_EQ(ReadFile(bundle_ / "captured/index.json").value_or(""), "{}");
}

TEST_F(MakeBundleTest, OnlyAnEmptyFolderOrABundleIsAccepted) {
  EXPECT_TRUE(CheckBundleFolder(bundle_, manifest_)) << "absent";
  EXPECT_FALSE(CheckBundleFolder(source_, manifest_)) << "of the manifest";
  fs::create_directory(bundle_);
  EXPECT_TRUE(CheckBundleFolder(bundle_, manifest_)) << "empty";
  ASSERT_TRUE(WriteFile(bundle_ / "notes.txt", ""));
  EXPECT_FALSE(CheckBundleFolder(bundle_, manifest_));
  ASSERT_TRUE(BeginBundle(bundle_));
  EXPECT_TRUE(CheckBundleFolder(bundle_, manifest_)) << "a bundle";
  EXPECT_FALSE(LoadBundle(bundle_)) << "one that is not finished";
}

}  // namespace
}  // namespace opbyop::harness
