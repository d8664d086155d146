// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// The tests set the times: nothing waits.
class ExchangeTest : public testing::Test {
 protected:
  static WorkerSpec Spec() {
    WorkerSpec spec{.role = "target"};
    spec.limits["parse"] = {.timeout_s = 1};
    spec.limits["lower"] = {.timeout_s = 2};
    return spec;
  }

  std::string Receive(protocol::WorkerMessage message) {
    const Expected<void> taken = exchange_.Receive(std::move(message), now_);
    return taken ? "" : taken.error().message;
  }
  std::string Begin(const std::string& stage) {
    return Receive({"stage", 7, protocol::StageBegin{stage, std::nullopt}});
  }
  std::string End(const std::string& stage) {
    return Receive({"stage", 7, protocol::StageEnd{stage, Status::kPass, 1, ""}});
  }
  std::string Finish() { return Receive({"done", 7, opbyop::protocol::Done{}}); }
  bool late() const { return now_ >= exchange_.deadline(); }

  WorkerSpec spec_ = Spec();
  Exchange::Clock::time_point now_{};
  Exchange exchange_{spec_, 7, "parse", now_};
};

TEST_F(ExchangeTest, StagesThenDoneAreAnAnswer) {
  EXPECT_EQ(Begin("parse") + End("parse") + Begin("lower") + End("lower") + Finish(), "");
  EXPECT_TRUE(exchange_.done());
  EXPECT_EQ(exchange_.answer().stages.size(), 2u);
  EXPECT_EQ(exchange_.answer().stage, "lower");
}

TEST_F(ExchangeTest, TheAnswerToAnotherRequestIsRefused) {
  EXPECT_EQ(Receive({"done", 6, opbyop::protocol::Done{}}), "answered request 6 while 7 was asked");
  EXPECT_EQ(Receive({"done", std::nullopt, opbyop::protocol::Done{}}), "answered request without id while 7 was asked");
}

TEST_F(ExchangeTest, StagesAreDeclaredEndAndComeOnce) {
  EXPECT_EQ(Begin("polish"), "began stage 'polish', which is not declared");
  EXPECT_EQ(Begin("parse"), "");
  EXPECT_EQ(Begin("lower"), "began stage 'lower' within stage 'parse'");
  EXPECT_EQ(End("lower"), "ended stage 'lower', which it had not started");
  EXPECT_EQ(Finish(), "said done within stage parse");
  EXPECT_EQ(End("parse"), "");
  EXPECT_EQ(End("parse"), "ended stage 'parse', which it had not started");
  EXPECT_EQ(Begin("parse"), "began stage 'parse' a second time");
}

TEST_F(ExchangeTest, AReferenceHasItsTwoStages) {
  spec_ = {.role = "reference"};
  EXPECT_EQ(Begin("inputs") + End("inputs") + Begin("compare"), "");
}

TEST_F(ExchangeTest, AStageHasItsTimeFromItsBegin) {
  now_ += milliseconds(900);
  EXPECT_EQ(Begin("parse"), "");
  now_ += milliseconds(900);
  EXPECT_FALSE(late());
  now_ += milliseconds(100);
  EXPECT_TRUE(late());
  EXPECT_EQ(exchange_.WhyLate(), "no end of stage within its limit of 1 s");
}

TEST_F(ExchangeTest, SilenceAfterAStageIsLate) {
  EXPECT_EQ(Begin("parse") + End("parse"), "");
  now_ += milliseconds(1000);
  EXPECT_TRUE(late());
  EXPECT_EQ(exchange_.WhyLate(), "no message within 1 s after the end of stage parse");
}

TEST_F(ExchangeTest, TheRequestIsLateThoughNoStageIs) {
  now_ += milliseconds(900);
  EXPECT_EQ(Begin("parse"), "");
  now_ += milliseconds(900);
  EXPECT_EQ(End("parse"), "");
  now_ += milliseconds(900);
  EXPECT_EQ(Begin("lower"), "");
  EXPECT_FALSE(late());
  now_ += milliseconds(300);
  EXPECT_TRUE(late());
  EXPECT_EQ(exchange_.WhyLate(), "no end of the request within 3 s, the limits of all stages together");
}

TEST_F(ExchangeTest, ALargeCaseHasMoreThanTheLimits) {
  spec_.limits["parse"].memory_mb = 100;
  Exchange exchange(spec_, 7, "parse", now_, {.seconds = 2, .megabytes = 50});
  EXPECT_EQ(exchange.limits().memory_mb, 150);
  EXPECT_EQ(exchange.deadline(), now_ + milliseconds(3000));
  EXPECT_EQ(exchange.WhyLate(), "no end of stage within its limit of 3 s");
}

TEST_F(ExchangeTest, ADeathIsBlamedOnTheStageThatStartedLast) {
  EXPECT_EQ(Begin("parse") + End("parse") + Begin("lower"), "");
  exchange_.End({Status::kCrash, "died of SIGSEGV", 11, {"last line"}}, now_ + milliseconds(5));
  const Answer& answer = exchange_.answer();
  EXPECT_TRUE(answer.died);
  EXPECT_EQ(answer.signal, 11);
  EXPECT_EQ(answer.stage, "lower");
  ASSERT_EQ(answer.stages.size(), 2u);
  EXPECT_EQ(answer.stages[0].status, Status::kPass);
  EXPECT_EQ(answer.stages[1].status, Status::kCrash);
  EXPECT_EQ(answer.stages[1].diagnostic, "died of SIGSEGV");
  EXPECT_EQ(answer.stages[1].ms, 5);
}

TEST_F(ExchangeTest, ADeathBeforeAnyStageIsBlamedOnTheFirst) {
  exchange_.End({Status::kCrash, "died of SIGKILL", 9, {}}, now_);
  ASSERT_EQ(exchange_.answer().stages.size(), 1u);
  EXPECT_EQ(exchange_.answer().stages[0].name, "parse");
}

TEST_F(ExchangeTest, ADeathAfterAStageIsBlamedOnThatStage) {
  EXPECT_EQ(Begin("parse") + End("parse"), "");
  exchange_.End({Status::kCrash, "died of SIGKILL", 9, {}}, now_);
  ASSERT_EQ(exchange_.answer().stages.size(), 1u);
  EXPECT_EQ(exchange_.answer().stages[0].status, Status::kCrash);
}

}  // namespace
}  // namespace opbyop::harness
