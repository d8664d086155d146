// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A warm worker process. It serves one request at a time, and every request gets an answer, whatever the worker does.
//
//   Worker worker({.role = "target", .argv = {"opbyop-worker", "--target=host.yaml"}});
//   if (Expected<void> ready = worker.Start(); !ready) ...
//   Answer answer = worker.Call(request, "parse");
//
// Several workers at a time, or one in parallel with other work:
//
//   worker.Send(request, "parse");
//   Worker::WaitForAny({{&worker, &another}});   // until one of them has its answer
//   Answer answer = worker.TakeAnswer();
//
// Processes that a request started are ended before the next one, unless the spec keeps them. So nothing of one case
// can read the requests of another or use its processor time. Processes that the worker started before its hello are
// kept.
//
// A worker that dies, breaks the protocol, exceeds its time or its memory is killed with all that it started. The
// answer says so, and `alive()` is false until the next Launch. Only states with a running process have a connection,
// and only the idle state accepts a request. A request to a worker that has died, perhaps a moment ago, is answered
// with the reason of its death.
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

  // Starts the process; `busy` until WaitForAny has seen its hello. Ends a process that is still running.
  void Launch();

  // Makes the worker ready: launches it if it is not running, and waits for its hello. The error says why it is not
  // ready.
  Expected<void> Start();

  // Replaces the process and waits for the new one's hello. False if that fails: start_error() says why.
  bool Restart();

  bool alive() const { return connection() != nullptr; }

  // True if it is alive and idle. Notices a worker that died while idle.
  bool Ready();

  bool busy() const { return std::holds_alternative<Starting>(state_) || std::holds_alternative<Working>(state_); }
  const protocol::Hello& hello() const { return hello_; }

  // Why the last Launch failed, with the last lines that the program printed.
  const std::optional<Error>& start_error() const { return start_error_; }

  // The last lines that a dead worker printed; empty while it is alive.
  std::vector<std::string> last_words() const;

  // Adds to the limits of all later requests, until it is called again.
  void Allow(const ExtraLimits& extra) { extra_ = extra; }

  // Sends a request and sets its id. Until the first begin event, `first_stage` is blamed and its limits apply. A
  // worker that is dead answers at once, as a crash with the reason. One that is busy is ended.
  void Send(protocol::Request request, std::string_view first_stage);

  // Waits until at least one of the busy workers is no longer busy; returns at once if none is busy.
  static void WaitForAny(std::span<Worker* const> workers);

  // Waits until none of them is busy.
  static void WaitAll(std::span<Worker* const> workers);
  void Wait();

  // The answer to the last Send.
  Answer TakeAnswer();

  // Send, Wait and TakeAnswer.
  Answer Call(protocol::Request request, std::string_view first_stage);

  // Ends the worker: closes its requests, waits a moment, then kills it. Nothing that it started keeps running.
  void Stop();

  int requests_served() const { return requests_served_; }

  // How often it has been launched. Two requests with the same number went to the same process.
  int launches() const { return launches_; }
  int64_t RssKb() const { return alive() ? connection()->process().RssKb() : 0; }

 private:
  using Clock = Exchange::Clock;

  struct Down {
    Death death;  // of the last process
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

  // Handles what poll() found, then checks the clock and, if asked to, the memory.
  void OnEvents(bool log, bool replies, bool request, bool look_at_memory);
  void ReadReplies();
  void OnFrame(std::string_view frame);
  void OnGreeting(Starting& starting, protocol::Greeting greeting);
  void OnReply(Working& working, protocol::WorkerMessage message);
  void OnTimeUp();
  // Ends processes that the last request left running. False if that fails, or if the reply pipe holds more than the
  // answer: then the worker has been ended with them.
  bool EndStrays(std::string& left);
  void CheckMemory();
  void OnClosed();
  void ProtocolError(const std::string& what);
  // Returns " while idle after stage lower"; empty while busy.
  std::string WhileIdle() const;
  // True if the worker has read none of its current request.
  bool Unread() const;
  // Ends the process, and answers the request if there is one.
  void Die(Death death);

  bool is_reference() const { return spec_.role == "reference"; }

  WorkerSpec spec_;
  ExtraLimits extra_;
  std::variant<Down, Starting, Idle, Working> state_;
  protocol::Hello hello_;
  std::optional<Error> start_error_;
  int64_t id_ = 0;
  Answer answer_;
  std::optional<Strays> strays_;  // since its hello; nullopt if helpers are kept
  std::string last_stage_;        // of the last request
  std::string last_case_;         // of the last request
  // The folder of the request. Files in it that are in memory count as memory of the worker.
  std::filesystem::path dir_;
  int64_t sampled_rss_kb_ = 0;
  double cpu_ms_ = 0;  // of the process when it was sent the request
  int requests_served_ = 0;
  int launches_ = 0;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_H_
