// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A message from a worker, as a value. Everything that the parent learns from a worker is parsed here: whatever the
// worker wrote, the value is well-formed, of known types and of bounded size (docs/worker-protocol.md).
//
//   Expected<WorkerMessage> message = ParseWorkerMessage(frame);
//   if (!message) ... "the worker broke the protocol: it " + message.error().message
//   if (const auto* done = std::get_if<Done>(&message->body)) ...
#ifndef OPBYOP_PROTOCOL_WORKER_MESSAGE_H_
#define OPBYOP_PROTOCOL_WORKER_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifests/results/result.h"
#include "manifests/status/status.h"
#include "protocol/hello.h"
#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::protocol {

// A message that exceeds one of these breaks the protocol.
inline constexpr size_t kMaxMessageDepth = 32;
inline constexpr size_t kMaxMessageValues = 1 << 20;
inline constexpr size_t kMaxTensors = 1 << 16;  // comparisons, digests of inputs
inline constexpr size_t kMaxWorstElements = 16;
inline constexpr size_t kMaxRank = 64;
inline constexpr size_t kMaxSpansBytes = 4 << 20;

inline constexpr size_t kMaxProperties = 64;  // in a hello; also figures in a `cost` or a `memory`

// Longer text is cut, with a mark that says so (support/text/safe_text.h).
inline constexpr size_t kMaxVersionBytes = 1000;
inline constexpr size_t kMaxNameBytes = 200;

struct Greeting {
  std::string protocol;
  Hello hello;
};

struct StageBegin {
  std::string stage;
  std::optional<int64_t> ns;  // on CLOCK_MONOTONIC
};

struct StageEnd {
  std::string stage;
  Status status = Status::kPass;
  double ms = 0;
  std::string diagnostic;
};

// A program that the reference can judge in place of a case that is too much for it.
struct SmallerProgram {
  std::string program;  // StableHLO text; empty: there is none
  std::string what;     // how it differs from the case: "3 of 32 trips"
  std::vector<TensorType> inputs, outputs;
};

// The fields of a `done` message.
struct DoneFields {
  std::optional<int64_t> artifact_bytes;
  bool kept = false;
  bool saved = false;   // compile: the artifact is in the file that the request named
  bool loaded = false;  // execute: the artifact came from the file that the request named
  Timing timing;        // n is 0 if nothing was measured
  std::string spans;    // printable ASCII, a line for each
  int64_t longest_ns = 0;
  std::string why_host_clock;  // why the device's own clock did not measure this
  std::string why_no_profile;  // why there is no profile although the request asked for one
  std::vector<Comparison> comparisons;
  // Digest of each input's elements, as generated.
  std::vector<std::string> input_digests;
  std::string same_as;                   // the earlier policy that gives these inputs; empty: they were generated
  SmallerProgram smaller;                // inputs: instead of the case, which is skipped
  std::map<std::string, double> cost;    // compile: the compiler's own estimates, "optimal_seconds"
  std::map<std::string, double> memory;  // compile: bytes of the device's memory by what they hold, "temporaries"
  Placements placements;                 // compile: where the device keeps arguments and results
  std::string partitioning;              // compile: how a sharded case was divided among the devices
};

struct Done {
  Status status = Status::kPass;
  std::string diagnostic;
  int64_t peak_rss_kb = 0;
  DoneFields fields;
};

struct WorkerMessage {
  std::string event;
  std::optional<int64_t> id;
  std::variant<Greeting, StageBegin, StageEnd, Done> body;
};

// The error's message is a clause whose subject is "it": "sent 'done' whose artifact_bytes is -1, ...".
Expected<WorkerMessage> ParseWorkerMessage(std::string_view frame);

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_WORKER_MESSAGE_H_
