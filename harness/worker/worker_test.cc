// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "fixtures/mock/behaviour.h"
#include "support/files/file.h"
#include "support/process/test_children.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using protocol::Request;

using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kPatience = std::chrono::duration<double>(kTestPatience).count();  // s

class WorkerTest : public testing::Test {
 protected:
  WorkerSpec Spec(const std::string& hello = "") {
    WorkerSpec spec;
    spec.role = "target";
    spec.argv = {TestProgram("mock_worker"), "--target", "--hello=" + hello};
    spec.environment = {{"MOCK_MARKERS", folder_.path().string()}};
    spec.limits["lower"] = {kPatience, 256};
    spec.limits["parse"] = {kPatience, 256};
    spec.fallback = {kPatience, 256};
    spec.hello_timeout_s = kPatience;
    return spec;
  }

  // Compiles one case with this behaviour.
  Answer Compile(Worker& worker, const mock::Behaviour& behaviour) {
    AdoptOrphans();
    if (!worker.Ready()) {
      worker.Launch();
      worker.Wait();
      EXPECT_FALSE(worker.start_error()) << worker.start_error()->message;
    }
    Request request;
    request.verb = protocol::CompileVerb{};
    request.case_id = behaviour.name;
    request.dir = folder_.path();
    request.file = folder_.path() / (behaviour.name + ".mock");
    EXPECT_TRUE(WriteFile(request.file, "behaviour: " + behaviour.name + "\nstage: " + behaviour.stage + "\n"));
    return worker.Call(request, "parse");
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

TEST_F(WorkerTest, ADiagnosticDoesNotEndTheWorker) {
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

TEST_P(WorkerDeathTest, IsOneAnswerAndTheNextWorkerIsUnaffected) {
  const Death& death = GetParam();
  WorkerSpec spec = Spec();
  if (death.status == Status::kTimeout) spec.limits["lower"].timeout_s = 1;
  Worker worker(spec);
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
                    Death{{"hang"}, Status::kTimeout, 0, "lower", "1 s"},
                    Death{{"hang_deaf"}, Status::kTimeout, 0, "lower", "1 s"},
                    Death{{"flood_segfault"}, Status::kCrash, SIGSEGV, "lower", "SIGSEGV"},
                    Death{{"partial_reply"}, Status::kCrash, 0, "lower", "in the middle of a reply"},
                    Death{{"garbage"}, Status::kCrash, 0, "lower", "no JSON object: 'hello'"},
                    Death{{"huge_prefix"}, Status::kCrash, 0, "lower", "4294967295 bytes"},
                    Death{{"memory_bomb", "parse"}, Status::kOutOfMemory, 0, "parse", "the limit is 256 MB"},
                    Death{{"leave_segfault"}, Status::kCrash, SIGSEGV, "lower", "SIGSEGV"},
                    Death{{"stale_reply"}, Status::kCrash, 0, "lower", "answered request 0 while 1 was asked"},
                    Death{{"close_replies"}, Status::kCrash, 0, "lower", "closed its reply pipe"},
                    Death{{"no_stage_end"}, Status::kCrash, 0, "lower", "said done within stage lower"},
                    Death{{"never_done"}, Status::kTimeout, 0, "lower", "1 s"},
                    Death{{"second_hello"}, Status::kCrash, 0, "lower", "sent a second hello"},
                    Death{{"float_id"}, Status::kCrash, 0, "lower", "id is 1e+300"},
                    Death{{"deep_nesting", "parse"}, Status::kCrash, 0, "parse", "nested more than 32 deep"},
                    Death{{"many_values", "parse"}, Status::kCrash, 0, "parse", "more than 1048576 values"},
                    Death{{"bad_utf8"}, Status::kCrash, 0, "lower", "no JSON object"},
                    Death{{"long_stage_name", "parse"}, Status::kCrash, 0, "parse", "which is not declared"},
                    Death{{"undeclared_stage", "parse"}, Status::kCrash, 0, "parse", "began stage 'polish', which"},
                    Death{{"nested_begin"}, Status::kCrash, 0, "lower", "began stage 'lower' within stage 'lower'"},
                    Death{{"endless_stages"}, Status::kCrash, 0, "lower", "began stage 'lower' a second time"},
                    Death{{"forbidden_status"}, Status::kCrash, 0, "lower", "status is \"flaky\""},
                    Death{{"silly_bytes"}, Status::kCrash, 0, "lower", "artifact_bytes is 1e+300"},
                    Death{{"silly_timing"}, Status::kCrash, 0, "lower", "n is -3"},
                    Death{{"many_worst", "parse"}, Status::kCrash, 0, "parse", "worst"}),
    [](const testing::TestParamInfo<Death>& info) {
      return info.param.behaviour.name + "_" + info.param.behaviour.stage;
    });

TEST_F(WorkerTest, KeepsTheLastLinesOfADeadWorker) {
  Worker worker(Spec());
  const Answer answer = Compile(worker, {"flood_segfault"});
  ASSERT_FALSE(answer.log.empty());
  EXPECT_EQ(answer.log.back(), "about to crash in lower");
  EXPECT_LE(answer.log.size(), 40u);
}

TEST_F(WorkerTest, ALongDiagnosticIsCutAndMarked) {
  Worker worker(Spec());
  const Answer answer = Compile(worker, {"long_diagnostic", "parse"});
  EXPECT_EQ(answer.status, Status::kFail);
  EXPECT_LT(answer.stages.back().diagnostic.size(), 5000u);
  EXPECT_THAT(answer.stages.back().diagnostic, HasSubstr("[cut: 15728640 bytes]"));
}

TEST_F(WorkerTest, ADiagnosticIsOneLineWithoutControlCharacters) {
  Worker worker(Spec());
  EXPECT_EQ(Compile(worker, {"control_characters"}).stages.back().diagnostic, "error: red\uFFFD\uFFFD end");
}

TEST_F(WorkerTest, ALogIsTextWhateverIsPrinted) {
  Worker worker(Spec());
  const Answer answer = Compile(worker, {"binary_log"});
  ASSERT_FALSE(answer.log.empty());
  EXPECT_EQ(answer.log.front(), "red \uFFFD\uFFFD \uFFFD of binary_log");
}

// Waits until the worker is known to be dead, without sending a request.
void AwaitDeath(Worker& worker) {
  while (worker.Ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(WorkerTest, AWorkerThatDiedIdleAnswersTheNextRequestWithItsDeath) {
  Worker worker(Spec());
  EXPECT_EQ(Compile(worker, {"killed_after_done"}).status, Status::kPass);
  AwaitDeath(worker);
  worker.Send(Request{.verb = protocol::ExecuteVerb{}}, "load");
  EXPECT_FALSE(worker.busy());
  const Answer answer = worker.TakeAnswer();
  EXPECT_EQ(answer.status, Status::kCrash);
  EXPECT_TRUE(answer.died);
  EXPECT_EQ(answer.stage, "load");
  EXPECT_EQ(answer.signal, SIGKILL);
  EXPECT_THAT(answer.diagnostic, HasSubstr("died of SIGKILL (Killed) while idle after stage lower"));
  ASSERT_EQ(answer.stages.size(), 1u);
  EXPECT_EQ(answer.stages[0].name, "load");
}

TEST_F(WorkerTest, AMessageWithoutARequestIsAProtocolError) {
  Worker worker(Spec());
  const Answer first = Compile(worker, {"second_done"});
  if (first.status != Status::kPass) {  // its second answer had arrived when the first was read
    EXPECT_EQ(first.status, Status::kCrash);
    EXPECT_THAT(first.diagnostic, HasSubstr("it sent more after its answer"));
    return;
  }
  AwaitDeath(worker);
  worker.Send(Request{.verb = protocol::ExecuteVerb{}}, "load");
  EXPECT_THAT(worker.TakeAnswer().diagnostic,
              HasSubstr("sent 'done' without being asked while idle after stage lower"));
}

TEST_F(WorkerTest, ADeathBeforeTheRequestIsReadIsMarkedUnread) {
  WorkerSpec spec = Spec();
  spec.argv.emplace_back("--hello=spurn");
  Worker worker(spec);
  const Answer answer = Compile(worker, {"pass"});
  EXPECT_EQ(answer.status, Status::kCrash);
  EXPECT_TRUE(answer.unread);
  EXPECT_EQ(answer.diagnostic, "left with exit code 9 without an answer before it read its request");
}

TEST_F(WorkerTest, ADeathAfterTheRequestIsReadIsNotMarkedUnread) {
  Worker worker(Spec());
  EXPECT_FALSE(Compile(worker, {"segfault", "parse"}).unread);
}

TEST_F(WorkerTest, AWorkerThatWasNeverStartedAnswersWithThat) {
  Worker worker(Spec());
  worker.Send(Request{.verb = protocol::CompileVerb{}}, "parse");
  EXPECT_EQ(worker.TakeAnswer().status, Status::kCrash);
}

TEST_F(WorkerTest, TheDeathOfAReferenceWorkerIsNotTheTargets) {
  WorkerSpec spec = Spec();
  spec.role = "reference";
  spec.argv[1] = "--reference";
  spec.limits["lower"].timeout_s = 1;
  Worker worker(spec);
  EXPECT_THAT(Compile(worker, {"segfault"}).diagnostic, testing::StartsWith("the reference worker died of SIGSEGV"));
  EXPECT_THAT(Compile(worker, {"hang"}).diagnostic, testing::StartsWith("the reference worker gave no end"));
  EXPECT_THAT(Compile(worker, {"garbage"}).diagnostic, testing::StartsWith("the reference worker broke the protocol"));
}

class LargeRequestTest : public WorkerTest {
 protected:
  // Sends a compile request of about `megabytes`.
  Answer CompileLarge(WorkerSpec spec, size_t megabytes) {
    Worker worker(std::move(spec));
    worker.Launch();
    worker.Wait();
    Request request{.verb = protocol::CompileVerb{},
                    .case_id = "large",
                    .file = folder_.path() / "large.mock",
                    .dir = folder_.path()};
    EXPECT_TRUE(WriteFile(request.file, "behaviour: pass\n"));
    request.after = std::string(megabytes << 20, 'x');
    worker.Send(std::move(request), "parse");
    worker.Wait();
    return worker.TakeAnswer();
  }
};

TEST_F(LargeRequestTest, Arrives) { EXPECT_EQ(CompileLarge(Spec(), 8).status, Status::kPass); }

TEST_F(LargeRequestTest, ArrivesAtAWorkerThatPrintsBeforeItReads) {
  EXPECT_EQ(CompileLarge(Spec("chatty"), 8).status, Status::kPass);
}

TEST_F(LargeRequestTest, ToAWorkerThatNeverReadsIsATimeout) {
  WorkerSpec spec = Spec("deaf");
  spec.limits["parse"].timeout_s = 0.2;
  const Answer answer = CompileLarge(spec, 8);
  EXPECT_EQ(answer.status, Status::kTimeout);
  EXPECT_THAT(answer.diagnostic, HasSubstr("did not read its request"));
}

TEST_F(LargeRequestTest, BeyondTheProtocolIsAFailureThatLeavesTheWorkerAlone) {
  const Answer answer = CompileLarge(Spec(), 17);
  EXPECT_EQ(answer.status, Status::kFail);
  EXPECT_FALSE(answer.died);
  EXPECT_THAT(answer.diagnostic, HasSubstr("longer than the protocol's limit"));
}

TEST_F(WorkerTest, AGigabyteOfOutputIsNoTrouble) {
  WorkerSpec spec = Spec();
  spec.limits["lower"] = {kPatience, 256};
  Worker worker(spec);
  EXPECT_EQ(Compile(worker, {"flood_out"}).status, Status::kPass);
  EXPECT_EQ(Compile(worker, {"flood_err"}).status, Status::kPass);
}

TEST_F(WorkerTest, LeftoverChildrenAreEndedWithTheWorker) {
  Worker worker(Spec());
  EXPECT_EQ(Compile(worker, {"leave_child"}).status, Status::kPass);
  EXPECT_EQ(Compile(worker, {"leave_daemon"}).status, Status::kPass);
  worker.Stop();
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_F(WorkerTest, ADeathBetweenRequestsIsBlamedOnNoRequest) {
  Worker worker(Spec());
  EXPECT_EQ(Compile(worker, {"die_idle"}).status, Status::kPass);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(worker.Ready());
  EXPECT_EQ(Compile(worker, {"pass"}).status, Status::kPass);
}

TEST_F(WorkerTest, TwoWorkersRunAtOnce) {
  WorkerSpec spec = Spec();
  spec.limits["lower"] = {kPatience, 256};
  Worker first(spec), second(spec);
  const std::array<Worker*, 2> both = {&first, &second};
  first.Launch();
  second.Launch();
  Worker::WaitAll(both);
  // The first hangs; the second answers meanwhile.
  const auto request = [&](const std::string& name) {
    Request request{.verb = protocol::CompileVerb{}, .file = folder_.path() / (name + ".mock")};
    EXPECT_TRUE(WriteFile(request.file, "behaviour: " + name + "\nstage: lower\n"));
    return request;
  };
  first.Send(request("hang"), "parse");
  second.Send(request("pass"), "parse");
  while (second.busy()) Worker::WaitForAny(both);
  EXPECT_TRUE(first.busy());
  EXPECT_EQ(second.TakeAnswer().status, Status::kPass);
}

class WorkerStartTest : public WorkerTest {
 protected:
  std::optional<Error> Start(WorkerSpec spec) {
    Worker worker(std::move(spec));
    worker.Launch();
    worker.Wait();
    return worker.start_error();
  }
};

TEST_F(WorkerStartTest, ASlowStartSucceeds) { EXPECT_FALSE(Start(Spec("slow"))); }

TEST_F(WorkerStartTest, NoHelloIsAnErrorWithTheProgramsOutput) {
  WorkerSpec spec = Spec("never");
  spec.hello_timeout_s = 0.3;
  const std::optional<Error> error = Start(spec);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("said no hello within 0.3 s"));
  EXPECT_THAT(error->message, HasSubstr("waiting for a licence server"));
  EXPECT_THAT(TestChildren(), IsEmpty());
}

TEST_F(WorkerStartTest, AnEarlyExitIsAnErrorWithTheProgramsOutput) {
  const std::optional<Error> error = Start(Spec("exit"));
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("exit code 127"));
  EXPECT_THAT(error->message, HasSubstr("libfoo.so"));
}

TEST_F(WorkerStartTest, ALongHelloIsCut) {
  Worker worker(Spec("long"));
  worker.Launch();
  worker.Wait();
  EXPECT_FALSE(worker.start_error());
  EXPECT_LT(worker.hello().version.size(), 2000u);
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

TEST_F(WorkerStartTest, AProgramThatIsNoWorkerIsAnError) {
  EXPECT_TRUE(Start(Spec("garbage")));
  WorkerSpec spec = Spec();
  spec.argv = {"/no/such/worker"};
  EXPECT_EQ(Start(spec)->code, ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop::harness
