// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/shard_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

TEST(ShardFilesTest, ARunThatIsNoShardHasThePlainName) {
  EXPECT_EQ(ResultsName(1, 1), "results.jsonl");
  EXPECT_EQ(ResultsName(2, 10), "results-2-of-10.jsonl");
}

TEST(ShardFilesTest, OnlyWrittenNamesAreRead) {
  EXPECT_THAT(ParseShard("2/3"), Optional(Pair(2, 3)));
  EXPECT_THAT(ParseShard("3/3"), Optional(Pair(3, 3)));
  for (const char* text : {"", "/", "1/", "/2", "0/2", "3/2", "01/2", "-1/2", "1/2/3", "1 /2", "a/b", "1-of-2"}) {
    EXPECT_FALSE(ParseShard(text)) << text;
  }
  for (const char* name : {"results.jsonl", "results-0-of-2.jsonl", "results-1-of-2.json", "results-1-of-2.jsonl.lock",
                           "results-1-of-2.previous.jsonl", "old-results-1-of-2.jsonl", "results-.jsonl"}) {
    EXPECT_FALSE(AsShardFile(name)) << name;
  }
}

TEST(ShardFilesTest, ShardsOfAFolderAreSortedByNumber) {
  const TestFolder folder;
  for (const char* name : {"results-10-of-10.jsonl", "results-2-of-10.jsonl", "results.jsonl", "summary.md"}) {
    ASSERT_TRUE(WriteFile(folder.path() / name, ""));
  }
  std::vector<uint64_t> numbers;
  for (const ShardFile& file : FindShardFiles(folder.path())) numbers.push_back(file.shard);
  EXPECT_THAT(numbers, ElementsAre(2, 10));
  EXPECT_TRUE(FindShardFiles(folder.path() / "absent").empty());
}

}  // namespace
}  // namespace opbyop
