// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/worker_server.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/frame.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

class TwoStages : public WorkerHandler {
 public:
  Reply Handle(const Request& request, StageEvents& events) override {
    seen.push_back(request);
    if (!std::holds_alternative<CompileVerb>(request.verb)) return Reply::Unsupported("it only compiles");
    const Expected<int> parsed = events.Run("parse", [] { return Expected<int>(7); });
    const Expected<void> lowered = events.Run(
        "lower", []() -> Expected<void> { return MakeError(ExitCode::kBadInput, "no kernel\nsecond line"); });
    if (!parsed || !lowered) return Reply::Of(lowered.error());
    return {};
  }
  std::vector<Request> seen;
};

// Its first request takes 256 MB, which it gives back.
class LargeAtFirst : public WorkerHandler {
 public:
  Reply Handle(const Request& /*request*/, StageEvents& /*events*/) override {
    if (!std::exchange(first_, false)) return {};
    constexpr size_t kBytes = size_t{256} << 20;
    void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    std::memset(memory, 'x', kBytes);
    ::munmap(memory, kBytes);
    return {};
  }

 private:
  bool first_ = true;
};

std::vector<std::string> TwoRequests() { return {R"({"id":1,"verb":"dance"})", R"({"id":2,"verb":"dance"})"}; }

// Returns all messages that the worker sends for these requests.
std::vector<Json> Exchange(WorkerHandler& handler, const std::vector<std::string>& requests, int* exit_code) {
  std::array<int, 2> in, out;
  EXPECT_EQ(::pipe(in.data()) + ::pipe(out.data()), 0);
  for (const std::string& request : requests) EXPECT_TRUE(WriteFrame(in[1], request));
  ::close(in[1]);
  std::thread server([&] {
    *exit_code = ServeWorker({"target", "demo", "1.2"}, handler, in[0], out[1]);
    ::close(out[1]);
  });
  std::vector<Json> messages;
  while (true) {
    const auto frame = ReadFrame(out[0]);
    if (!frame || !frame->has_value()) break;
    messages.push_back(Json::parse(**frame));
  }
  server.join();
  ::close(in[0]);
  ::close(out[0]);
  return messages;
}

TEST(WorkerServerTest, SaysHelloAndLeavesWhenNothingIsAsked) {
  TwoStages handler;
  int exit_code = -1;
  const std::vector<Json> messages = Exchange(handler, {}, &exit_code);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], (Json{{"event", "hello"},
                               {"protocol", "opbyop-worker/1"},
                               {"role", "target"},
                               {"name", "demo"},
                               {"version", "1.2"}}));
  EXPECT_EQ(exit_code, 0);
}

TEST(WorkerServerTest, ReportsStagesThenDone) {
  TwoStages handler;
  int exit_code = -1;
  Request request;
  request.id = 5;
  request.verb = CompileVerb{};
  request.case_id = "add_2_f32_00000000";
  request.file = "/a/b.mlir";
  request.dir = "/scratch";
  request.seed = 1ull << 60;
  const std::vector<Json> messages = Exchange(handler, {ToJson(request)}, &exit_code);
  ASSERT_EQ(messages.size(), 6u);
  const int64_t ns = messages[1].value("ns", int64_t{0});
  EXPECT_GT(ns, 0);
  EXPECT_EQ(messages[1], (Json{{"id", 5}, {"event", "stage"}, {"stage", "parse"}, {"state", "begin"}, {"ns", ns}}));
  EXPECT_EQ(messages[2]["status"], "pass");
  EXPECT_FALSE(messages[2].contains("diagnostic"));
  EXPECT_EQ(messages[4]["status"], "fail");
  EXPECT_EQ(messages[4]["diagnostic"], "no kernel");
  EXPECT_EQ(messages[5]["event"], "done");
  EXPECT_EQ(messages[5]["status"], "fail");
  EXPECT_EQ(messages[5]["diagnostic"], "no kernel");
  EXPECT_GT(messages[5]["peak_rss_kb"], 0);
  ASSERT_EQ(handler.seen.size(), 1u);
  EXPECT_EQ(handler.seen[0].file, "/a/b.mlir");
  EXPECT_EQ(handler.seen[0].seed, 1ull << 60);
}

TEST(WorkerServerTest, AnUnknownVerbIsUnsupportedAndTheWorkerContinues) {
  TwoStages handler;
  int exit_code = -1;
  const std::vector<Json> messages = Exchange(handler, TwoRequests(), &exit_code);
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1]["status"], "unsupported");
  EXPECT_EQ(messages[2]["id"], 2);
}

TEST(WorkerServerTest, ThePeakOfMemoryIsThatOfTheRequest) {
  LargeAtFirst handler;
  int exit_code = -1;
  const std::vector<Json> messages = Exchange(handler, TwoRequests(), &exit_code);
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_GE(messages[1].value("peak_rss_kb", int64_t{0}), 256 << 10);
  EXPECT_LE(messages[2].value("peak_rss_kb", int64_t{0}), messages[1].value("peak_rss_kb", int64_t{0}) - (200 << 10));
}

TEST(WorkerServerTest, ARequestThatIsNoJsonEndsTheWorker) {
  TwoStages handler;
  int exit_code = -1;
  EXPECT_EQ(Exchange(handler, {"garbage"}, &exit_code).size(), 1u);
  EXPECT_EQ(exit_code, static_cast<int>(ExitCode::kBadInput));
}

}  // namespace
}  // namespace opbyop::protocol
