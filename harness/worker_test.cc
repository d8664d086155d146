#include "harness/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <filesystem>
#include <thread>

#include "fixtures/mock/behaviour.h"
#include "harness/test_children.h"
#include "support/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class WorkerTest : public testing::Test {
 protected:
  WorkerSpec Spec(const std::string& hello = "") {
    WorkerSpec spec;
    spec.role = "target";
    spec.argv = {TestProgram("mock_worker"), "--target", "--hello=" + hello};
    spec.environment = {{"MOCK_MARKERS", folder_.path().string()}};
    spec.limits["lower"] = {0.2, 256};
    spec.limits["parse"] = {20, 256};
    spec.fallback = {20, 256};
    spec.hello_timeout_s = 10;
    return spec;
  }

  static void Await(Worker& worker) {
    Worker* const workers[] = {&worker};
    while (worker.busy()) Worker::Drive(workers);
  }

  // Compiles one case that behaves so.
  Answer Compile(Worker& worker, const mock::Behaviour& behaviour) {
    AdoptOrphans();
    if (!worker.Ready()) {
      worker.Launch();
      Await(worker);
      EXPECT_FALSE(worker.start_error()) << worker.start_error()->message;
    }
    Request request;
    request.verb = "compile";
    request.case_id = behaviour.name;
    request.dir = folder_.path();
    request.file = folder_.path() / (behaviour.name + ".mock");
    EXPECT_TRUE(WriteFile(request.file, "behaviour: " + behaviour.name + "\nstage: " + behaviour.stage + "\n"));
    worker.Send(request, "parse");
    Await(worker);
    return worker.Take();
  }

  TestFolder folder_;
};

TEST_F(WorkerTest, AnswersWithStages) {
  Worker worker(Spec());
  const Answer answer = Compile(worker, {"pass"});
  EXPECT_EQ(answer.status, Status::kPass);
  ASSERT_EQ(answer.stages.size(), 2u);
  EXPECT_EQ(answer.stages[0].name, "parse");
  EXPECT_EQ(answer.stages[1].status, Status::kPass);
  EXPECT_GT(answer.peak_rss_kb, 0);
  EXPECT_EQ(worker.hello().name, "mock");
  EXPECT_EQ(worker.hello().version, "mock 1.0");
}

TEST_F(WorkerTest, ADiagnosticIsNoDeath) {
  Worker worker(Spec());
  const Answer answer = Compile(worker, {"fail"});
  EXPECT_EQ(answer.status, Status::kFail);
  EXPECT_FALSE(answer.died);
  EXPECT_EQ(answer.diagnostic, "error: 'fail' has no kernel");
  EXPECT_EQ(answer.stage, "lower");
  EXPECT_TRUE(worker.Ready());
  EXPECT_EQ(Compile(worker, {"pass"}).status, Status::kPass);
}

struct Death {
  mock::Behaviour behaviour;
  Status status;
  int signal;
  std::string stage;
  std::string says;
};

class WorkerDeathTest : public WorkerTest, public testing::WithParamInterface<Death> {};

