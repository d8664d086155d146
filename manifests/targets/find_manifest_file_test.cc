// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/find_manifest_file.h"

#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

TEST(FindManifestFileTest, AnUnknownTargetIsAUsageErrorAnAbsentFileIsNoInput) {
  EXPECT_EQ(FindManifestFile("targets", "nosuch").error().code, ExitCode::kUsage);
  EXPECT_EQ(FindManifestFile("targets", "no/such.yaml").error().code, ExitCode::kNoInput);
}

TEST(FindManifestFileTest, FromOtherFoldersProjectFilesHaveNamesAndOthersPaths) {
  EXPECT_EQ(NameFromAnywhere("targets", "host"), "host");
  EXPECT_EQ(NameFromAnywhere("targets", TestSource("manifests/targets/host.yaml")), "host");
  const TestFolder folder;
  const std::string file = (folder.path() / "host.yaml").string();
  ASSERT_TRUE(WriteFile(file, "name: host\n"));
  EXPECT_EQ(NameFromAnywhere("targets", std::filesystem::relative(file).string()),
            std::filesystem::canonical(file).string());
  EXPECT_EQ(NameFromAnywhere("targets", "nosuch"), "nosuch");
}

}  // namespace
}  // namespace opbyop
