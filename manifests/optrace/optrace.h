// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// optrace.ndjson, the record of where a model's time goes: one JSON object per line, written while the run goes on.
//
//   {"record":"header","schema":"optrace/1","run_id":"...","model":"NN","devices":[{"id":0,"name":"host",...}],...}
//   {"record":"op","id":3,"case":"dot_general_4x4_f32_16c96d19","hlo":"dot_general","framework":"aten__addmm","path":[...],...}
//   {"record":"span","id":7,"section":"execution","start_ps":1200,"dur_ps":279000,"op":3,"name":"dot_general.3","flow":4}
//   {"record":"op_run","op":3,"n":10,"median_ps":279000,...}
//   {"record":"output_compare","op":3,"mode":"isolated","comparison":{"max_ulp":2,...},...}
//   {"record":"instruction","track":"XLA Ops","name":"fusion.3","ops":[3,4],"start_ps":0,"dur_ps":7200}
//   {"record":"warning","text":"op 3 has no location"}
//   {"record":"footer","wall_ps":...}
//
// Times are picoseconds since the start of the run, on the clock that `clock` names. Ids are numbers in the order of
// the program, the same in every run of it. Spans leave out fields that are as in Span{}. A second op_run of an op
// replaces its first. All other outputs (HTML, XSpace, Perfetto, ...) are made from this file.
#ifndef OPBYOP_MANIFESTS_OPTRACE_OPTRACE_H_
#define OPBYOP_MANIFESTS_OPTRACE_OPTRACE_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifests/results/result.h"
#include "support/tensor_type.h"

