// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What results.jsonl says, `opbyop-results/1`: a header, one record per case as it ends, a footer, a line each. While a
// run goes on, a second record of a case replaces its first; at the end of the run each case has one. An event says
// what makes the run as a whole red, whatever its cases are. Read by
// manifests/results/results_file.h. Numbers that JSON lacks are the strings "nan", "inf", "-inf".
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

// A part of a run that was made by itself and merged with the others (manifests/runs/merge_runs.h).
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
  std::string compile_only;         // why nothing was executed: "no Vulkan device"; empty: the device ran the cases
  std::map<std::string, std::string> properties;  // what the worker says of its toolchain and device beside that
  std::string manifest;                           // path, relative to the run's folder where it lies inside
  std::string manifest_relative;                  // from the run's folder where it lies outside, for a tree that moves
  std::string manifest_hash;
  uint64_t manifest_rows = 0;                   // 0: the file was written before this was
  std::map<std::string, std::string> compiled;  // of a run from a bundle: machine, versions and start of its other half
  std::string git_sha;            // of the tested compiler's or this project's checkout; empty outside one
  std::string policy;             // names as they were given, by commas
  std::string mode = "isolated";  // each case alone; "whole": each model in one piece
  uint64_t seed = 0;
  // The seed of the further draw of `edge` (manifests/results/set_name.h). It is the same in all shards and if the run
  // is resumed. It decides no result of the fixed seed, so it is no part of the digest. nullopt: there was no such
  // draw.
  std::optional<uint64_t> fresh_seed;
  std::string start;     // RFC 3339, UTC, microseconds: "2026-11-21T10:15:00.123456+00:00"
  std::string filter;    // the flags that chose among the rows: "--gtest_filter=*conv*"; empty: none did
  std::string selected;  // the rows to run, filter and shard applied (manifests/cases/row_ranges.h); empty: all
  Demands demands;       // what the run was to show

  // The number of this shard from 1, how many there are, and how the cases were dealt out: "cost", "hash", or the run
  // whose durations were taken. A run without shards is 1 of 1.
  uint64_t shard = 1;
  uint64_t shards = 1;
  std::string balance;
  std::vector<MergedShard> merged;  // of a run that was merged from shards: these, in order

  // Everything that decides a result, by name ("stages", "target.stages.lower.timeout_s"), and the sha256 over it
  // (harness/cache/run_digest.h). Empty in files that were written before there was one.
  std::map<std::string, std::string> decides;
  std::string digest;
};

struct StageRecord {
  std::string name;
  Status status = Status::kPass;
  double ms = 0;
  std::string diagnostic;  // first line; empty on pass
};

// One output against the reference (docs/numerics.md).
struct Comparison {
  int64_t output = 0;  // index of the result
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
  // Errors against what rounding in the promised precision does, in units of what a right device stays below; 0: not
  // judged. Above 1 the output is imprecise although each element is within its bound.
  double precision_ratio = 0;
  std::string rule;       // "bit-exact", "ulp<=4", "accumulation c=1 n=768 u=2^-24"
  std::string relaxed;    // reason of the policy's relaxation; empty where the derived bound held
  bool random = false;    // random numbers: only a distribution is right or wrong, not the values
  bool constant = false;  // every element of the device's output is the same value
  bool accepted = true;

  // For a whole model, whose bound has come through all of its ops: the worst error as a share of the range of the
  // expected values, and whether that bound is so wide that a weaker criterion had to judge (docs/numerics.md).
  double range_error = 0;
  bool weak = false;

  std::string policy;  // InputSetRecord::policy of its inputs; empty in files from before there were several

  struct Element {
    std::vector<int64_t> index;
    std::string got;
    std::string expected;
    double bound_ratio = 0;
  };
  std::vector<Element> worst;  // at most 5, worst first; empty where all is equal
};

struct Timing {
  int64_t n = 0;
  double min_us = 0;
  double median_us = 0;
  double p95_us = 0;
  bool device_clock = false;  // the device's own clock measured these, not the host's around the calls
  bool first_call = false;    // the program ran once: what its first run loads is in the time
};

// What another target says of a case that failed in execution or comparison, on the same inputs.
struct Differential {
  std::string target;  // empty: nobody was asked
  Status status = Status::kMissing;
  std::string stage;       // where it ended
  std::string diagnostic;  // why, where it is no pass
  std::vector<Comparison> comparisons;
};

// "xla: pass, error 0.2 of its bound", "xla: fail in compare: ...".
std::string Describe(const Differential& opinion);

// How a case ended before it was run once more.
struct FirstAttempt {
  Status status = Status::kMissing;  // missing: there was but one attempt
  std::string stage;
  std::string diagnostic;
};

// How a case ended on the inputs of the fixed seed.
struct FixedEnd {
  Status status = Status::kMissing;  // missing: as the record says
  std::string stage;
  std::string diagnostic;
};

