// A warm worker process as the parent sees it: one request at a time, an answer for every one of them,
// whatever the worker does.
//
//   Worker worker({.role = "target", .argv = {"opbyop-worker", "--target=host.yaml"}});
//   worker.Launch();
//   Worker::Drive({{&worker}});                  // until it said hello or is known not to
//   if (worker.start_error()) ...
//   worker.Send(request, "parse");
//   Worker::Drive({{&worker}});                  // until the answer is there
//   Answer answer = worker.Take();
//
// Each stage has its limits, counted from its begin event. A worker that dies, breaks the protocol, outlasts
// its time or outgrows its memory is killed with all that it started; the answer says so and `alive()` is
// false until the next Launch.
#ifndef OPBYOP_HARNESS_WORKER_H_
#define OPBYOP_HARNESS_WORKER_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/frame.h"
#include "harness/process.h"
#include "harness/worker_server.h"
#include "manifests/result.h"
#include "manifests/target.h"
#include "support/tensor_type.h"

namespace opbyop {

struct WorkerSpec {
  std::string role;  // what its hello must say
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::map<std::string, Limits, std::less<>> limits;  // by stage
  Limits fallback;                                    // of stages not named there
  double hello_timeout_s = 30;
  std::chrono::milliseconds grace{100};  // between SIGTERM and SIGKILL
};

// What starts a target's worker: {bin} (the programs' folder), {root} (the project's) and {file} filled in, its flags
// and the limits of its stages.
WorkerSpec TargetWorkerSpec(const Target& target, const std::string& bin, const std::string& root);

// `inputs` and `outputs` of a request, for workers that cannot ask MLIR for the signature.
nlohmann::json TypesToJson(const std::vector<TensorType>& types);

struct Answer {
  Status status = Status::kPass;  // crash, timeout or out_of_memory where the worker died
  std::string diagnostic;
  std::string stage;                     // the stage begun last
  std::vector<StageRecord> stages;       // in order; one that the worker died in has the death's status
  std::vector<int64_t> stage_begins_ns;  // of each of `stages`, on CLOCK_MONOTONIC
  nlohmann::json payload;                // the whole `done` message; null where the worker died
  int64_t peak_rss_kb = 0;
  int signal = 0;                // that the worker died of by itself
  std::vector<std::string> log;  // last lines printed since the request, where status is not pass
  bool died = false;
};

class Worker {
 public:
  explicit Worker(WorkerSpec spec);
  ~Worker();  // Stop

  // Starts the process; `busy` until Drive has seen its hello. Ends one that is still there.
  void Launch();

  bool alive() const { return process_ != nullptr; }

  // Alive and waiting for a request. Notices a worker that died while nobody asked anything of it.
  bool Ready();

  bool busy() const { return state_ == State::kStarting || state_ == State::kWorking; }
  const Hello& hello() const { return hello_; }

  // Why the last Launch failed, with the end of what the program printed.
  const std::optional<Error>& start_error() const { return start_error_; }

  // Sends a request (its id is set here). `first_stage` is blamed and its limits hold until the first begin
  // event. The worker must be alive and not busy.
  void Send(Request request, std::string_view first_stage);

  // Waits until at least one of the busy workers is no longer busy; returns at once where none is.
  static void Drive(std::span<Worker* const> workers);

  // The answer to the last Send.
  Answer Take();

  // Ends it: end of requests, a moment to leave, then kill. Nothing that it started stays.
  void Stop();

  int requests_served() const { return requests_served_; }
  int64_t RssKb() const { return process_ ? process_->RssKb() : 0; }

 private:
  enum class State { kDown, kStarting, kIdle, kWorking };
  using Clock = std::chrono::steady_clock;

  const Limits& LimitsOf(std::string_view stage) const;
  void SetDeadline(std::string_view stage);
  void ReadReplies();
  void OnFrame(const std::string& frame);
  void OnHello(const nlohmann::json& message);
  void OnStage(const nlohmann::json& message);
  void OnDone(nlohmann::json message);
  void CheckClocksAndMemory(bool look_at_memory);
  void OnClosed();
  void ProtocolError(const std::string& what);
  // Ends the process and the request in hand.
  void Die(Status status, const std::string& diagnostic, int signal);

  WorkerSpec spec_;
  std::unique_ptr<Process> process_;
  FrameReader reader_;
  State state_ = State::kDown;
  Hello hello_;
  std::optional<Error> start_error_;
  int64_t id_ = 0;
  Answer answer_;
  bool in_stage_ = false;
  Clock::time_point stage_begin_;
  int64_t stage_begin_ns_ = 0;  // by the worker, where it told
  Clock::time_point deadline_;
  std::string limited_stage_;  // whose limits hold
  int64_t sampled_rss_kb_ = 0;
  int requests_served_ = 0;
};

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_WORKER_H_