TEST_P(WorkerDeathTest, IsOneAnswerAndTheNextWorkerIsAsNew) {
  const Death& death = GetParam();
  Worker worker(Spec());
  const Answer answer = Compile(worker, death.behaviour);
  EXPECT_EQ(answer.status, death.status) << answer.diagnostic;
  EXPECT_TRUE(answer.died);
  EXPECT_EQ(answer.signal, death.signal);
  EXPECT_EQ(answer.stage, death.stage);
  EXPECT_THAT(answer.diagnostic, HasSubstr(death.says));
  ASSERT_FALSE(answer.stages.empty());
  EXPECT_EQ(answer.stages.back().name, death.stage);
  EXPECT_EQ(answer.stages.back().status, death.status);
  EXPECT_FALSE(worker.alive());
  EXPECT_THAT(TestChildren(), IsEmpty());
  EXPECT_EQ(Compile(worker, {"pass"}).status, Status::kPass);
  worker.Stop();
  EXPECT_THAT(TestChildren(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkerDeathTest,
    testing::Values(Death{{"segfault"}, Status::kCrash, SIGSEGV, "lower", "SIGSEGV"},
                    Death{{"segfault", "parse"}, Status::kCrash, SIGSEGV, "parse", "SIGSEGV"},
                    Death{{"abort"}, Status::kCrash, SIGABRT, "lower", "SIGABRT"},
                    Death{{"assertion"}, Status::kCrash, SIGABRT, "lower", "Assertion `rank <= 4' failed."},
                    Death{{"exit"}, Status::kCrash, 0, "lower", "exit code 3"},
                    Death{{"hang"}, Status::kTimeout, 0, "lower", "0.2 s"},
                    Death{{"hang_deaf"}, Status::kTimeout, 0, "lower", "0.2 s"},
                    Death{{"flood_segfault"}, Status::kCrash, SIGSEGV, "lower", "SIGSEGV"},
                    Death{{"partial_reply"}, Status::kCrash, 0, "lower", "in the middle of a reply"},
                    Death{{"garbage"}, Status::kCrash, 0, "lower", "no JSON object: 'hello'"},
                    Death{{"huge_prefix"}, Status::kCrash, 0, "lower", "4294967295 bytes"},
                    Death{{"memory_bomb", "parse"}, Status::kOutOfMemory, 0, "parse", "the limit is 256 MB"},
                    Death{{"leave_segfault"}, Status::kCrash, SIGSEGV, "lower", "SIGSEGV"},
                    Death{{"stale_reply"}, Status::kCrash, 0, "lower", "answered request 0 while 1 was asked"},
                    Death{{"close_replies"}, Status::kCrash, 0, "lower", "closed its reply pipe"},
                    Death{{"no_stage_end"}, Status::kCrash, 0, "lower", "said done within stage lower"}),
    [](const testing::TestParamInfo<Death>& info) {
      return info.param.behaviour.name + "_" + info.param.behaviour.stage;
    });

TEST_F(WorkerTest, KeepsTheLastLinesOfTheDead) {
  Worker worker(Spec());
  const Answer answer = Compile(worker, {"flood_segfault"});
  ASSERT_FALSE(answer.log.empty());
  EXPECT_EQ(answer.log.back(), "about to crash in lower");
  EXPECT_LE(answer.log.size(), 40u);
}

TEST_F(WorkerTest, AGigabyteOfOutputIsNoTrouble) {
  WorkerSpec spec = Spec();
  spec.limits["lower"] = {60, 256};
  Worker worker(spec);
  EXPECT_EQ(Compile(worker, {"flood_out"}).status, Status::kPass);
  EXPECT_EQ(Compile(worker, {"flood_err"}).status, Status::kPass);
}

TEST_F(WorkerTest, ChildrenLeftBehindGoWithTheWorker) {
  Worker worker(Spec());
  EXPECT_EQ(Compile(worker, {"leave_child"}).status, Status::kPass);
  EXPECT_EQ(Compile(worker, {"leave_daemon"}).status, Status::kPass);
  worker.Stop();
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_F(WorkerTest, ADeathBetweenRequestsIsBlamedOnNone) {
  Worker worker(Spec());
  EXPECT_EQ(Compile(worker, {"die_idle"}).status, Status::kPass);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(worker.Ready());
  EXPECT_EQ(Compile(worker, {"pass"}).status, Status::kPass);
}

TEST_F(WorkerTest, TwoWorkAtOnce) {
  WorkerSpec spec = Spec();
  spec.limits["lower"] = {20, 256};
  Worker first(spec), second(spec);
  const std::array<Worker*, 2> both = {&first, &second};
  first.Launch();
  second.Launch();
  while (first.busy() || second.busy()) Worker::Drive(both);
  Request request;
  request.verb = "compile";
  request.file = folder_.path() / "slow.mock";
  ASSERT_TRUE(WriteFile(request.file, "behaviour: pass\nstage: lower\nms: 200\n"));
  const auto begin = std::chrono::steady_clock::now();
  first.Send(request, "parse");
  second.Send(request, "parse");
  while (first.busy() || second.busy()) Worker::Drive(both);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(390));
  EXPECT_EQ(first.Take().status, Status::kPass);
  EXPECT_EQ(second.Take().status, Status::kPass);
}

class WorkerStartTest : public WorkerTest {
 protected:
  std::optional<Error> Start(WorkerSpec spec) {
    Worker worker(std::move(spec));
    worker.Launch();
    Await(worker);
    return worker.start_error();
  }
};

TEST_F(WorkerStartTest, ASlowStartIsAStart) { EXPECT_FALSE(Start(Spec("slow"))); }

TEST_F(WorkerStartTest, SilenceIsAnErrorWithWhatTheProgramPrinted) {
  WorkerSpec spec = Spec("never");
  spec.hello_timeout_s = 0.3;
  const std::optional<Error> error = Start(spec);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("said no hello within 0.3 s"));
  EXPECT_THAT(error->message, HasSubstr("waiting for a licence server"));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_F(WorkerStartTest, AnEarlyExitIsAnErrorWithWhatTheProgramPrinted) {
  const std::optional<Error> error = Start(Spec("exit"));
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("exit code 127"));
  EXPECT_THAT(error->message, HasSubstr("libfoo.so"));
}

TEST_F(WorkerStartTest, AnotherProtocolIsNamed) {
  const std::optional<Error> error = Start(Spec("other-protocol"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ExitCode::kUnsupported);
  EXPECT_THAT(error->message, HasSubstr("opbyop-worker/9"));
}

TEST_F(WorkerStartTest, AnotherRoleIsNamed) {
  WorkerSpec spec = Spec();
  spec.role = "reference";
  EXPECT_THAT(Start(spec)->message, HasSubstr("a reference worker is needed"));
}

TEST_F(WorkerStartTest, WhatIsNoWorkerIsAnError) {
  EXPECT_TRUE(Start(Spec("garbage")));
  WorkerSpec spec = Spec();
  spec.argv = {"/no/such/worker"};
  EXPECT_EQ(Start(spec)->code, ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop
