// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A request from a parent to a worker, as a value on both sides (docs/worker-protocol.md,
// protocol/worker-protocol.schema.json).
//
//   Request request{.verb = CompileVerb{.keep = true}, .case_id = c.id, .file = file, .dir = scratch};
//   WriteFrame(fd, ToJson(request));
//   Expected<Request> same = ParseRequest(frame);
//   if (const auto* compile = std::get_if<CompileVerb>(&same->verb)) ... compile->keep
//
// A field with its default value is left out of the message. Unknown fields, and those of another verb, are ignored.
#ifndef OPBYOP_PROTOCOL_REQUEST_H_
#define OPBYOP_PROTOCOL_REQUEST_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/cases/grid.h"
#include "manifests/targets/arithmetic.h"
#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::protocol {

// How often `execute` runs the artifact for its timing. First `warmup` runs that are not recorded, or one untimed run
// if there are none. Then at least `min` runs, and more until there are `max`, `budget_ms` are spent, or the median is
// known to `relative_error` (0: no such goal). device/repetition.h has the details.
struct Repeat {
  int64_t min = 1;
  int64_t max = 1;
  double budget_ms = 0;
  int64_t warmup = 0;
  double relative_error = 0;

  friend bool operator==(const Repeat&, const Repeat&) = default;
};

// An input policy: its name, and the file that defines it if there is one.
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

// The log of a worker that dies while it reads the device's clock contains this text. The parent then uses the host's
// clock, so that no other case dies of it.
inline constexpr std::string_view kWhileClockWasRead = "while the device's clock was read";

// The files in which an `execute` that asked for a profile leaves it, in `dir`: what the device's profiler recorded of one
// execution, a serialized XSpace, and the text of the compiled HLO program, if the compiler has one.
inline constexpr std::string_view kProfileFile = "profile.xspace";
inline constexpr std::string_view kProgramFile = "program.hlo";

// The `execute` request that follows the current one. Those of its inputs that exist already may be transferred
// meanwhile; if all exist, it may be run.
struct NextExecution {
  std::string case_id;  // empty: none is known
  std::filesystem::path dir;
  std::vector<int64_t> inputs;  // indices, ascending

  friend bool operator==(const NextExecution&, const NextExecution&) = default;
};

// The requests to a worker: one type for each verb, with the fields that only this verb has.
struct InputsVerb {
  static constexpr std::string_view kName = "inputs";
  std::vector<PolicyName> earlier;  // policies whose inputs this case has run on

  friend bool operator==(const InputsVerb&, const InputsVerb&) = default;
};

struct CompileVerb {
  static constexpr std::string_view kName = "compile";
  bool keep = false;  // the artifact is kept for any later execute
  // The compiler itself must judge `file`: the worker passes its bytes on unread.
  bool verbatim = false;
  std::string until;               // the last stage to run, whose IR is wanted; empty: all
  std::filesystem::path artifact;  // the file for the artifact; empty: it stays in the worker

  friend bool operator==(const CompileVerb&, const CompileVerb&) = default;
};

struct CompileBatchVerb {
  static constexpr std::string_view kName = "compile_batch";
  std::vector<BatchMember> members;

  friend bool operator==(const CompileBatchVerb&, const CompileBatchVerb&) = default;
};

struct ExecuteVerb {
  static constexpr std::string_view kName = "execute";
  Repeat repeat;
  bool spans = false;
  // Do not start the profiler of a device that has a clock of its own.
  bool host_clock = false;
  // Write what the device's profiler records of one execution (kProfileFile, kProgramFile).
  bool profile = false;
  std::filesystem::path artifact;  // the file to load, whatever was compiled since; empty: what the worker has
  NextExecution next;

  friend bool operator==(const ExecuteVerb&, const ExecuteVerb&) = default;
};

struct ReleaseVerb {
  static constexpr std::string_view kName = "release";

  friend bool operator==(const ReleaseVerb&, const ReleaseVerb&) = default;
};

struct CompareVerb {
  static constexpr std::string_view kName = "compare";
  // Digests of the inputs as they were generated; empty if there are none to check against.
  std::vector<std::string> input_digests;
  bool own_inputs = false;  // the target made the inputs itself

  friend bool operator==(const CompareVerb&, const CompareVerb&) = default;
};

// The shardings of a case whose tensors are divided among its processes, as canonical texts of `mhlo.sharding`, one for
// each input and output (support/sharding/sharding_text.h). Empty: the tensors are not divided.
struct Shardings {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;

  friend bool operator==(const Shardings&, const Shardings&) = default;
};

// A verb that this version does not know.
struct UnknownVerb {
  std::string name;

  friend bool operator==(const UnknownVerb&, const UnknownVerb&) = default;
};

using Verb =
    std::variant<UnknownVerb, InputsVerb, CompileVerb, CompileBatchVerb, ExecuteVerb, ReleaseVerb, CompareVerb>;

std::string_view NameOf(const Verb& verb);

struct Request {
  int64_t id = 0;
  Verb verb;
  std::string case_id;
  std::filesystem::path file;  // the per-op program
  std::filesystem::path dir;   // scratch of this case: input_<i>.npy, output_<i>.npy, ...

  // Describes the program to workers that cannot read it.
  std::string op;  // "stablehlo.add"; "model" for a whole model
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
  // The processes that run the program at once. The files in `dir` are those of all of them, in the order of
  // manifests/cases/grid.h; `inputs` and `outputs` are the types of one process.
  Grid grid;
  // If there are any, the program, its files and its types are those of whole tensors instead, and each process of `grid`
  // has parts of them.
  Shardings shardings;
  std::string partitioner;               // that the target's file names, "gspmd" or "shardy"; empty: the worker's own
  std::vector<InputRange> input_ranges;  // ranges of a whole model's integers
  std::string after;                     // the stage that made `file`; empty: it is a program

  bool save_intermediates = false;  // compile and compare leave theirs in `dir`
  PolicyName policy = {"domain", ""};
  uint64_t seed = 0;

  // The target's name and the arithmetic that its file declares (manifests/targets/target.h).
  std::string target;
  Arithmetic arithmetic;

  friend bool operator==(const Request&, const Request&) = default;
};

// kBadInput if it is not a request: not an object, no `id` or `verb`, or a field that its verb has with
// a wrong type or value.
Expected<Request> ParseRequest(std::string_view json);
std::string ToJson(const Request& request);

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_REQUEST_H_
