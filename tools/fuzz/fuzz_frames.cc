// Fuzz target: whatever a worker replies, the parent has an answer; whatever a parent sends, the worker has a request
// or a refusal. The first byte of an input says in what pieces the rest of it comes.
#include <array>

#include "harness/frame.h"
#include "harness/worker.h"
#include "harness/worker_server.h"
#include "tools/fuzz/fuzz_file.h"

namespace opbyop {
namespace {

// A worker that says hello, waits for a request, and replies with the file's bytes.
Answer AnswerOf(const std::filesystem::path& replies) {
  static const std::filesystem::path hello = [] {
    const std::string text = R"({"event":"hello","protocol":"opbyop-worker/1","role":"target","name":"fuzz"})";
    std::string frame = {static_cast<char>(text.size()), 0, 0, 0};
    frame += text;
    return FuzzFile("hello", reinterpret_cast<const uint8_t*>(frame.data()), frame.size());
  }();
  const std::string program = "cat \"$0\" >&3; head -c 4 >/dev/null; exec cat \"$1\" >&3";
  Worker worker({.role = "target", .argv = {"sh", "-c", program, hello.string(), replies.string()}});
  worker.Launch();
  const std::array<Worker*, 1> workers = {&worker};
  Worker::Drive(workers);
  if (!worker.alive()) __builtin_trap();
  worker.Send({.verb = "compile"}, "parse");
  Worker::Drive(workers);
  return worker.Take();
}

}  // namespace
}  // namespace opbyop

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  FrameReader reader;
  const size_t piece = data[0] % 16 + 1;
  size_t taken = 0;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.Append(bytes.substr(at, piece));
    while (const std::optional<std::string> frame = reader.Next()) {
      taken += 4 + frame->size();
      const Expected<Request> request = ParseRequest(*frame);
      if (!request && request.error().message.empty()) __builtin_trap();
      if (request) ToJson(*request);
    }
  }
  if (!reader.broken() && taken + reader.pending() != bytes.size()) __builtin_trap();
  const Answer answer = AnswerOf(FuzzFile("replies", data + 1, size - 1));
  if (answer.died && answer.diagnostic.empty()) __builtin_trap();
  return 0;
}
