// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The records of results.jsonl, `opbyop-results/1`: a header, one record per case as it ends, and a footer, one per
// line. During a run a second record of a case replaces its first; at the end each case has one. An event says what
// makes the run as a whole red, whatever its cases are. manifests/results/results_file.h reads the file. Numbers that
// JSON lacks are the strings "nan", "inf", "-inf".
//
//   file << ToJsonLine(CaseRecord{.id = "add_f32_1f2e3d4c", .status = Status::kPass}) << "\n";
#ifndef OPBYOP_MANIFESTS_RESULTS_RESULT_H_
#define OPBYOP_MANIFESTS_RESULTS_RESULT_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/status/demands.h"
#include "manifests/status/status.h"
#include "support/expected.h"

namespace opbyop {

class JsonText;

inline constexpr std::string_view kResultsSchema = "opbyop-results/1";

// A shard that was run by itself and merged with the others (manifests/runs/merge_runs.h).
struct MergedShard {
  uint64_t shard = 0;  // from 1
  std::string run_id;
  std::string start;
  std::string cpu;
  double wall_s = 0;
  bool complete = true;
};

struct RunHeader {
  std::string run_id;  // "20261121T101500Z-3f9a"
  std::vector<std::string> argv;
  std::map<std::string, std::string> host;  // cpu, cores, memory_mb, os
  std::string target;
  std::string target_file;
  std::string toolchain;            // version text of the target's compiler
  std::vector<std::string> stages;  // in order, `compare` last
  // Why nothing was executed: "no Vulkan device". Empty: the device ran the cases.
  std::string compile_only;
  // Other facts that the worker reports about its toolchain and device.
  std::map<std::string, std::string> properties;
  // Path, relative to the run's folder if the manifest is inside it.
  std::string manifest;
  // Path from the run's folder if the manifest is outside it, so that both can be moved together.
  std::string manifest_relative;
  std::string manifest_hash;
  uint64_t manifest_rows = 0;  // 0: the file was written before this field existed
  // For a run from a bundle: machine, versions and start of the compilation.
  std::map<std::string, std::string> compiled;
  std::string git_sha;            // of the tested compiler's or this project's checkout; empty outside one
  std::string policy;             // names as given, separated by commas
  std::string mode = "isolated";  // each case alone; "whole": each model in one piece
  uint64_t seed = 0;
  // The seed of the further draw of `edge` (manifests/results/set_name.h). It is the same in all shards, and when the
  // run is resumed. It affects no result of the fixed seed, so it is not part of the digest. nullopt: there was no
  // further draw.
  std::optional<uint64_t> fresh_seed;
  std::string start;     // RFC 3339, UTC, microseconds: "2026-11-21T10:15:00.123456+00:00"
  std::string filter;    // the flags that selected rows: "--gtest_filter=*conv*"; empty: none
  std::string selected;  // the rows to run, filter and shard applied (manifests/cases/row_ranges.h); empty: all
  Demands demands;       // --min-pass and --fail-on

  // The number of this shard from 1, the number of shards, and how the cases were assigned: "cost", "hash", or the run
  // whose durations were used. A run without shards is 1 of 1.
  uint64_t shard = 1;
  uint64_t shards = 1;
  std::string balance;
  std::vector<MergedShard> merged;  // if the run was merged from shards: these, in order

  // Everything that decides a result, by name ("stages", "target.stages.lower.timeout_s"), and the sha256 over it
  // (harness/cache/run_digest.h). Empty in files from before these fields existed.
  std::map<std::string, std::string> decides;
  std::string digest;
};

struct StageRecord {
  std::string name;
  Status status = Status::kPass;
  double ms = 0;
  // First line. Empty on pass, except for `load` of a bundle that another version executes.
  std::string diagnostic;
};

// One output compared with the reference (docs/numerics.md).
struct Comparison {
  int64_t output = 0;  // index of the result
  // The process whose result it is (manifests/cases/grid.h). nullopt: the case has one process.
  std::optional<int64_t> process;
  std::string dtype;
  int64_t elements = 0;
  int64_t mismatches = 0;  // elements beyond their bound
  int64_t unbounded = 0;   // elements whose bound is infinite: any value is accepted
  double max_abs = 0;
  double max_rel = 0;
  double max_ulp = 0;
  double pcc = 1;
  double cosine = 1;
  double rmse = 0;
  int64_t nan_mismatches = 0;
  int64_t inf_mismatches = 0;
  double bound_ratio = 0;  // worst |got - exact| / bound; > 1 fails
  // Errors relative to those of rounding in the promised precision, in units of what a correct device stays below. 0:
  // not judged. Above 1 the output is imprecise although each element is within its bound.
  double precision_ratio = 0;
  std::string rule;     // "bit-exact", "ulp<=4", "accumulation c=1 n=768 u=2^-24"
  std::string relaxed;  // reason of the policy's relaxation; empty if the derived bound was used
  // Random numbers: only their distribution can be right or wrong, not the values.
  bool random = false;
  bool constant = false;  // every element of the device's output is the same value
  bool accepted = true;

