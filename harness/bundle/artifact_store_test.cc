// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/artifact_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ArtifactStoreTest : public testing::Test {
 protected:
  // Returns the record of a case whose worker left these bytes.
  CaseRecord Taken(const std::string& id, const std::string& bytes) {
    EXPECT_TRUE(WriteFile(store_.PathIn(dir_), bytes));
    CaseRecord record{.id = id};
    const Expected<void> taken = store_.Store(dir_, record);
    EXPECT_TRUE(taken) << taken.error().message;
    return record;
  }

  std::string WhyNot(const CaseRecord& record) const {
    const Expected<void> copied = store_.CopyTo(record, dir_);
    return copied ? "" : copied.error().message;
  }

  TestFolder folder_;
  const fs::path dir_ = folder_.path() / "case";
  const ArtifactStore store_{folder_.path() / "bundle", ".ttnn"};
};

TEST_F(ArtifactStoreTest, AStoredArtifactIsCopiedToAnotherFolder) {
  const CaseRecord record = Taken("add_1", "code");
  EXPECT_EQ(record.artifact_sha256, "5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b");
  EXPECT_EQ(store_.PathOf("add_1").filename(), "add_1.ttnn");
  const fs::path other = folder_.path() / "other";
  ASSERT_TRUE(store_.CopyTo(record, other));
  EXPECT_EQ(ReadFile(store_.PathIn(other)).value_or(""), "code");
}

TEST_F(ArtifactStoreTest, AnArtifactOfAnotherCaseIsRefused) {
  const CaseRecord one = Taken("add_1", "code"), two = Taken("add_2", "other");
  fs::copy_file(store_.PathOf("add_2"), store_.PathOf("add_1"), fs::copy_options::overwrite_existing);
  EXPECT_THAT(WhyNot(one), HasSubstr("add_1.ttnn is not what was compiled"));
  EXPECT_EQ(WhyNot(two), "");
}

TEST_F(ArtifactStoreTest, ALinkToTheSameBytesIsRefused) {
  const CaseRecord record = Taken("add_1", "code");
  fs::rename(store_.PathOf("add_1"), folder_.path() / "code");
  fs::create_symlink(folder_.path() / "code", store_.PathOf("add_1"));
  EXPECT_THAT(WhyNot(record), HasSubstr("is a symbolic link"));
}

TEST_F(ArtifactStoreTest, OnlyARegularFileIsTaken) {
  fs::create_directories(store_.PathIn(dir_));
  CaseRecord record{.id = "add_1"};
  EXPECT_THAT(store_.Store(dir_, record).error().message, HasSubstr("left no regular file"));
  fs::remove(store_.PathIn(dir_));
  EXPECT_THAT(store_.Store(dir_, record).error().message, HasSubstr("left no regular file"));
  ASSERT_TRUE(WriteFile(store_.PathIn(dir_), ""));
  EXPECT_THAT(store_.Store(dir_, record).error().message, HasSubstr("empty artifact"));
  EXPECT_EQ(record.artifact_sha256, "");
}

TEST_F(ArtifactStoreTest, ArtifactsWithoutARecordAreRemoved) {
  const CaseRecord one = Taken("add_1", "code");
  Taken("add_2", "other");
  store_.KeepOnly({one});
  EXPECT_TRUE(fs::exists(store_.PathOf("add_1")));
  EXPECT_FALSE(fs::exists(store_.PathOf("add_2")));
}

TEST(ArtifactSuffixTest, IsTheSuffixOfTheLastCompileStagesProduct) {
  Target target;
  target.stages = {
      {.name = "lower", .produces = "a.mlir"}, {.name = "emit", .produces = "case.ttnn"}, {.name = "load"}};
  EXPECT_EQ(ArtifactSuffix(target), ".ttnn");
  target.stages[1].produces.clear();
  EXPECT_EQ(ArtifactSuffix(target), "");
}

}  // namespace
}  // namespace opbyop::harness
