// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/promise.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "support/files/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

class PromiseTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }

  Expected<Promise> Load(const std::string& entries) {
    EXPECT_TRUE(WriteFile(file_, "schema: opbyop-promise/1\nentries:\n" + entries).has_value());
    return Promise::Load(file_);
  }

  fs::path file_ = fs::temp_directory_path() / ("opbyop-promise-" + std::to_string(::getpid()) + ".yaml");
};

TEST_F(PromiseTest, AnEntryCoversItsFaultOnItsCases) {
  const Expected<Promise> promise = Load("  - {faults: [dot_tf32], cases: ['dot_*', 'conv_*'], proof: one term}\n");
  ASSERT_TRUE(promise.has_value()) << promise.error().message;
  ASSERT_NE(promise->Find("dot_tf32", "dot_1"), nullptr);
  EXPECT_EQ(promise->Find("dot_tf32", "add_1"), nullptr);
  EXPECT_EQ(promise->Find("dot_f16", "dot_1"), nullptr);
}

TEST_F(PromiseTest, AnEntryThatCoversNothingIsReported) {
  const Expected<Promise> promise =
      Load("  - {faults: [a], cases: ['*'], proof: p}\n  - {faults: [b], cases: ['*'], proof: q}\n");
  ASSERT_TRUE(promise.has_value());
  ASSERT_NE(promise->Find("a", "case"), nullptr);
  ASSERT_EQ(promise->Unused().size(), 1u);
  EXPECT_THAT(promise->Unused().front()->faults, testing::ElementsAre("b"));
}

TEST_F(PromiseTest, AnEntryWithoutAProofIsRefused) {
  const Expected<Promise> promise = Load("  - {faults: [a], cases: ['*']}\n");
  ASSERT_FALSE(promise.has_value());
  EXPECT_THAT(promise.error().message, testing::HasSubstr("proof"));
}

TEST_F(PromiseTest, AnEntryOfNoCasesIsRefused) {
  const Expected<Promise> promise = Load("  - {faults: [a], proof: p}\n");
  ASSERT_FALSE(promise.has_value());
  EXPECT_THAT(promise.error().message, testing::HasSubstr("an entry needs `cases`"));
}

}  // namespace
}  // namespace opbyop
