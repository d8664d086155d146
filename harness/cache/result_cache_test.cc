// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/cache/result_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ResultCacheTest : public testing::Test {
 protected:
  static RunHeader Header() {
    RunHeader header;
    header.run_id = "last-night";
    header.host = {{"cpu", "one"}, {"cores", "2"}, {"memory_mb", "7937"}};
    header.properties = {{"device_kind", "v5"}};
    header.decides = {{"manifest", "abc"}, {"toolchain", "LLVM 22"}, {"reference", "build 1"}, {"seed", "0"}};
    return header;
  }
  static CaseRecord Record(const std::string& id, Status status = Status::kPass, const std::string& stage = "compare") {
    return {.id = id, .status = status, .stage = stage, .wall_ms = 7};
  }
  static std::string Key(const std::string& id) {
    const Case c{.id = id, .hash = "hash of " + id};
    return CaseKey({.c = &c});
  }
  void Keep(const std::vector<std::string>& ids) {
    ResultCache cache(folder_.path(), Header());
    for (const std::string& id : ids) cache.Add(Key(id), Record(id));
  }
  // Returns how many of the cases with these ids are found.
  size_t Found(const std::vector<std::string>& ids, const RunHeader& header = Header(), std::string* note = nullptr) {
    ResultCache cache(folder_.path(), header);
    size_t found = 0;
    for (const std::string& id : ids) found += cache.Find(Key(id), id) ? 1 : 0;
    if (note != nullptr) *note = cache.note();
    return found;
  }
  std::vector<fs::path> Packs() const {
    std::vector<fs::path> packs;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".pack") packs.push_back(entry.path());
    }
    return packs;
  }

  TestFolder folder_;
};

TEST_F(ResultCacheTest, AWithdrawnRecordIsNotFoundAgainWhetherItIsWrittenOrNot) {
  for (const bool flushed : {false, true}) {
    ResultCache cache(folder_.path(), Header());
    for (const char* id : {"a", "ab", "b"}) cache.Add(Key(id), Record(id));
    if (flushed) cache.Flush();
    cache.Withdraw(Key("a"));
    cache.Add(Key("c"), Record("c"));
    cache.Flush();
    EXPECT_EQ(Found({"a"}), 0u);
    EXPECT_EQ(Found({"c"}), 1u);
    if (!flushed) EXPECT_EQ(Found({"ab", "b"}), 2u);
    cache.WithdrawAll();
    EXPECT_EQ(Found({"a", "ab", "b", "c"}), 0u);
  }
}

TEST_F(ResultCacheTest, ARecordThatOneRunKeepsIsFoundByTheNext) {
  Keep({"add_1", "mul_1"});
  ResultCache cache(folder_.path(), Header());
  EXPECT_EQ(cache.size(), 2u);
  const auto record = cache.Find(Key("mul_1"), "mul_1");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->status, Status::kPass);
  EXPECT_EQ(record->wall_ms, 7);
  EXPECT_EQ(record->cached_from, "last-night");
  EXPECT_FALSE(cache.Find(Key("sub_1"), "sub_1"));
  EXPECT_EQ(cache.note(), "");
}

TEST_F(ResultCacheTest, ARunWithADifferentDecidingFactFindsNothing) {
  Keep({"add_1"});
  const std::vector<std::pair<std::string, std::function<void(RunHeader&)>>> changes = {
      {"toolchain", [](RunHeader& h) { h.decides["toolchain"] = "LLVM 23"; }},
      {"reference", [](RunHeader& h) { h.decides["reference"] = "build 2"; }},
      {"seed", [](RunHeader& h) { h.decides["seed"] = "1"; }},
      {"a value of a policy", [](RunHeader& h) { h.decides["policy.edge.relax"] = "2"; }},
      {"processor", [](RunHeader& h) { h.host["cpu"] = "another"; }},
      {"cores", [](RunHeader& h) { h.host["cores"] = "4"; }},
      {"board", [](RunHeader& h) { h.host["device"] = "n150"; }},
      {"property", [](RunHeader& h) { h.properties["device_kind"] = "v6"; }}};
  for (const auto& [name, change] : changes) {
    RunHeader header = Header();
    change(header);
    EXPECT_EQ(Found({"add_1"}, header), 0u) << name;
  }
}

