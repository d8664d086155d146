// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/cache/run_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "manifests/runs/run_differences.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kTarget = R"(schema: opbyop-target/1
name: t
description: a target
worker: ["{bin}/worker", "--flag"]
device: {kind: host}
stages:
- {name: parse}
- {name: lower, timeout_s: 20, command: ["{env:COMPILER}", "{input}"]}
)";

class RunDigestTest : public testing::Test {
 protected:
  RunDigestTest() {
    Write("target.yaml", std::string(kTarget));
    Write("policy.yaml", "schema: opbyop-policy/1\nname: domain\ninputs: domain\n");
    Write("worker", "#!/bin/sh\n");
    manifest_.hash = "abc";
    parts_.manifest = &manifest_;
    parts_.target = &target_;
    parts_.stages = {"parse", "lower"};
    parts_.policies = {{"domain", "domain", folder_.path() / "policy.yaml"}};
    parts_.toolchain = "t 1.0";
    parts_.target_worker = {folder_.path() / "worker", "--flag"};
    parts_.reference_worker = {"/proc/self/exe", "--reference"};
    parts_.project = folder_.path();
  }

  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFile(folder_.path() / name, text));
    if (name == "target.yaml") target_ = LoadTarget(folder_.path() / name).value();
  }

  void Replace(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = *ReadFile(folder_.path() / name);
    text.replace(text.find(from), from.size(), to);
    Write(name, text);
  }

  // Returns the differences that `change` makes, as a user reads them.
  std::string After(const std::function<void()>& change) {
    const auto before = DecidingFactsOf(parts_);
    change();
    const auto after = DecidingFactsOf(parts_);
    EXPECT_EQ(DigestOf(before) == DigestOf(after), before == after);
    return RunDifferences(before, after);
  }

  TestFolder folder_;
  Manifest manifest_;
  Target target_;
  DecidingParts parts_;
};

TEST_F(RunDigestTest, TheSameRunHasTheSameDigest) {
  EXPECT_THAT(After([] {}), IsEmpty());
  EXPECT_EQ(DigestOf(DecidingFactsOf(parts_)).size(), 64u);
}

TEST_F(RunDigestTest, AStageMoreIsNamed) {
  EXPECT_THAT(After([&] { parts_.stages = {"parse", "check", "lower"}; }),
              HasSubstr("its stages is 'parse, lower', this run's is 'parse, check, lower'"));
}

TEST_F(RunDigestTest, EveryValueOfTheTargetFileCounts) {
  EXPECT_THAT(After([&] { Replace("target.yaml", "timeout_s: 20", "timeout_s: 21"); }),
              HasSubstr("its target.stages.lower.timeout_s is '20', this run's is '21'"));
  EXPECT_THAT(After([&] { Replace("target.yaml", "device: {", "flags: [-O3]\ndevice: {"); }),
              HasSubstr(R"(its target.flags is absent, this run's is '["-O3"]')"));
}

TEST_F(RunDigestTest, ProseAndCommentsOfTheTargetFileDoNot) {
  EXPECT_THAT(After([&] {
                Replace("target.yaml", "a target", "a better one");
                Replace("target.yaml", "device:", "# what runs it\ndevice:");
              }),
              IsEmpty());
}

TEST_F(RunDigestTest, ThePoliciesContentCounts) {
  EXPECT_THAT(After([&] { Replace("policy.yaml", "name:", "relax: [{factor: 2, reason: r}]\nname:"); }),
              HasSubstr("policy.domain.relax.0.factor is absent"));
}

TEST_F(RunDigestTest, NumbersOfTheCommandLineCount) {
  EXPECT_THAT(After([&] { parts_.seed = 3; }), HasSubstr("its seed is '0', this run's is '3'"));
  EXPECT_THAT(After([&] { parts_.retries = 0; }), HasSubstr("retries"));
  EXPECT_THAT(After([&] { parts_.repeat.max = 7; }), HasSubstr("repeat"));
  EXPECT_THAT(After([&] { parts_.executions = 7; }), HasSubstr("executions"));
  EXPECT_THAT(After([&] { target_.batch = 9; }), HasSubstr("batch"));
  EXPECT_THAT(After([&] { manifest_.hash = "def"; }), HasSubstr("its manifest is 'abc'"));
  EXPECT_THAT(After([&] { parts_.toolchain = "t 2.0"; }), HasSubstr("its toolchain is 't 1.0', this run's is 't 2.0'"));
}

TEST_F(RunDigestTest, AnotherBuildOfAWorkerCounts) {
  EXPECT_THAT(After([&] { Write("worker", "#!/bin/sh\nexit 1\n"); }), HasSubstr("its worker is 'sha256 "));
  EXPECT_THAT(After([&] { parts_.reference_worker[0] = folder_.path() / "worker"; }),
              HasSubstr("its reference is 'build id "));
}

TEST_F(RunDigestTest, SourcesThatAScriptMayLoadCount) {
  Write("device/python/start.sh", "exec python3");
  Write("device/t/worker.py", "print(1)");
  parts_.target_worker = {folder_.path() / "device/python/start.sh", "t"};
  EXPECT_THAT(After([&] { Write("device/t/worker.py", "print(2)"); }), HasSubstr("its worker is 'sources "));
  EXPECT_THAT(After([&] { Write("device/t/notes.txt", "text"); }), IsEmpty());
}

TEST_F(RunDigestTest, VariablesThatTheTargetNamesOrCompilersReadCount) {
  ::unsetenv("COMPILER");
  ::unsetenv("XLA_FLAGS");
  EXPECT_THAT(After([] { ::setenv("COMPILER", "cc", 1); }), HasSubstr("its environment.COMPILER is absent"));
  EXPECT_THAT(After([] { ::setenv("XLA_FLAGS", "--a=b", 1); }), HasSubstr("this run's is '--a=b'"));
  EXPECT_THAT(After([] { ::setenv("PS1", "$ ", 1); }), IsEmpty());
  ::unsetenv("COMPILER");
  ::unsetenv("XLA_FLAGS");
}

TEST_F(RunDigestTest, TheFoldersOfTheProgramsDoNotCount) {
  const TestFolder other;
  std::filesystem::copy(folder_.path(), other.path(), std::filesystem::copy_options::recursive);
  EXPECT_THAT(After([&] {
                target_ = LoadTarget(other.path() / "target.yaml").value();
                parts_.policies[0].file = other.path() / "policy.yaml";
                parts_.target_worker[0] = other.path() / "worker";
                parts_.project = other.path();
              }),
              IsEmpty());
}

TEST_F(RunDigestTest, AFileThatAVariableNamesIsNamed) {
  Replace("target.yaml", "{env:COMPILER}", "{env_file:BOARD}");
  Write("board.ttsys", "one");
  ::setenv("BOARD", (folder_.path() / "board.ttsys").c_str(), 1);
  EXPECT_THAT(After([&] { Write("board.ttsys", "two"); }), HasSubstr("environment.BOARD.file"));
  ::unsetenv("BOARD");
}

}  // namespace
}  // namespace opbyop::harness
