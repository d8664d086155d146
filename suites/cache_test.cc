// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests runs of the conformance program that take over results of earlier runs, with the mock target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/test_conformance_program.h"
#include "support/test_folder.h"
#include "support/text/replace_all.h"

namespace opbyop::suites {
namespace {

namespace fs = std::filesystem;
using mock::Behaviour;
using testing::HasSubstr;
using testing::Not;

class CacheTest : public ConformanceTest {
 protected:
  std::string cache() const { return "--cache=" + (folder_.path() / "cache").string(); }

  // By case: when it was run, and the run that its record is from.
  struct Seen {
    std::map<std::string, std::string> start, from;
    std::string run_id;
  };
  Seen Look() const {
    Seen seen;
    const opbyop::Run run = Results();
    EXPECT_TRUE(run.complete);
    seen.run_id = run.header.run_id;
    for (const CaseRecord& record : run.cases) {
      const std::string name = record.id.substr(0, record.id.find("_4_f32")) + record.id.substr(record.id.size() - 2);
      seen.start[name] = record.start;
      seen.from[name] = record.cached_from;
    }
    return seen;
  }
  std::string Text(const std::string& name) const { return ReadFile(folder_.path() / "out" / name).value_or(""); }
};

TEST_F(CacheTest, UnchangedResultsAreTakenOverAndMarked) {
  Write({{}, {"fail", "lower"}, {"segfault", "execute"}, {"unsupported", "lower"}});
  EXPECT_EQ(Run(Command({cache()})).code, 1);
  const Seen first = Look();
  fs::remove_all(folder_.path() / "out");
  const Outcome again = Run(Command({cache()}));
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.output, HasSubstr("3 of 4 cases taken over from the cache"));
  const Seen second = Look();
  for (const char* name : {"pass_lower00", "fail_lower01", "unsupported_lower03"}) {
    EXPECT_EQ(second.from.at(name), first.run_id) << name;
    EXPECT_EQ(second.start.at(name), first.start.at(name)) << name;
  }
  EXPECT_EQ(second.from.at("segfault_execute02"), "") << "it may be the machine's fault";
  EXPECT_NE(second.start.at("segfault_execute02"), first.start.at("segfault_execute02"));
  EXPECT_THAT(Text("summary.md"), HasSubstr("3 cases: 3 of run " + first.run_id));
  EXPECT_THAT(Text("optest.json"), HasSubstr("\"cached_from\":\"" + first.run_id));
  EXPECT_THAT(Text("index.html"), HasSubstr(first.run_id));
  // A third run must name the run that made the record, not the one that took it over.
  fs::remove_all(folder_.path() / "out");
  EXPECT_EQ(Run(Command({cache()})).code, 1);
  EXPECT_EQ(Look().from.at("pass_lower00"), first.run_id);
}

TEST_F(CacheTest, AnotherManifestTakesOverTheCasesThatItShares) {
  Write({{}, {"fail", "lower"}});
  EXPECT_EQ(Run(Command({cache()})).code, 1);
  Write({{}, {"fail", "lower"}, {}}, {"mock", "another_model"});
  EXPECT_THAT(Run(Command({cache()})).output, HasSubstr("2 of 3 cases taken over"));
}

TEST_F(CacheTest, AChangedDecidingFactMakesAllRunAgain) {
  Write(std::vector<Behaviour>(2));
  EXPECT_EQ(Run(Command({cache()})).code, 0);
  const std::string target = ReadFile(TestSource("fixtures/mock/mock.yaml")).value();
  const std::string changed = WriteText("mock.yaml", ReplaceAll(target, "stages:", "# a comment\nstages:"));
  EXPECT_THAT(Run(Command({cache(), "--target=" + changed, "--fresh"})).output, HasSubstr("2 of 2 cases taken over"));
  for (const char* flag : {"--seed=7", "--policy=domain", "--repeat=3", "--retries=0"}) {
    EXPECT_THAT(Run(Command({cache(), flag, "--fresh"})).output, Not(HasSubstr("taken over"))) << flag;
  }
  WriteText("mock.yaml", ReplaceAll(target, "timeout_s: ", "timeout_s: 1"));
  EXPECT_THAT(Run(Command({cache(), "--target=" + changed, "--fresh"})).output, Not(HasSubstr("taken over")));
}

TEST_F(CacheTest, TheEnvironmentSetsTheCacheAndTheFlagCanDisableIt) {
  Write(std::vector<Behaviour>(2));
  const std::map<std::string, std::string> environment = {{"OPBYOP_CACHE", (folder_.path() / "cache").string()}};
  EXPECT_EQ(Run(Command({}), environment).code, 0);
  EXPECT_THAT(Run(Command({}), environment).output, HasSubstr("2 of 2 cases taken over"));
  EXPECT_THAT(Run(Command({"--cache=none"}), environment).output, Not(HasSubstr("taken over")));
}

TEST_F(CacheTest, ShardsThatRunAtOnceShareACache) {
  Write(std::vector<Behaviour>(20));
  const auto run_both = [&] {
    const auto one = Start(Command({cache(), "--shard=1/2"}));
    const auto two = Start(Command({cache(), "--shard=2/2"}));
    for (const auto* process : {&one, &two}) {
      const std::optional<Exit> exit = (*process)->WaitFor(kTestPatience);
      ASSERT_TRUE(exit);
      EXPECT_EQ(exit->code, 0);
    }
  };
  run_both();
  fs::remove_all(folder_.path() / "out");
  EXPECT_THAT(Run(Command({cache()})).output, HasSubstr("20 of 20 cases taken over")) << "assigned to other shards";
}

TEST_F(CacheTest, ARepeatedRunDoesNotUseTheCache) {
  Write(std::vector<Behaviour>(2));
  const std::string output = Run(Command({cache(), "--gtest_repeat=2"})).output;
  EXPECT_THAT(output, Not(HasSubstr("taken over")));
  EXPECT_EQ(Look().from.at("pass_lower00"), "");
}

TEST_F(CacheTest, ADamagedFileLosesItsCasesAndIsReported) {
  Write(std::vector<Behaviour>(3));
  EXPECT_EQ(Run(Command({cache()})).code, 0);
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache")) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  const Outcome outcome = Run(Command({cache()}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("1 file that cannot be used"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("taken over")));
}

TEST_F(CacheTest, RerunFailedKeepsTheOthersEvenFromTheCache) {
  Write({{}, {"fail", "lower"}, {"unsupported", "lower"}});
  EXPECT_EQ(Run(Command({cache()})).code, 1);
  const Seen first = Look();
  EXPECT_EQ(Run(Command({cache(), "--rerun=failed"})).code, 1);
  const Seen second = Look();
  EXPECT_EQ(second.start.at("pass_lower00"), first.start.at("pass_lower00"));
  EXPECT_EQ(second.from.at("pass_lower00"), first.run_id);
  EXPECT_EQ(second.start.at("unsupported_lower02"), first.start.at("unsupported_lower02"));
  EXPECT_NE(second.start.at("fail_lower01"), first.start.at("fail_lower01"));
  EXPECT_EQ(second.from.at("fail_lower01"), "");
}

TEST_F(CacheTest, RerunMissingKeepsAllExistingResults) {
  Write(std::vector<Behaviour>(3));
  EXPECT_EQ(Run(Command({"--gtest_filter=*00"})).code, 0);
  const Seen first = Look();
  EXPECT_EQ(Run(Command({"--rerun=missing"})).code, 0);
  const Seen second = Look();
  EXPECT_EQ(second.start.size(), 3u);
  EXPECT_EQ(second.start.at("pass_lower00"), first.start.at("pass_lower00"));
}

TEST_F(CacheTest, RerunChangedNeedsOnlyTheResults) {
  Write({{}, {"fail", "lower"}, {"segfault", "execute"}});
  EXPECT_EQ(Run(Command({})).code, 1);
  const Seen first = Look();
  Write({{}, {"fail", "lower"}, {"segfault", "execute"}, {}});
  EXPECT_EQ(Run(Command({"--rerun=changed"})).code, 1);
  const Seen second = Look();
  EXPECT_EQ(second.start.size(), 4u);
  EXPECT_EQ(second.from.at("pass_lower00"), first.run_id);
  EXPECT_EQ(second.from.at("fail_lower01"), first.run_id);
  EXPECT_EQ(second.from.at("segfault_execute02"), "");
  const Outcome other = Run(Command({"--rerun=changed", "--seed=7"}));
  EXPECT_THAT(other.output, HasSubstr("all cases have changed: its seed is '0', this run's is '7'"));
  EXPECT_EQ(Look().from.at("pass_lower00"), "");
}

TEST_F(CacheTest, RerunChangedNeedsAllRows) {
  Write(std::vector<Behaviour>(2));
  EXPECT_EQ(Run(Command({})).code, 0);
  Write(std::vector<Behaviour>(3));
  const std::string before = Text("results.jsonl");
  const Outcome outcome = Run(Command({"--rerun=changed", "--gtest_filter=*00"}));
  EXPECT_EQ(outcome.code, static_cast<int>(ExitCode::kUsage));
  EXPECT_THAT(outcome.output, HasSubstr("--rerun=changed needs all rows"));
  EXPECT_EQ(Text("results.jsonl"), before);
}

TEST_F(CacheTest, RerunWithoutResultsRunsAll) {
  Write(std::vector<Behaviour>(2));
  for (const char* rerun : {"--rerun=failed", "--rerun=missing", "--rerun=changed"}) {
    fs::remove_all(folder_.path() / "out");
    EXPECT_EQ(Run(Command({rerun})).code, 0) << rerun;
    EXPECT_EQ(Look().start.size(), 2u);
  }
  EXPECT_EQ(Run(Command({"--rerun=failed", "--fresh"})).code, static_cast<int>(ExitCode::kUsage));
  EXPECT_EQ(Run(Command({"--rerun=everything"})).code, static_cast<int>(ExitCode::kUsage));
}

}  // namespace
}  // namespace opbyop::suites
