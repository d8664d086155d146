// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A warm worker process as the parent sees it: one request at a time, an answer for every one of them,
// whatever the worker does.
//
//   Worker worker({.role = "target", .argv = {"opbyop-worker", "--target=host.yaml"}});
//   if (Expected<void> ready = worker.Start(); !ready) ...
//   Answer answer = worker.Call(request, "parse");
//
// Several at a time, or one beside other work:
//
//   worker.Send(request, "parse");
//   Worker::Drive({{&worker, &another}});        // until one of them has its answer
//   Answer answer = worker.TakeAnswer();
//
// What a request started is ended before the next one, unless the spec says that it is kept: nothing of one case can
// read the requests of another, or take its processor from it. What the worker had started by its hello is its own.
//
// A worker that dies, breaks the protocol, exceeds its time or its memory is killed with all that it
// started; the answer says so and `alive()` is false until the next Launch. Only a state in which a process runs has
// the connection to one, and only the idle state takes a request to it: whoever asks a worker that is gone, which it
// may be since a moment ago, gets how it went as the answer.
#ifndef OPBYOP_HARNESS_WORKER_WORKER_H_
#define OPBYOP_HARNESS_WORKER_WORKER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "harness/worker/exchange.h"
#include "harness/worker/worker_connection.h"
#include "harness/worker/worker_spec.h"
#include "protocol/worker_message.h"
#include "protocol/worker_server.h"
#include "support/expected.h"
#include "support/process/strays.h"

namespace opbyop::harness {

class Worker {
 public:
  explicit Worker(WorkerSpec spec);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  // Stop

  // Starts the process; `busy` until Drive has seen its hello. Ends one that is still there.
  void Launch();

  // Up and ready, whatever that takes: launched where it is not, and its hello seen. An error says why it cannot be.
  Expected<void> Start();

  // Another process in its place, launched and its hello seen. False where it cannot be: start_error() says why.
  bool Restart();

  bool alive() const { return connection() != nullptr; }

  // Alive and waiting for a request. Notices a worker that died while nobody asked anything of it.
  bool Ready();

  bool busy() const { return std::holds_alternative<Starting>(state_) || std::holds_alternative<Working>(state_); }
  const protocol::Hello& hello() const { return hello_; }

  // Why the last Launch failed, with the end of what the program printed.
  const std::optional<Error>& start_error() const { return start_error_; }

  // The end of what a worker printed that is no longer there; empty while it is.
  std::vector<std::string> last_words() const;

  // Sends a request (its id is set here). `first_stage` is blamed and its limits hold until the first begin
  // event. A worker that is not there answers at once, as a crash with the reason. One that is busy is ended.
  void Send(protocol::Request request, std::string_view first_stage);

  // Waits until at least one of the busy workers is no longer busy; returns at once where none is.
  static void Drive(std::span<Worker* const> workers);

  // Drives them until none is busy.
  static void WaitAll(std::span<Worker* const> workers);
  void Wait();

  // The answer to the last Send.
  Answer TakeAnswer();

  // Send, Wait and TakeAnswer.
  Answer Call(protocol::Request request, std::string_view first_stage);

  // Ends it: end of requests, a moment to leave, then kill. Nothing that it started stays.
  void Stop();

  int requests_served() const { return requests_served_; }

  // How often it has been launched: two requests with the same number went to the same process.
  int launches() const { return launches_; }
  int64_t RssKb() const { return alive() ? connection()->process().RssKb() : 0; }

 private:
  using Clock = Exchange::Clock;

  struct Down {
    Death death;  // of the worker that was there last
  };
  struct Starting {
    WorkerConnection connection;
    Clock::time_point deadline;
  };
  struct Idle {
    WorkerConnection connection;
  };
  struct Working {
    WorkerConnection connection;
    Exchange exchange;
  };

  const WorkerConnection* connection() const;
  WorkerConnection* connection();
  Clock::time_point deadline() const;

  // What poll() has found, then a look at the clock and, where asked for, at the memory.
  void OnEvents(bool log, bool replies, bool request, bool look_at_memory);
  void ReadReplies();
  void OnFrame(std::string_view frame);
  void OnGreeting(Starting& starting, protocol::Greeting greeting);
  void OnReply(Working& working, protocol::WorkerMessage message);
  void OnTimeUp();
  // Ends what the last request left running. False where that cannot be done, or where there is more in the reply pipe
  // than the answer: the worker has been ended with them.
  bool EndStrays(std::string& left);
  void CheckMemory();
  void OnClosed();
  void ProtocolError(const std::string& what);
  // " while idle after stage lower"; empty while busy.
  std::string WhileIdle() const;
  // It has read nothing of a request that it has not answered.
  bool Unread() const;
  // Ends the process, and the request if there is one.
  void Die(Death death);

  bool is_reference() const { return spec_.role == "reference"; }

  WorkerSpec spec_;
  std::variant<Down, Starting, Idle, Working> state_;
  protocol::Hello hello_;
  std::optional<Error> start_error_;
  int64_t id_ = 0;
  Answer answer_;
  std::optional<Strays> strays_;  // since its hello; nullopt where helpers are kept
  std::string last_stage_;        // of the last request
  std::string last_case_;         // of the last request
  std::filesystem::path dir_;     // of the request: files there that lie in memory count as the worker's
  int64_t sampled_rss_kb_ = 0;
  int requests_served_ = 0;
  int launches_ = 0;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_H_
