// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::exhaustive {
namespace {

using testing::HasSubstr;

constexpr uint64_t kChunkSize = 1 << 20;

class JournalTest : public testing::Test {
 protected:
  Expected<Journal> Open(bool fresh = false, const std::string& toolchain = "1.0") {
    return Journal::Open(file_, {"host", toolchain, ""}, fresh);
  }

  TestFolder folder_;
  std::filesystem::path file_ = folder_.path() / "chunks.jsonl";
};

TEST_F(JournalTest, AppendedChunksAreFoundLater) {
  {
    Expected<Journal> journal = Open();
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->Find("tanh_f32", kChunkSize, 3), nullptr);
    ASSERT_TRUE(journal->Append("tanh_f32", kChunkSize, 3, {.values = 7, .max_ulp = 2}));
    ASSERT_NE(journal->Find("tanh_f32", kChunkSize, 3), nullptr);
  }
  const Expected<Journal> journal = Open();
  ASSERT_TRUE(journal);
  ASSERT_NE(journal->Find("tanh_f32", kChunkSize, 3), nullptr);
  EXPECT_EQ(journal->Find("tanh_f32", kChunkSize, 3)->values, 7);
  EXPECT_EQ(journal->Find("tanh_f32", kChunkSize, 4), nullptr);
  EXPECT_EQ(journal->Find("tanh_f32", 2 * kChunkSize, 3), nullptr) << "a chunk of another size is another";
  EXPECT_EQ(journal->Find("tanh_f16", kChunkSize, 3), nullptr);
}

TEST_F(JournalTest, AFileThatWasCutOffAnywhereKeepsTheWholeLines) {
  {
    Expected<Journal> journal = Open();
    ASSERT_TRUE(journal);
    for (uint64_t chunk = 0; chunk < 2; ++chunk) ASSERT_TRUE(journal->Append("f", kChunkSize, chunk, {.values = 1}));
  }
  const std::string whole = *ReadFile(file_);
  const size_t second = whole.find('\n', whole.find('\n') + 1) + 1;
  for (size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(WriteFile(file_, whole.substr(0, length)));
    Expected<Journal> journal = Open();
    ASSERT_TRUE(journal) << length << ": " << journal.error().message;
    EXPECT_EQ(journal->Find("f", kChunkSize, 0) != nullptr, length >= second) << length;
    EXPECT_EQ(journal->Find("f", kChunkSize, 1), nullptr) << length;
    ASSERT_TRUE(journal->Append("f", kChunkSize, 1, {.values = 1}));
    const Expected<Journal> again = Open();
    ASSERT_TRUE(again);
    EXPECT_NE(again->Find("f", kChunkSize, 1), nullptr) << length << ": what is appended to the rest is no part of it";
  }
}

TEST_F(JournalTest, ADamagedLineIsAChunkThatWasNotRun) {
  {
    Expected<Journal> journal = Open();
    ASSERT_TRUE(journal);
    for (uint64_t chunk = 0; chunk < 2; ++chunk) ASSERT_TRUE(journal->Append("f", kChunkSize, chunk, {.values = 1}));
  }
  std::string text = *ReadFile(file_);
  text.replace(text.find("\"values\":1"), 10, "\"values\":x");
  ASSERT_TRUE(WriteFile(file_, text));
  const Expected<Journal> journal = Open();
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->Find("f", kChunkSize, 0), nullptr);
  EXPECT_NE(journal->Find("f", kChunkSize, 1), nullptr);
}

TEST_F(JournalTest, ChunksOfAnotherToolchainAreRefusedAndFreshDropsThem) {
  {
    Expected<Journal> journal = Open();
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->Append("f", kChunkSize, 0, {.values = 1}));
  }
  const Expected<Journal> other = Open(false, "2.0");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ExitCode::kUsage);
  EXPECT_THAT(other.error().message, HasSubstr("made with host (1.0), not with host (2.0)"));
  const Expected<Journal> fresh = Open(true, "2.0");
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->Find("f", kChunkSize, 0), nullptr);
}

TEST_F(JournalTest, ChunksOfAnotherBuildAreRefused) {
  ASSERT_TRUE(Journal::Open(file_, {"host", "1.0", "one"}, false));
  EXPECT_TRUE(Journal::Open(file_, {"host", "1.0", "one"}, false));
  const Expected<Journal> other = Journal::Open(file_, {"host", "1.0", "two"}, false);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("another build"));
}

TEST_F(JournalTest, AnotherFileIsNotOverwritten) {
  ASSERT_TRUE(WriteFile(file_, "a letter\n"));
  EXPECT_FALSE(Open());
  EXPECT_EQ(*ReadFile(file_), "a letter\n");
  for (const char* header : {"[]\n", "{}\n", "{\"schema\": 1}\n", "{\"schema\": \"opbyop-chunks/2\"}\n",
                             "{\"schema\": \"opbyop-chunks/1\", \"target\": 5}\n"}) {
    ASSERT_TRUE(WriteFile(file_, header));
    EXPECT_FALSE(Open()) << header;
  }
}

}  // namespace
}  // namespace opbyop::exhaustive
