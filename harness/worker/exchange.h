// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One request to a worker, from the asking to the answer: rules, no process.
//
//   Exchange exchange(spec, 7, "parse", Clock::now());
//   if (Expected<void> taken = exchange.Receive(message, Clock::now()); !taken) ... it broke the protocol
//   if (exchange.done()) Answer answer = std::move(exchange).answer();
//   if (Clock::now() >= exchange.deadline()) exchange.End({Status::kTimeout, exchange.WhyLate()}, Clock::now());
//
// A stage that the worker declares is begun at most once in a request, and ends before the next begins. Each has its
// time from its begin, and as long again until the next message; the request has the time of all stages together.
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
  Status status = Status::kPass;  // crash, timeout or out_of_memory where the worker died
  std::string diagnostic;
  std::string stage;                     // the stage begun last
  std::vector<StageRecord> stages;       // in order; one that the worker died in has the death's status
  std::vector<int64_t> stage_begins_ns;  // of each of `stages`, on CLOCK_MONOTONIC
  protocol::DoneFields fields;           // empty where the worker died
  int64_t peak_rss_kb = 0;
  int signal = 0;                // that the worker died of by itself
  std::vector<std::string> log;  // last lines printed since the request, where status is not pass
  bool died = false;
  bool unread = false;  // it died, or broke the protocol, before it read any of the request
  std::string left;     // the processes that it left running and that were ended; empty: none
};

// How a worker ended.
struct Death {
  Status status = Status::kCrash;  // crash, timeout or out_of_memory
  std::string diagnostic;
  int signal = 0;
  std::vector<std::string> log = {};
  bool unread = false;  // as of an Answer
};

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  // `spec` must outlive the exchange. `first_stage` is blamed and its limits hold until a stage begins.
  Exchange(const WorkerSpec& spec, int64_t id, std::string_view first_stage, Clock::time_point now);

  // What a message of the worker means for the request. The error's message says how it breaks the protocol and goes
  // on from "it".
  Expected<void> Receive(protocol::WorkerMessage message, Clock::time_point now);

  bool done() const { return done_; }

  // When the worker has had its time.
  Clock::time_point deadline() const { return std::min(stage_deadline_, request_deadline_); }
  // What had no end by then.
  std::string WhyLate() const;

  // The limits of the stage that began last.
  const Limits& limits() const { return spec_->LimitsOf(limited_stage_); }

  // Ends the request with the worker.
  void End(Death death, Clock::time_point now);

  // Whole once the request is done or ended.
  Answer& answer() { return answer_; }

 private:
  Expected<void> On(protocol::StageBegin begin, Clock::time_point now);
  Expected<void> On(protocol::StageEnd end, Clock::time_point now);
  Expected<void> On(protocol::Done done, Clock::time_point now);
  Expected<void> On(const protocol::Greeting& greeting, Clock::time_point now);
  void LimitBy(std::string_view stage, Clock::time_point now);

  const WorkerSpec* spec_;
  int64_t id_;
  Answer answer_;
  bool in_stage_ = false;
  bool done_ = false;
  Clock::time_point stage_begin_;
  int64_t stage_begin_ns_ = 0;  // by the worker, where it says so
  std::string limited_stage_;   // whose limits hold
  Clock::time_point stage_deadline_;
  Clock::time_point request_deadline_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_EXCHANGE_H_