TEST_F(ResultCacheTest, AnotherManifestAndTheFreeMemoryDecideNothing) {
  Keep({"add_1"});
  RunHeader header = Header();
  header.decides["manifest"] = "def";
  header.host["memory_mb"] = "7936";
  header.run_id = "tonight";
  EXPECT_EQ(Found({"add_1"}, header), 1u);
}

TEST_F(ResultCacheTest, ACaseIsWhatDefinesIt) {
  const Case c{.id = "add_1", .hash = "h"};
  const std::vector<std::pair<std::string, std::function<void(Case&)>>> changes = {
      {"hash", [](Case& other) { other.hash = "i"; }},
      {"no_runtime_input", [](Case& other) { other.no_runtime_input = true; }},
      {"elided", [](Case& other) { other.elided_constants = {0}; }},
      {"range", [](Case& other) { other.input_ranges = {std::pair(int64_t{0}, int64_t{3})}; }}};
  for (const auto& [name, change] : changes) {
    Case other = c;
    change(other);
    EXPECT_NE(CaseKey({.c = &c}), CaseKey({.c = &other})) << name;
  }
  EXPECT_NE(CaseKey({.c = &c}), CaseKey({.c = &c, .after = "lower"}));
  EXPECT_NE(CaseKey({.c = &c}), CaseKey({.c = &c, .twin = "add_0"}));
  Case elsewhere = c;
  elsewhere.file = "cases/elsewhere.mlir";
  elsewhere.origins = {{.model = "bert"}};
  EXPECT_EQ(CaseKey({.c = &c}), CaseKey({.c = &elsewhere}));
}

TEST_F(ResultCacheTest, ResultsThatMayBeDueToTheMachineAreNotKept) {
  for (const Status status : {Status::kPass, Status::kImprecise, Status::kUnsupported, Status::kInconclusive}) {
    EXPECT_TRUE(MayBeCached(Record("a", status))) << ToString(status);
  }
  for (const Status status :
       {Status::kCrash, Status::kTimeout, Status::kOutOfMemory, Status::kFlaky, Status::kSkipped, Status::kMissing}) {
    EXPECT_FALSE(MayBeCached(Record("a", status))) << ToString(status);
  }
  EXPECT_TRUE(MayBeCached(Record("a", Status::kFail, "compare")));
  EXPECT_TRUE(MayBeCached(Record("a", Status::kFail, "stablehlo-to-linalg")));
  for (const char* stage : {"load", "execute", "inputs"}) EXPECT_FALSE(MayBeCached(Record("a", Status::kFail, stage)));
  CaseRecord unjudged = Record("a", Status::kInconclusive);
  unjudged.reference = Status::kTimeout;
  EXPECT_FALSE(MayBeCached(unjudged)) << "another run may have the time";
  CaseRecord again = Record("a", Status::kFail);
  again.first_attempt.status = Status::kCrash;
  EXPECT_FALSE(MayBeCached(again));
  again.first_attempt.status = Status::kFail;
  EXPECT_TRUE(MayBeCached(again));
}

TEST_F(ResultCacheTest, ARecordFromTheCacheIsNotAddedAgain) {
  Keep({"add_1"});
  {
    ResultCache cache(folder_.path(), Header());
    cache.Add(Key("add_1"), *cache.Find(Key("add_1"), "add_1"));
  }
  EXPECT_EQ(Packs().size(), 1u);
}

