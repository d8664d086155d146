// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/worker/worker_executor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::worker {
namespace {

using protocol::Reply;
using protocol::Request;
using protocol::StageEvents;
using protocol::WorkerMessage;
using testing::ElementsAre;
using testing::HasSubstr;

// A small worker: `after_hello` is Python code that can call next(), which returns a request's fields, and
// say(**fields).
constexpr std::string_view kWorker = R"(
import json, os, struct, sys, time
def say(**fields):
    body = json.dumps(fields).encode()
    os.write(int(os.environ["OPBYOP_REPLY_FD"]), struct.pack("<I", len(body)) + body)
def next():
    (length,) = struct.unpack("<I", sys.stdin.buffer.read(4) or sys.exit(0))
    return json.loads(sys.stdin.buffer.read(length))
def stage(request, name, state, **fields):
    say(id=request["id"], event="stage", stage=name, state=state, **fields)
def hello(**fields):
    say(event="hello", protocol="opbyop-worker/1", role="target", name="chip", version="1", **fields)
)";

class WorkerExecutorTest : public testing::Test {
 protected:
  WorkerExecutorTest() { [[maybe_unused]] const int done = ::pipe(pipe_); }
  ~WorkerExecutorTest() override {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  Expected<std::unique_ptr<WorkerExecutor>> Start(const std::string& body, double hello_timeout_s = 20) {
    const std::filesystem::path file = folder_.path() / "worker.py";
    EXPECT_TRUE(WriteFile(file, std::string(kWorker) + body));
    return WorkerExecutor::Start({.argv = {"python3", file.string()}, .hello_timeout_s = hello_timeout_s});
  }

  // The worker's reply to one request; `body` is its Python code. The stage events are in `events_` afterwards.
  Reply Ask(const std::string& body) {
    auto executor = Start("hello()\n" + body);
    EXPECT_TRUE(executor) << executor.error().message;
    return executor ? Ask(**executor) : Reply{};
  }

  Reply Ask(WorkerExecutor& executor) {
    StageEvents events(pipe_[1], 7);
    Reply reply =
        executor.Execute({.id = 7, .verb = protocol::ExecuteVerb{.artifact = "/a/add.bin"}, .case_id = "add"}, events);
    ReadEvents();
    return reply;
  }

  void ReadEvents() {
    ::fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
    protocol::FrameReader reader;
    std::string bytes(1 << 16, '\0');
    const ssize_t count = ::read(pipe_[0], bytes.data(), bytes.size());
    if (count > 0) reader.Append(std::string_view(bytes).substr(0, static_cast<size_t>(count)));
    while (const auto frame = reader.Next()) {
      const Expected<WorkerMessage> message = protocol::ParseWorkerMessage(*frame);
      ASSERT_TRUE(message) << message.error().message;
      if (const auto* begin = std::get_if<protocol::StageBegin>(&message->body)) events_.push_back(begin->stage);
      if (const auto* end = std::get_if<protocol::StageEnd>(&message->body))
        events_.emplace_back(ToString(end->status));
    }
  }

  TestFolder folder_;
  std::vector<std::string> events_;
  int pipe_[2] = {-1, -1};
};

TEST_F(WorkerExecutorTest, PassesOnTheWorkersMessages) {
  const Reply reply = Ask(R"(
request = next()
assert request["artifact"] == "/a/add.bin" and request["case"] == "add"
stage(request, "load", "begin"); stage(request, "load", "end", status="pass", ms=1)
stage(request, "execute", "begin"); stage(request, "execute", "end", status="fail", ms=1, diagnostic="no")
say(id=request["id"], event="done", status="fail", diagnostic="no", artifact_bytes=12, spans="load 0 1 2\n",
    timing={"n": 3, "min_us": 1, "median_us": 2, "p95_us": 3}, longest_ns=9)
)");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_EQ(reply.diagnostic, "no");
  EXPECT_THAT(events_, ElementsAre("load", "pass", "execute", "fail"));
  EXPECT_EQ(reply.payload["artifact_bytes"], 12);
  EXPECT_EQ(reply.payload["timing"]["n"], 3);
  EXPECT_EQ(reply.payload["spans"], "load 0 1 2\n");
  EXPECT_EQ(reply.payload["longest_ns"], 9);
}

TEST_F(WorkerExecutorTest, ADeathIsACrashOfTheStageWithItsLastWords) {
  const Reply reply = Ask(R"(
request = next()
stage(request, "load", "begin"); stage(request, "load", "end", status="pass", ms=1)
stage(request, "execute", "begin")
print("TT_FATAL: the cause", flush=True)
os.abort()
)");
  EXPECT_EQ(reply.status, Status::kCrash);
  EXPECT_THAT(reply.diagnostic, HasSubstr("the device's worker died of SIGABRT (Aborted): TT_FATAL: the cause"));
  EXPECT_THAT(events_, ElementsAre("load", "pass", "execute", "crash"));
}

TEST_F(WorkerExecutorTest, ADeathBeforeAnyStageIsACrashOfLoad) {
  EXPECT_THAT(Ask("next()\nsys.exit(1)\n").diagnostic, HasSubstr("ended with exit code 1"));
  EXPECT_THAT(events_, ElementsAre("load", "crash"));
}

TEST_F(WorkerExecutorTest, TheNextCaseHasANewWorker) {
  const auto executor = Start(R"(
hello()
request = next()
if not os.path.exists(sys.argv[0] + ".second"):
    open(sys.argv[0] + ".second", "w")
    os.abort()
say(id=request["id"], event="done", status="pass")
)");
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_EQ(Ask(**executor).status, Status::kCrash);
  EXPECT_EQ(Ask(**executor).status, Status::kPass);
}

TEST_F(WorkerExecutorTest, AWorkerThatIsNotInstalledExecutesNothing) {
  const auto executor = Start("print('tt-mlir has no Python module here', file=sys.stderr)\nsys.exit(127)\n");
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_EQ((*executor)->CompileOnly(), "tt-mlir has no Python module here");
}

TEST_F(WorkerExecutorTest, AWorkerWithoutItsBoardSaysSo) {
  const auto executor = Start("hello(compile_only='no board')\nnext()\n");
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_EQ((*executor)->CompileOnly(), "no board");
}

TEST_F(WorkerExecutorTest, ABrokenWorkerIsAnError) {
  EXPECT_THAT(Start("raise ImportError('libtt_metal.so')\n").error().message, HasSubstr("libtt_metal.so"));
  EXPECT_THAT(Start("say(event='hello', protocol='other/1', role='target', name='x', version='1')\n").error().message,
              HasSubstr("does not greet as a target worker"));
  EXPECT_THAT(Start("time.sleep(100)\n", 0.2).error().message, HasSubstr("said nothing for 0.2 s"));
}

TEST_F(WorkerExecutorTest, AMissingProgramExecutesNothing) {
  const auto executor = WorkerExecutor::Start({.argv = {"no-such-program"}});
  ASSERT_TRUE(executor) << executor.error().message;
  EXPECT_THAT((*executor)->CompileOnly(), HasSubstr("no-such-program"));
}

TEST_F(WorkerExecutorTest, AnInvalidMessageIsACrash) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"say(id=8, event='done', status='pass')", "answered another request"},
      {"say(id=7, event='done', status='splendid')", "broke the protocol"},
      {"stage(request, 'load', 'end', status='pass', ms=1)", "ended load, which had not started"},
      {"stage(request, 'load', 'begin'); stage(request, 'execute', 'begin')", "began execute within another stage"},
      {"stage(request, 'load', 'begin'); say(id=7, event='done', status='pass')", "done within a stage"},
      {"hello(id=7)", "greeted twice"},
      {"os.write(int(os.environ['OPBYOP_REPLY_FD']), b'\\xff\\xff\\xff\\xff')", "too long"},
      {"os.close(int(os.environ['OPBYOP_REPLY_FD'])); time.sleep(100)", "closed its reply pipe"}};
  for (const auto& [line, words] : cases) {
    const Reply reply = Ask("request = next()\n" + line + "\nnext()\n");
    EXPECT_EQ(reply.status, Status::kCrash) << line;
    EXPECT_THAT(reply.diagnostic, HasSubstr(words)) << line;
  }
}

TEST_F(WorkerExecutorTest, EndlessOutputDoesNotBlock) {
  const Reply reply = Ask(R"(
request = next()
print("x" * (4 << 20), flush=True)
say(id=request["id"], event="done", status="pass")
)");
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
}

TEST_F(WorkerExecutorTest, TheWorkerMayEndByItself) {
  {
    const auto executor = Start(
        "hello()\nwhile True:\n  try: next()\n  except SystemExit: break\n"
        "open(sys.argv[0] + '.closed', 'w')\n");
    ASSERT_TRUE(executor) << executor.error().message;
  }
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "worker.py.closed"));
}

}  // namespace
}  // namespace opbyop::worker