  // For a whole model, whose bound is propagated through all of its ops: the worst error as a share of the range of the
  // expected values, and whether the bound is so wide that a weaker criterion had to judge (docs/numerics.md).
  double range_error = 0;
  bool weak = false;

  // How the output was covered if not every element was compared: "sample and checksums of 16 rows". `elements` and all
  // metrics are then of the elements that were compared. Empty: every element.
  std::string judged;
  // The least error of one element that is sure to be found then, in units of its bound where its neighbours' are alike;
  // of integers, which have no bound, in ones.
  double least_error = 0;

  // InputSetRecord::policy of its inputs; empty in files from before cases had several.
  std::string policy;

  struct Element {
    std::vector<int64_t> index;
    std::string got;
    std::string expected;
    double bound_ratio = 0;
  };
  std::vector<Element> worst;  // at most 5, worst first; empty if all are equal
};

struct Timing {
  int64_t n = 0;
  double min_us = 0;
  double median_us = 0;
  double p95_us = 0;
  // The device's own clock measured these; otherwise the host's clock, around the calls.
  bool device_clock = false;
  // The program ran only once: the time includes what its first run loads.
  bool first_call = false;
};

// How another target ended on a case that failed in execution or comparison, with the same inputs.
struct Differential {
  std::string target;  // empty: no other target was used
  Status status = Status::kMissing;
  std::string stage;       // where it ended
  std::string diagnostic;  // why it is not a pass
  std::vector<Comparison> comparisons;
};

// Returns "xla: pass, error 0.2 of its bound", "xla: fail in compare: ...".
std::string Describe(const Differential& opinion);

// How a case ended before it was run again.
struct FirstAttempt {
  Status status = Status::kMissing;  // missing: there was only one attempt
  std::string stage;
  std::string diagnostic;
};

// How a case ended on the inputs of the fixed seed.
struct FixedEnd {
  Status status = Status::kMissing;  // missing: the same as the record
  std::string stage;
  std::string diagnostic;
};

// How the case ended on the inputs of one policy.
struct InputSetRecord {
  std::string policy;  // name of the set (manifests/results/set_name.h)
  uint64_t seed = 0;
  Status status = Status::kMissing;
  std::string stage;       // where it ended
  std::string diagnostic;  // why it is not a pass
  int64_t unbounded = 0;   // elements of all outputs that no criterion judged
  // True if the set shows nothing of the case: it had no inputs, the reference could not judge it, or no element has a
  // finite bound. False if it failed, or if it is left to another case of the manifest.
  bool judged_nothing = false;
  // The smaller program on which the policy is judged in place of the case: the id of another case of the manifest, or
  // the shapes of a program that the run made of this one, "(136x192, 192x160) -> (136x160)". Empty: the case itself.
  std::string twin;
  // The cost of judging the set: the time of the stage `inputs`, the reference's processor time for inputs and
  // comparison, and the peak of its memory. 0: not known.
  double inputs_ms = 0;
  double reference_cpu_ms = 0;
  int64_t reference_peak_kb = 0;
};

// Where the device keeps a tensor, in the terms of its compiler.
struct Placement {
  std::string memory;  // "Dram", "L1", "System"
  // "Interleaved", "BlockSharded"; "Tile" or "RowMajor" for a tensor in one piece.
  std::string layout;
  std::vector<int64_t> grid;  // of cores

  bool operator==(const Placement&) const = default;
};

// The placements of a program's arguments and results, one entry for each. Empty if the compiler does not report them.
struct Placements {
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;

