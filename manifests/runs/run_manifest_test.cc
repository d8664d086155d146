// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/run_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunManifestTest : public testing::Test {
 protected:
  RunManifestTest() {
    EXPECT_TRUE(WriteFile(root() / "tree/ops/manifest.yaml", "ours"));
    header_.manifest_hash = Sha256Hex("ours");
    SetManifestPath(root() / "tree/ops/manifest.yaml", root() / "tree/run", header_);
  }
  fs::path root() const { return folder_.path(); }
  std::string Found(const fs::path& results_in) const {
    const auto found = FindRunManifest(header_, results_in);
    return found ? ReadFile(*found).value_or("") : found.error().message;
  }

  TestFolder folder_;
  RunHeader header_;
};

TEST_F(RunManifestTest, AManifestInsideTheFolderHasARelativePath) {
  SetManifestPath(root() / "tree/ops/manifest.yaml", root() / "tree", header_);
  EXPECT_EQ(header_.manifest, "ops/manifest.yaml");
  EXPECT_EQ(header_.manifest_relative, "");
}

TEST_F(RunManifestTest, AManifestOutsideTheFolderIsFoundByItsAbsolutePath) {
  EXPECT_EQ(Found(root() / "copied/run"), "ours");
}

TEST_F(RunManifestTest, AManifestIsFoundAfterItsTreeMoved) {
  fs::rename(root() / "tree", root() / "moved");
  EXPECT_EQ(Found(root() / "moved/run"), "ours");
}

TEST_F(RunManifestTest, AManifestNextToTheResultsIsFound) {
  fs::remove_all(root() / "tree");
  ASSERT_TRUE(WriteFile(root() / "artifacts/manifest.yaml", "ours"));
  EXPECT_EQ(Found(root() / "artifacts"), "ours");
}

TEST_F(RunManifestTest, TheManifestOfTheRunIsChosenFromSeveral) {
  ASSERT_TRUE(WriteFile(root() / "tree/ops/manifest.yaml", "split again"));
  ASSERT_TRUE(WriteFile(root() / "tree/run/manifest.yaml", "ours"));
  EXPECT_EQ(Found(root() / "tree/run"), "ours");
}

TEST_F(RunManifestTest, ALinkedFolderIsResolved) {
  fs::create_directories(root() / "elsewhere/deep/run");
  fs::create_directory_symlink(root() / "elsewhere/deep/run", root() / "tree/link");
  SetManifestPath(root() / "tree/ops/manifest.yaml", root() / "tree/link", header_);
  fs::rename(root() / "tree", root() / "elsewhere/tree");
  header_.manifest = "gone.yaml";
  fs::create_directories(root() / "elsewhere/x");
  EXPECT_EQ(header_.manifest_relative, "../../../tree/ops/manifest.yaml");
}

TEST_F(RunManifestTest, AllPlacesAreNamedIfNoManifestExists) {
  fs::remove_all(root() / "tree");
  const std::string error = Found(root() / "copied");
  EXPECT_THAT(error, HasSubstr((root() / "tree/ops/manifest.yaml").string()));
  EXPECT_THAT(error, HasSubstr((root() / "ops/manifest.yaml").string()));
  EXPECT_THAT(error, HasSubstr((root() / "copied/manifest.yaml").string()));
  EXPECT_THAT(error, HasSubstr("--manifest"));
}

}  // namespace
}  // namespace opbyop
