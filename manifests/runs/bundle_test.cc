// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"
#include "support/text/replace_all.h"

namespace opbyop {
namespace {

using testing::HasSubstr;

class BundleTest : public testing::Test {
 protected:
  Expected<Bundle> Load(const std::string& text) {
    EXPECT_TRUE(WriteFile(folder_.path() / kBundleFile, text));
    return LoadBundle(folder_.path());
  }

  void ExpectRefused(const std::string& text, ExitCode code, const std::string& words) {
    const Expected<Bundle> bundle = Load(text);
    ASSERT_FALSE(bundle) << text;
    EXPECT_EQ(bundle.error().code, code) << bundle.error().message;
    EXPECT_THAT(bundle.error().message, HasSubstr(words));
  }

  TestFolder folder_;
  const Bundle bundle_ = {.target = "chip",
                          .target_file = "target/chip.yaml",
                          .manifest_hash = "00ff",
                          .policies = {{"domain", "policies/domain.yaml"}, {"./mine.yaml", "policies/mine.yaml"}},
                          .seed = 7,
                          .baseline = "baseline.yaml",
                          .artifact_suffix = ".ttnn"};
};

TEST_F(BundleTest, IsReadAsItWasWritten) {
  const Expected<Bundle> bundle = Load(ToJson(bundle_));
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->folder, folder_.path());
  EXPECT_EQ(bundle->target, "chip");
  EXPECT_EQ(bundle->target_file, "target/chip.yaml");
  EXPECT_EQ(bundle->manifest_hash, "00ff");
  EXPECT_EQ(bundle->policies, bundle_.policies);
  EXPECT_EQ(bundle->seed, 7u);
  EXPECT_EQ(bundle->baseline, "baseline.yaml");
  EXPECT_EQ(bundle->artifact_suffix, ".ttnn");
}

TEST_F(BundleTest, AFolderWithoutOneSaysHowToMakeIt) {
  const Expected<Bundle> bundle = LoadBundle(folder_.path());
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, ExitCode::kNoInput);
  EXPECT_THAT(bundle.error().message, HasSubstr("--until compile"));
}

TEST_F(BundleTest, AnotherVersionIsRefusedByName) {
  ExpectRefused(ReplaceAll(ToJson(bundle_), "bundle/1", "bundle/2"), ExitCode::kUnsupported, "opbyop-bundle/2");
}

TEST_F(BundleTest, AnUnfinishedBundleIsRefusedAsUnfinished) {
  ExpectRefused(UnfinishedBundle(), ExitCode::kBadInput, "not finished");
}

TEST_F(BundleTest, AMalformedBundleIsRefused) {
  const std::string text = ToJson(bundle_);
  ExpectRefused("", ExitCode::kBadInput, "not a JSON object");
  ExpectRefused(text.substr(0, text.size() / 2), ExitCode::kBadInput, "not a JSON object");
  ExpectRefused(ReplaceAll(text, "target_file", "file"), ExitCode::kBadInput, "target_file");
  ExpectRefused(ReplaceAll(text, "\"chip\"", "7"), ExitCode::kBadInput, "type must be string");
}

TEST_F(BundleTest, NamesMustStayInsideTheFolder) {
  const std::string text = ToJson(bundle_);
  ExpectRefused(ReplaceAll(text, "target/chip.yaml", "/etc/passwd"), ExitCode::kBadInput, "/etc/passwd");
  ExpectRefused(ReplaceAll(text, "policies/mine.yaml", "policies/../../mine.yaml"), ExitCode::kBadInput, "../mine");
  ExpectRefused(ReplaceAll(text, ".ttnn", "/../x"), ExitCode::kBadInput, "no suffix");
}

}  // namespace
}  // namespace opbyop