  bool empty() const { return inputs.empty() && outputs.empty(); }
  bool operator==(const Placements&) const = default;
};

struct CaseRecord {
  std::string id;
  Status status = Status::kMissing;
  std::string stage;       // the last stage that started; a failure is blamed on it
  std::string diagnostic;  // first line of what went wrong, or the reason of unsupported, inconclusive, skipped
  std::vector<StageRecord> stages;      // each name once; `ms` is the sum over all sets
  std::vector<Comparison> comparisons;  // of all sets, in order
  std::vector<InputSetRecord> sets;     // inputs that the case was run with, or was to be
  Timing timing;                        // of the first set
  int64_t artifact_bytes = 0;
  int64_t peak_rss_kb = 0;
  int attempts = 1;
  FirstAttempt first_attempt;  // if there were several attempts; all other fields are of the last
  // If the further draw failed and decides the status: how the case ended without it. Comparisons with other runs use
  // this (EndOfFixedDraws).
  FixedEnd fixed;
  // How the reference itself failed on some set: crash, timeout, out_of_memory, or fail if its answer could not be
  // used. This is never a failure of the target: the set is skipped or inconclusive. kPass: it did not fail.
  Status reference = Status::kPass;
  uint64_t seed = 0;
  int worker = 0;                        // slot
  int signal = 0;                        // of a crash; 0 otherwise
  std::vector<std::string> stderr_tail;  // last lines that the worker printed, only on failure
  std::string start;                     // RFC 3339, UTC, microseconds
  double wall_ms = 0;
  std::string repro;  // one command
  // The compiler's own figures for the program, if it reports them: estimates ("optimal_seconds", "flops"), and bytes
  // of the device's memory by use ("code", "temporaries").
  std::map<std::string, double> cost;
  std::map<std::string, double> memory;
  Placements placements;
  // How the target divided a sharded case among its devices, if it says so: "by rules", "gathered for stablehlo.fft".
  std::string partitioning;
  std::string artifact_sha256;  // for a bundle: the digests of the artifact and of the program
  std::string program_sha256;
  // The run that made this record, if this run took it from the cache (harness/cache/result_cache.h).
  std::string cached_from;
  std::string left_running;  // processes that it left running and that were ended: "1 process: sleep 100"
  // If this case fails only after another one in the same worker: the id of that one. And the ids of the cases that
  // this case makes fail.
  std::string spoiled_by;
  std::vector<std::string> spoils;
  // Number of cases compiled in one module with this one, itself included; 0: alone.
  int64_t batched = 0;
  Differential differential;
};

// Adds processes that the case left running; an empty text adds none.
void NoteLeftRunning(const std::string& left, CaseRecord& record);

// The policies on whose inputs the case failed, in order, each once. kFixed: on the fixed seed only. kAll: the further
// draw too.
enum class Draws { kFixed, kAll };
std::vector<std::string> FailedPolicies(const CaseRecord& record, Draws draws = Draws::kAll);

// Returns "nothing was judged under sparse: <reason>; under edge: <reason>" for a case that other policies judged. Empty
// if each policy judged something, and for a case of which nothing was judged, which its status says. The further draw
// is not a policy of its own.
std::string UnjudgedPolicies(const CaseRecord& record);

// How the case ended on the inputs of the fixed seed. Another night's run of the same toolchain ends in the same way.
FixedEnd EndOfFixedDraws(const CaseRecord& record);

// The further draw that failed; null if none did.
const InputSetRecord* FailedFreshDraw(const CaseRecord& record);

// Removes the further draw from a record whose status it does not decide.
void DropFreshDraw(CaseRecord& record);

struct RunFooter {
  std::map<std::string, int64_t> totals;  // cases by status
  double wall_s = 0;
  std::string end;
};

// An event that makes the run as a whole red, such as a toolchain that was replaced during the run.
struct RunEvent {
  std::string text;
  std::string time;  // RFC 3339, UTC
  // True if any of the records may be affected: a run that takes them over takes over this event too.
  bool lasting = false;
};

// A line of the file that is not a record.
struct BadLine {
  int line = 0;  // from 1
  std::string why;
};

struct Run {
  RunHeader header;
  std::vector<CaseRecord> cases;  // in file order; a repeated id (resumed run) keeps its last record
  std::vector<RunEvent> events;
  RunFooter footer;
  bool complete = false;           // the last record is the footer
  std::vector<BadLine> bad_lines;  // their content is lost: a run with any is red
};

// Returns "2 lines cannot be read: 7 (cut off), 9 (not a record: ...)", with the first few; empty if there are none.
std::string Describe(const std::vector<BadLine>& lines);

std::string ToJsonLine(const RunHeader& header);
std::string ToJsonLine(const CaseRecord& record);
std::string ToJsonLine(const RunFooter& footer);
std::string ToJsonLine(const RunEvent& event);

void to_json(nlohmann::json& json, const Comparison& comparison);
void from_json(const nlohmann::json& json, Comparison& comparison);
void to_json(nlohmann::json& json, const Placements& placements);
void from_json(const nlohmann::json& json, Placements& placements);
void to_json(nlohmann::json& json, const Timing& timing);
void from_json(const nlohmann::json& json, Timing& timing);

// The same, written as text.
enum class WorstElements { kWritten, kLeftOut };
void Write(JsonText& json, const Comparison& comparison, WorstElements worst = WorstElements::kWritten);
void Write(JsonText& json, const Timing& timing);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_RESULT_H_