TEST_F(ResultCacheTest, TheLatestOfSeveralRunsCounts) {
  const auto keep = [&](const std::string& run_id, Status status) {
    RunHeader header = Header();
    header.run_id = run_id;
    ResultCache(folder_.path(), header).Add(Key("add_1"), Record("add_1", status));
  };
  // The files are read in the order of their names, which are digests: the order of the runs is arbitrary.
  keep("20261121T101500Z-0001", Status::kFail);
  keep("20261124T101500Z-0001", Status::kPass);
  keep("20261122T101500Z-0001", Status::kFail);
  keep("20261123T101500Z-0001", Status::kFail);
  const auto record = ResultCache(folder_.path(), Header()).Find(Key("add_1"), "add_1");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->cached_from, "20261124T101500Z-0001");
}

TEST_F(ResultCacheTest, AFileThatDoesNotMatchItsNameIsIgnoredWithANote) {
  Keep({"add_1"});
  const fs::path pack = Packs().at(0);
  const std::string text = ReadFile(pack).value();
  for (const std::string& damaged :
       {text.substr(0, text.size() / 2), text + "x", std::string(), std::string(9, '\0')}) {
    ASSERT_TRUE(WriteFile(pack, damaged));
    std::string note;
    EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u);
    EXPECT_THAT(note, HasSubstr("1 file that cannot be used"));
    EXPECT_THAT(note, HasSubstr(pack.string()));
  }
  ASSERT_TRUE(WriteFile(pack, text));
  EXPECT_EQ(Found({"add_1"}), 1u);
}

TEST_F(ResultCacheTest, AFileThatWasNotMadeWithTheKeyIsIgnored) {
  Keep({"add_1"});
  const fs::path pack = Packs().at(0);
  const std::string text = ReadFile(pack).value();
  fs::remove(pack);
  for (const std::string& name : {Sha256Hex(text), HmacSha256Hex("another key", text), HmacSha256Hex("", text)}) {
    ASSERT_TRUE(WriteFile(pack.parent_path() / (name + ".pack"), text));
  }
  std::string note;
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u);
  EXPECT_THAT(note, HasSubstr("3 files that cannot be used"));
  EXPECT_THAT(note, HasSubstr("not made with the cache's key"));
}

TEST_F(ResultCacheTest, NothingIsReadThroughALink) {
  Keep({"add_1"});
  const fs::path pack = Packs().at(0);
  fs::rename(pack, folder_.path() / "elsewhere");
  fs::create_symlink(folder_.path() / "elsewhere", pack);
  std::string note;
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u);
  EXPECT_THAT(note, HasSubstr("is a link"));
}

TEST_F(ResultCacheTest, NothingIsWrittenThroughALink) {
  Keep({"add_1"});
  const fs::path folder = Packs().at(0).parent_path();
  const fs::path victim = folder_.path() / "victim";
  fs::rename(folder, victim);
  fs::create_directory_symlink(victim, folder);
  {
    ResultCache cache(folder_.path(), Header());
    cache.Add(Key("mul_1"), Record("mul_1"));
    cache.Flush();
    EXPECT_THAT(cache.note(), HasSubstr("is a link"));
    EXPECT_FALSE(cache.Find(Key("add_1"), "add_1"));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(victim), fs::directory_iterator()), 1);
}

TEST_F(ResultCacheTest, FilesOfAnotherUserAreIgnored) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  Keep({"add_1"});
  const fs::path pack = Packs().at(0);
  ASSERT_EQ(::chown(pack.c_str(), 12345, 12345), 0);
  std::string note;
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u);
  EXPECT_THAT(note, HasSubstr("belongs to another user"));
  ASSERT_EQ(::chown(pack.c_str(), 0, 0), 0);
  EXPECT_EQ(Found({"add_1"}), 1u);
  for (const fs::path& path :
       {pack.parent_path().parent_path() / "key", pack.parent_path(), pack.parent_path().parent_path()}) {
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u) << path;
    EXPECT_THAT(note, HasSubstr(path.string() + " belongs to another user"));
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  }
}

