// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One request to a worker, from its start to the answer. Checks messages against the protocol; starts no process.
//
//   Exchange exchange(spec, 7, "parse", Clock::now());
//   if (Expected<void> taken = exchange.Receive(message, Clock::now()); !taken) ... the worker broke the protocol
//   if (exchange.done()) Answer answer = std::move(exchange).answer();
//   if (Clock::now() >= exchange.deadline()) exchange.End({Status::kTimeout, exchange.WhyLate()}, Clock::now());
//
// A stage that the worker declares starts at most once in a request, and ends before the next starts. Each stage has
// its timeout from its start, and as long again until the next message. The request has the timeouts of all stages
// together.
#ifndef OPBYOP_HARNESS_WORKER_EXCHANGE_H_
#define OPBYOP_HARNESS_WORKER_EXCHANGE_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/worker/worker_spec.h"
#include "manifests/results/result.h"
#include "protocol/worker_message.h"

namespace opbyop::harness {

struct Answer {
  Status status = Status::kPass;  // crash, timeout or out_of_memory if the worker died
  std::string diagnostic;
  std::string stage;                     // the stage that started last
  std::vector<StageRecord> stages;       // in order; a stage in which the worker died has the death's status
  std::vector<int64_t> stage_begins_ns;  // start of each of `stages`, on CLOCK_MONOTONIC
  protocol::DoneFields fields;           // empty if the worker died
  int64_t peak_rss_kb = 0;
  double cpu_ms = 0;             // processor time of the worker's process since the request
  int signal = 0;                // that ended the worker, unless it was killed from here
  std::vector<std::string> log;  // last lines printed since the request, if status is not pass
  bool died = false;
  bool unread = false;  // it died, or broke the protocol, before it read any of the request
  std::string left;     // processes that it left running and that were ended; empty: none
};

// How a worker ended.
struct Death {
  Status status = Status::kCrash;  // crash, timeout or out_of_memory
  std::string diagnostic;
  int signal = 0;
  std::vector<std::string> log = {};
  bool unread = false;  // as in Answer
};

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  // `spec` must outlive the exchange. Until a stage starts, `first_stage` is blamed and its limits apply. `extra` adds to
  // all limits.
  Exchange(const WorkerSpec& spec, int64_t id, std::string_view first_stage, Clock::time_point now,
           const ExtraLimits& extra = {});

  // Applies a message of the worker. The error's message says how the worker breaks the protocol; it is a clause whose
  // subject is "it".
  Expected<void> Receive(protocol::WorkerMessage message, Clock::time_point now);

  bool done() const { return done_; }

  // The time when the worker must have answered or sent its next message.
  Clock::time_point deadline() const { return std::min(stage_deadline_, request_deadline_); }
  // Says what had not ended by the deadline.
  std::string WhyLate() const;

  // Returns the limits of the stage that started last, with the extra ones.
  Limits limits() const;

  // Ends the request because the worker died.
  void End(Death death, Clock::time_point now);

  // Complete once the request is done or ended.
  Answer& answer() { return answer_; }

 private:
  Expected<void> On(protocol::StageBegin begin, Clock::time_point now);
  Expected<void> On(protocol::StageEnd end, Clock::time_point now);
  Expected<void> On(protocol::Done done, Clock::time_point now);
  Expected<void> On(const protocol::Greeting& greeting, Clock::time_point now);
  void LimitBy(std::string_view stage, Clock::time_point now);
  double RequestTimeoutS() const { return spec_->RequestTimeoutS() + extra_.seconds; }

  const WorkerSpec* spec_;
  int64_t id_;
  ExtraLimits extra_;
  Answer answer_;
  bool in_stage_ = false;
  bool done_ = false;
  Clock::time_point stage_begin_;
  int64_t stage_begin_ns_ = 0;  // as the worker says; 0 if it does not
  std::string limited_stage_;   // the stage whose limits apply
  Clock::time_point stage_deadline_;
  Clock::time_point request_deadline_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_EXCHANGE_H_