namespace opbyop::optrace {

inline constexpr std::string_view kSchema = "optrace/1";

// How the model was run. kChained: op by op, each on the outputs of the ops before it. kWhole: in one piece. kEstimate:
// not at all; each op was compiled, and the compiler estimated its time.
enum class RunMode { kChained, kWhole, kEstimate };

// The reference that an output was compared with: kIsolated evaluates the op on the device's own inputs, kAccumulated
// on the reference's inputs.
enum class CompareMode { kAccumulated, kIsolated };

// The category of a span; all categories share one time axis. An execution on several devices at once is one span of
// kExecution on device 0, and for each device its spans of kDevices, named kComputeName and kCollectiveName.
enum class Section { kOverview, kControl, kExecution, kDevices, kDataTransfer, kCompile, kCompare };

inline constexpr std::string_view kComputeName = "compute";
inline constexpr std::string_view kCollectiveName = "collective";

// True start and duration of the op, or only bounds for them.
enum class Exactness { kExact, kBounded };

// The clock that measured a span. kEstimate: none, the compiler estimated how long the op takes. Values that are made
// of several spans may be kMixed.
enum class Clock { kHost, kDevice, kEstimate, kMixed };

struct TraceDevice {
  int64_t id = 0;
  std::string name;  // "host", "NVIDIA H200"
  int64_t cores = 1;
  double peak_gflops = 0;  // 0: unknown; the roofline then says so
  double peak_gb_per_s = 0;
  // The time of running an op of one element: the cost of a call whatever it does. 0: unknown.
  int64_t call_ps = 0;
  // "measured on one core: ...", "given"; empty if the peaks are unknown.
  std::string peak_source;
  friend bool operator==(const TraceDevice&, const TraceDevice&) = default;
};

struct Header {
  std::string run_id;
  std::vector<std::string> command;
  std::string model;
  std::string target;
  std::string toolchain;
  std::string start;  // RFC 3339
  std::vector<TraceDevice> devices;
  int64_t warmup = 0;         // runs of every op before the recorded ones
  int64_t iterations = 1;     // recorded runs of the whole model
  int64_t resolution_ps = 0;  // of the clock; shorter overlaps cannot be measured
  RunMode mode = RunMode::kChained;
  bool overlap = false;  // each op ran once per pass, in parallel with the preparation of the next
  friend bool operator==(const Header&, const Header&) = default;
};

// One op at one place in the model's program.
struct Op {
  int64_t id = 0;                 // position in the program's execution order
  std::string case_id;            // the manifest's case for it
  std::string hlo;                // "dot_general"
  std::string framework;          // "aten__addmm"; empty if the producer did not say
  std::vector<std::string> path;  // module path, outermost first: {"NN[model]", "Linear[layer1]"}
  std::string location;           // "model.py:12"
  std::string text;               // one line of MLIR
  std::vector<TensorType> operands;
  std::vector<TensorType> results;
  double flops = 0;
  double bytes = 0;
  std::string category;  // "convolution", "elementwise", ...: XProf's hlo_category
  friend bool operator==(const Op&, const Op&) = default;
};

struct Bounds {
  int64_t min_ps = 0;
  int64_t max_ps = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

struct Span {
  int64_t id = 0;
  int64_t op = -1;  // Op::id; -1: not part of an op (runtime setup, an input's transfer)
  Section section = Section::kExecution;
  int64_t device = 0;
  int64_t core = 0;
  std::string name;  // "dot_general.3", "host to device", "stablehlo-to-linalg"
  int64_t start_ps = 0;
  int64_t dur_ps = 0;
  Exactness exactness = Exactness::kExact;
  std::optional<Bounds> start_bounds;     // if kBounded
  std::optional<Bounds> duration_bounds;  // if kBounded
  int64_t iteration = 0;
  Clock clock = Clock::kHost;
  double bytes = 0;  // moved by a transfer, or received from other devices in a collective
  int64_t flow = 0;  // equal for all spans of one execution of an op; 0: none
  int64_t end_ps() const { return start_ps + dur_ps; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The repeated measurement of an op on its device.
struct OpRun {
  int64_t op = 0;
  std::optional<Status> status;  // absent: unknown
  std::string stage;             // the last stage that it reached
  std::string diagnostic;
  int64_t n = 0;
  int64_t min_ps = 0;
  int64_t median_ps = 0;
  int64_t p95_ps = 0;
  int64_t max_ps = 0;
  Clock clock = Clock::kHost;  // the clock that measured these
  friend bool operator==(const OpRun&, const OpRun&) = default;
};

// An output of an op on the device, compared with the reference's.
struct OutputCompare {
  int64_t op = 0;
  CompareMode mode = CompareMode::kIsolated;
  Comparison comparison;
  // The first elements of both, printed. `comparison.elements` says how many there are.
  std::vector<std::string> cpu;
  std::vector<std::string> device;
};

// An instruction of the model that was compiled in one piece, in one execution that a profiler recorded.
struct Instruction {
  int64_t device = 0;
  std::string track;     // the engine, stream or thread that executed it
  std::string name;      // the compiler's: "add_sine_fusion"
  std::string category;  // its HLO op, "fusion"; empty: unknown
  // Op::id of those that it computes, as far as the compiler kept their names; the one whose name it has first.
  std::vector<int64_t> ops;
  int64_t start_ps = 0;  // since the first instruction of the execution
  int64_t dur_ps = 0;
  double bytes = 0;       // of its operands and results; 0: unknown
  double live_bytes = 0;  // of all values that the program still needs while it runs; 0: unknown
  // Received from other devices in a collective, computed from its op and groups (docs/profile.md).
  double wire_bytes = 0;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Warning {
  std::string text;
  friend bool operator==(const Warning&, const Warning&) = default;
};

struct Footer {
  int64_t wall_ps = 0;  // of the whole recorded run
  int64_t spans = 0;
  // The time of the model compiled and run in one piece on the same target; 0: not measured.
  int64_t whole_model_ps = 0;
  Clock whole_model_clock = Clock::kHost;
  // How the whole model ended, compared with the reference; absent: not compared.
  std::optional<Status> whole_model_status;
  std::string whole_model_verdict;  // "pass, error 1.2e-06 of the range"
  friend bool operator==(const Footer&, const Footer&) = default;
};

using Record = std::variant<Header, Op, Span, OpRun, OutputCompare, Instruction, Warning, Footer>;

// Return the names in the file.
std::string_view ToString(RunMode mode);
std::string_view ToString(CompareMode mode);
std::string_view ToString(Section section);
std::string_view ToString(Exactness exactness);
std::string_view ToString(Clock clock);
std::string_view StatusText(std::optional<Status> status);  // "" if absent

// Convert between a record and the JSON object of its line, with its `record` key. FromJson throws
// nlohmann::json::exception for a wrong type and for an unknown status, mode or clock.
nlohmann::json ToJson(const Record& record);
Record FromJson(const nlohmann::json& json);

// Appends the record's line, with its newline, to `out`. Same as ToJson, but without building a tree.
void AppendLine(const Record& record, std::string& out);

// A whole trace in memory, for views that need all of it.
struct Trace {
  Header header;
  std::vector<Op> ops;  // by id
  std::vector<Span> spans;
  std::vector<OpRun> runs;
  std::vector<OutputCompare> compares;
  std::vector<Instruction> instructions;  // by start
  std::vector<Warning> warnings;
  std::optional<Footer> footer;  // absent: the run was cut short
};

}  // namespace opbyop::optrace

#endif  // OPBYOP_MANIFESTS_OPTRACE_OPTRACE_H_