// What the case did on the inputs of one policy.
struct InputSetRecord {
  std::string policy;  // as manifests/results/set_name.h has it
  uint64_t seed = 0;
  Status status = Status::kMissing;
  std::string stage;       // where it ended
  std::string diagnostic;  // why it is no pass
  int64_t unbounded = 0;   // elements of all outputs that nothing judged
};

// Where the device keeps a tensor, in the words of its compiler.
struct Placement {
  std::string memory;         // "Dram", "L1", "System"
  std::string layout;         // "Interleaved", "BlockSharded"; "Tile" or "RowMajor" of what lies in one piece
  std::vector<int64_t> grid;  // of cores

  bool operator==(const Placement&) const = default;
};

// Where a program's arguments and results lie, one entry for each. Empty if the compiler does not say so.
struct Placements {
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;

  bool empty() const { return inputs.empty() && outputs.empty(); }
  bool operator==(const Placements&) const = default;
};

struct CaseRecord {
  std::string id;
  Status status = Status::kMissing;
  std::string stage;       // the last stage that was begun: where a failure belongs
  std::string diagnostic;  // first line of what went wrong, or the reason of unsupported, inconclusive, skipped
  std::vector<StageRecord> stages;      // one of each name; `ms` is of all sets together
  std::vector<Comparison> comparisons;  // of all sets, in order
  std::vector<InputSetRecord> sets;     // inputs that the case was run with, or was to be
  Timing timing;                        // of the first set
  int64_t artifact_bytes = 0;
  int64_t peak_rss_kb = 0;
  int attempts = 1;
  FirstAttempt first_attempt;  // where there were several: all else is of the last
  // Where the further draw failed and is what the record tells of: how the case ended without it. What is compared with
  // other runs goes by this (EndOfFixedDraws).
  FixedEnd fixed;
  // How the reference itself failed on some set: crash, timeout, out_of_memory, or fail where its answer could not be
  // used. It never accuses the target: the set is skipped or inconclusive. kPass: it did not fail.
  Status reference = Status::kPass;
  uint64_t seed = 0;
  int worker = 0;                        // slot
  int signal = 0;                        // of a crash; 0 otherwise
  std::vector<std::string> stderr_tail;  // last lines of the worker, only on failure
  std::string start;                     // RFC 3339, UTC, microseconds
  double wall_ms = 0;
  std::string repro;  // one command
  // What the compiler itself says of what it made, where it does: estimates ("optimal_seconds", "flops"), and bytes of
  // the device's memory by what they hold ("code", "temporaries").
  std::map<std::string, double> cost;
  std::map<std::string, double> memory;
  Placements placements;
  std::string artifact_sha256;  // of a bundle: what was compiled, and of what
  std::string program_sha256;
  std::string cached_from;  // the run that made this record, where this run took it over (harness/cache/result_cache.h)
  std::string left_running;  // processes that it left running, which were ended: "1 process: sleep 100"
  // If this case fails only after another one in the same worker, the id of that one; and the ids of the cases that
  // this case makes fail.
  std::string spoiled_by;
  std::vector<std::string> spoils;
  int64_t batched = 0;  // cases compiled in one module with this one, itself included; 0: alone
  Differential differential;
};

// Adds processes to those that the case is known to have left running; an empty text is none.
void NoteLeftRunning(const std::string& left, CaseRecord& record);

// The policies on whose inputs the case failed, in order, each once; of the fixed seed, or by the further draw too.
enum class Draws { kFixed, kAll };
std::vector<std::string> FailedPolicies(const CaseRecord& record, Draws draws = Draws::kAll);

// How the case ended on the inputs of the fixed seed: what another night's run says of the same toolchain too.
FixedEnd EndOfFixedDraws(const CaseRecord& record);

// The further draw that failed; null where none did.
const InputSetRecord* FailedFreshDraw(const CaseRecord& record);

// Takes the further draw out of a record that does not tell of it.
void DropFreshDraw(CaseRecord& record);

struct RunFooter {
  std::map<std::string, int64_t> totals;  // cases by status
  double wall_s = 0;
  std::string end;
};

// What happened to the run as a whole and makes it red: its toolchain was replaced while it went on.
struct RunEvent {
  std::string text;
  std::string time;  // RFC 3339, UTC
  // Any of the records may be concerned, so that a run which takes them over takes over this too.
  bool lasting = false;
};

// A line of the file that is no record.
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
  std::vector<BadLine> bad_lines;  // what they said is lost: a run with any is red
};

// "2 lines cannot be read: 7 (cut off), 9 (not a record: ...)"; the first few. Empty where there is none.
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

// The same as text.
enum class WorstElements { kWritten, kLeftOut };
void Write(JsonText& json, const Comparison& comparison, WorstElements worst = WorstElements::kWritten);
void Write(JsonText& json, const Timing& timing);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_RESULT_H_