TEST_F(ResultCacheTest, AKeyThatOthersMayReadIsRefused) {
  Keep({"add_1"});
  const fs::path key = Packs().at(0).parent_path().parent_path() / "key";
  fs::permissions(key, static_cast<fs::perms>(0644));
  std::string note;
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u);
  EXPECT_THAT(note, HasSubstr("may be read by others"));
}

TEST_F(ResultCacheTest, UsersThatShareAKeyShareACache) {
  const fs::path key = folder_.path() / "shared-key";
  ASSERT_TRUE(WriteFile(key, "a secret of all of us\n"));
  ::setenv(kCacheKeyVariable, key.c_str(), 1);
  Keep({"add_1"});
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(Packs().at(0).c_str(), 12345, 12345), 0);
  }
  EXPECT_EQ(Found({"add_1"}), 1u);
  ASSERT_TRUE(WriteFile(key, "a secret of somebody else\n"));
  EXPECT_EQ(Found({"add_1"}), 0u);
  ASSERT_TRUE(WriteFile(key, "short"));
  std::string note;
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 0u);
  EXPECT_THAT(note, HasSubstr("is no key"));
  ::unsetenv(kCacheKeyVariable);
}

TEST_F(ResultCacheTest, AFileThatIsReplacedMeanwhileIsAMiss) {
  Keep({"add_1"});
  ResultCache cache(folder_.path(), Header());
  const fs::path pack = Packs().at(0);
  std::string text = ReadFile(pack).value();
  ASSERT_TRUE(WriteFile(pack, text));
  EXPECT_FALSE(cache.Find(Key("add_1"), "add_1"));
}

TEST_F(ResultCacheTest, ForeignFilesAreIgnoredWithANoteAndDraftsWithout) {
  Keep({"add_1"});
  const fs::path beside = Packs().at(0).parent_path();
  ASSERT_TRUE(WriteFile(Packs().at(0).string() + ".77.tmp", "half"));
  std::string note;
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 1u);
  EXPECT_EQ(note, "");
  ASSERT_TRUE(WriteFile(beside / "README", "hello"));
  fs::create_directories(beside / "folder");
  EXPECT_EQ(Found({"add_1"}, Header(), &note), 1u);
  EXPECT_THAT(note, HasSubstr("2 files that cannot be used"));
}

TEST_F(ResultCacheTest, ARecordOfAnotherCaseUnderTheKeyIsNotBelieved) {
  Keep({"add_1"});
  ResultCache cache(folder_.path(), Header());
  EXPECT_FALSE(cache.Find(Key("add_1"), "mul_1"));
}

TEST_F(ResultCacheTest, AFileThatIsRemovedMeanwhileIsAMiss) {
  Keep({"add_1"});
  ResultCache cache(folder_.path(), Header());
  fs::remove_all(folder_.path());
  EXPECT_FALSE(cache.Find(Key("add_1"), "add_1"));
}

TEST_F(ResultCacheTest, ManyRunsWriteAtOnce) {
  std::vector<std::thread> runs;
  for (int run = 0; run < 8; ++run) {
    runs.emplace_back([&, run] {
      ResultCache cache(folder_.path(), Header());
      for (int i = 0; i < 50; ++i) {
        const std::string id = fmt::format("add_{}_{}", run, i);
        cache.Add(Key(id), Record(id));
        if (i % 10 == 9) cache.Flush();
      }
    });
  }
  for (std::thread& run : runs) run.join();
  ResultCache cache(folder_.path(), Header());
  EXPECT_EQ(cache.size(), 400u);
  EXPECT_EQ(cache.note(), "");
}

TEST_F(ResultCacheTest, AFolderThatCannotBeWrittenIsOnlyNoted) {
  const fs::path file = folder_.path() / "file";
  ASSERT_TRUE(WriteFile(file, "text"));
  ResultCache cache(file, Header());
  cache.Add(Key("add_1"), Record("add_1"));
  cache.Flush();
  EXPECT_THAT(cache.note(), HasSubstr("results are not kept in the cache"));
}

}  // namespace
}  // namespace opbyop::harness
