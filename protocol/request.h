// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a parent asks of a worker, as a value on both sides (docs/worker-protocol.md,
// protocol/worker-protocol.schema.json).
//
//   Request request{.verb = "compile", .case_id = c.id, .file = file, .dir = scratch};
//   WriteFrame(fd, ToJson(request));
//   Expected<Request> same = ParseRequest(frame);
//
// A field at its default is left out of the message; a field that this version does not know is ignored.
#ifndef OPBYOP_PROTOCOL_REQUEST_H_
#define OPBYOP_PROTOCOL_REQUEST_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/targets/arithmetic.h"
#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::protocol {

// How often `execute` runs the artifact for its timing: `warmup` times unseen, else once untimed; then at least `min`
// times, then on until `max` runs or `budget_ms` are spent or the median is known to `relative_error` (0: no such
// target). device/repetition.h has the details.
struct Repeat {
  int64_t min = 1;
  int64_t max = 1;
  double budget_ms = 0;
  int64_t warmup = 0;
  double relative_error = 0;

  friend bool operator==(const Repeat&, const Repeat&) = default;
};

// An input policy, by name, and the file that defines it where there is one.
struct PolicyName {
  std::string name;
  std::string file;

  friend bool operator==(const PolicyName&, const PolicyName&) = default;
};

// A case of `compile_batch`.
struct BatchMember {
  std::string case_id;
  std::filesystem::path file;

  friend bool operator==(const BatchMember&, const BatchMember&) = default;
};

// What a worker that dies while it reads the device's clock says of itself in its log. The parent then asks for the
// host's clock, so that no other case dies of it.
inline constexpr std::string_view kWhileClockWasRead = "while the device's clock was read";

// The `execute` that will be asked for after the current one: what lies there of its inputs already may be transferred
// meanwhile, and where that is all of them it may be run.
struct NextExecution {
  std::string case_id;  // empty: none is known
  std::filesystem::path dir;
  std::vector<int64_t> inputs;  // indices, ascending

  friend bool operator==(const NextExecution&, const NextExecution&) = default;
};

struct Request {
  int64_t id = 0;
  std::string verb;  // inputs, compile, compile_batch, execute, release, compare
  std::string case_id;
  std::filesystem::path file;  // the per-op program
  std::filesystem::path dir;   // scratch of this case: input_<i>.npy, output_<i>.npy, ...

  // What the program is to those who cannot read it.
  std::string op;  // "stablehlo.add"; "model" for a whole model
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;

  // compile
  bool save_intermediates = false;  // compare, too
  bool keep = false;                // the artifact stays for any later execute
  bool verbatim = false;            // the compiler itself is to judge `file`: its bytes go there unread
  std::string after;                // the stage that made `file`; empty: it is a program
  std::string until;                // the last stage that is wanted, for its IR; empty: all
  std::vector<BatchMember> members;

  // compile: where what it made is to be written; execute: what is to be loaded, whatever was compiled since. Empty:
  // the artifact stays with the worker.
  std::filesystem::path artifact;

  // execute
  Repeat repeat;
  bool spans = false;
  bool host_clock = false;  // of a device with a clock of its own: its profiler is not to be started
  NextExecution next;

  // inputs and compare
  PolicyName policy = {"domain", ""};
  uint64_t seed = 0;
  std::vector<PolicyName> earlier;         // policies that this case has had inputs of
  std::vector<InputRange> input_ranges;    // of a whole model's integers
  std::vector<std::string> input_digests;  // of the inputs as they were generated; empty: nobody vouches for them
  bool own_inputs = false;                 // the target made them itself

  // What the target's file declares (manifests/targets/target.h).
  std::string target;
  Arithmetic arithmetic;

  friend bool operator==(const Request&, const Request&) = default;
};

// kBadInput for what is no request: no object, no `id` or `verb`, a known field of another type or out of its range.
Expected<Request> ParseRequest(std::string_view json);
std::string ToJson(const Request& request);

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_REQUEST_H_
