// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// optrace.ndjson, the canonical record of where a model's time goes: one JSON object a line, written as it happens.
//
//   {"record":"header","schema":"optrace/1","run_id":"...","model":"NN","devices":[{"id":0,"name":"host",...}],...}
//   {"record":"op","id":3,"case":"dot_general_4x4_f32_16c96d19","hlo":"dot_general","framework":"aten__addmm","path":[...],...}
//   {"record":"span","id":7,"section":"execution","start_ps":1200,"dur_ps":279000,"op":3,"name":"dot_general.3","flow":4}
//   {"record":"op_run","op":3,"n":10,"median_ps":279000,...}
//   {"record":"output_compare","op":3,"mode":"isolated","comparison":{"max_ulp":2,...},...}
//   {"record":"warning","text":"op 3 has no location"}
//   {"record":"footer","wall_ps":...}
//
// Times are picoseconds since the run began, on the clock that `clock` names. Ids are numbers in the order of the
// program, the same in every run of it. Spans leave out what is as in Span{}. A second op_run of an op replaces its
// first. Everything else (HTML, XSpace, Perfetto, ...) is made from this file.
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

// How the model was run: op by op, each on what those before it gave, or in one piece; or not at all, where each op was
// compiled and the compiler estimated its time.
enum class RunMode { kChained, kWhole, kEstimate };

// What an output was compared with: the reference fed the device's own inputs, or the reference's.
enum class CompareMode { kAccumulated, kIsolated };

// What a span is a part of; sections share one time axis.
enum class Section { kOverview, kControl, kExecution, kDataTransfer, kCompile, kCompare };

// Whether start and duration are the op's own, or known only within bounds.
enum class Exactness { kExact, kBounded };

// Whose clock measured a span; of an estimate none did: the compiler told how long the op would take. What is made of
// several spans may be mixed.
enum class Clock { kHost, kDevice, kEstimate, kMixed };

struct TraceDevice {
  int64_t id = 0;
  std::string name;  // "host", "NVIDIA H200"
  int64_t cores = 1;
  double peak_gflops = 0;  // 0: not known; the roofline then says so
  double peak_gb_per_s = 0;
  int64_t call_ps = 0;      // of running an op of one element: what a call costs whatever it does; 0: not known
  std::string peak_source;  // "measured on one core: ...", "given"; empty where the peaks are not known
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
  int64_t warmup = 0;         // runs of every op that are not recorded
  int64_t iterations = 1;     // recorded runs of the whole model
  int64_t resolution_ps = 0;  // of the clock; overlaps shorter than it cannot be told apart
  RunMode mode = RunMode::kChained;
  bool overlap = false;  // each op ran once a pass, beside what the next needs
  friend bool operator==(const Header&, const Header&) = default;
};

// One op of the model, at one place of the program.
struct Op {
  int64_t id = 0;                 // position in the order of execution of the program's text
  std::string case_id;            // the manifest's case that stands for it
  std::string hlo;                // "dot_general"
  std::string framework;          // "aten__addmm"; empty: its producer did not say
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
  int64_t op = -1;  // Op::id; -1: of no op (runtime setup, an input's transfer)
  Section section = Section::kExecution;
  int64_t device = 0;
  int64_t core = 0;
  std::string name;  // "dot_general.3", "host to device", "stablehlo-to-linalg"
  int64_t start_ps = 0;
  int64_t dur_ps = 0;
  Exactness exactness = Exactness::kExact;
  std::optional<Bounds> start_bounds;     // where bounded
  std::optional<Bounds> duration_bounds;  // where bounded
  int64_t iteration = 0;
  Clock clock = Clock::kHost;
  double bytes = 0;  // moved, of a transfer
  int64_t flow = 0;  // the same for all that belongs to one execution of an op; 0: to none
  int64_t end_ps() const { return start_ps + dur_ps; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The repeated measurement of an op on its device.
struct OpRun {
  int64_t op = 0;
  std::optional<Status> status;  // absent: it is not known how it ended
  std::string stage;             // reached last
  std::string diagnostic;
  int64_t n = 0;
  int64_t min_ps = 0;
  int64_t median_ps = 0;
  int64_t p95_ps = 0;
  int64_t max_ps = 0;
  Clock clock = Clock::kHost;  // that measured these
  friend bool operator==(const OpRun&, const OpRun&) = default;
};

// An output of an op on the device beside the reference's.
struct OutputCompare {
  int64_t op = 0;
  CompareMode mode = CompareMode::kIsolated;
  Comparison comparison;
  // The first elements of both, printed; `elements` where there are more.
  std::vector<std::string> cpu;
  std::vector<std::string> device;
};

struct Warning {
  std::string text;
  friend bool operator==(const Warning&, const Warning&) = default;
};

struct Footer {
  int64_t wall_ps = 0;  // of the whole recorded run
  int64_t spans = 0;
  // The model compiled and run in one piece on the same target, where that was measured; 0: it was not.
  int64_t whole_model_ps = 0;
  Clock whole_model_clock = Clock::kHost;
  // How it ended, compared with the reference; absent: nobody looked.
  std::optional<Status> whole_model_status;
  std::string whole_model_verdict;  // "pass, error 1.2e-06 of the range"
  friend bool operator==(const Footer&, const Footer&) = default;
};

using Record = std::variant<Header, Op, Span, OpRun, OutputCompare, Warning, Footer>;

// As the file spells them.
std::string_view ToString(RunMode mode);
std::string_view ToString(CompareMode mode);
std::string_view ToString(Section section);
std::string_view ToString(Exactness exactness);
std::string_view ToString(Clock clock);
std::string_view StatusText(std::optional<Status> status);  // "" where it is absent

// The object of a line, with its `record` key; and back. FromJson throws nlohmann::json::exception on a wrong type
// and on a status, mode or clock that it does not know.
nlohmann::json ToJson(const Record& record);
Record FromJson(const nlohmann::json& json);

// The line of a record, its end included, appended to `out`: ToJson, without the tree.
void AppendLine(const Record& record, std::string& out);

// A whole trace in memory, for views that need all of it.
struct Trace {
  Header header;
  std::vector<Op> ops;  // by id
  std::vector<Span> spans;
  std::vector<OpRun> runs;
  std::vector<OutputCompare> compares;
  std::vector<Warning> warnings;
  std::optional<Footer> footer;  // absent: the run was cut short
};

}  // namespace opbyop::optrace

#endif  // OPBYOP_MANIFESTS_OPTRACE_OPTRACE_H_
