// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads manifests/targets/NAME.yaml: a compiler and a device, as an ordered list of stages.
//
//   schema: opbyop-target/1
//   name: host
//   worker: ["{bin}/opbyop-worker", "--target={file}"]
//   device: {kind: host, parallel: true}
//   stages:
//     - {name: parse, timeout_s: 10}
//     - {name: stablehlo-to-linalg, pipeline: "builtin.module(...)"}
//     - {name: load}
//     - {name: execute}
//   plugin: "{venvs}/.venv-pjrt/lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"   # of kind pjrt
//   precision: {dot_general: tf32}   # declarations about its arithmetic: manifests/targets/arithmetic.h
//   keep_attributes: [ttcore]        # programs keep the attributes of these dialects that the models had
//   helpers: kept                    # processes of a request may keep running; default: ended before the next request
//   compile_options: {optimization_level: "1"}               # of kind pjrt, and dump_options
//   compile_only: {reason: no board, unless: "/dev/tenstorrent/*", environment: {TT_COMPILE_ONLY_SYSTEM_DESC: FILE}}
//   partitioner: shardy              # of XLA, for sharded cases; or gspmd
//   verifies: false                  # it does not verify programs: it gets none that must be refused
//
// A stage with `pipeline` is an MLIR pass pipeline that the worker runs. A stage with `command` is an argv with {input}
// {output} {dir} placeholders (device/command/placeholders.h). A stage with neither is built into the worker under that
// name. The stages `inputs` and `compare` belong to the reference worker and are never listed.
#ifndef OPBYOP_MANIFESTS_TARGETS_TARGET_H_
#define OPBYOP_MANIFESTS_TARGETS_TARGET_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "manifests/status/status.h"
#include "manifests/targets/arithmetic.h"
#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kTargetSchema = "opbyop-target/1";

inline constexpr std::string_view kPjrtDevice = "pjrt";  // a device with a PJRT plugin

// Stages that run on the device, after the artifact is made.
inline constexpr std::string_view kLoadStage = "load";
inline constexpr std::string_view kExecuteStage = "execute";
inline constexpr std::string_view kInputsStage = "inputs";    // reference worker
inline constexpr std::string_view kCompareStage = "compare";  // reference worker

// A device with a worker of its own, which loads and executes.
inline constexpr std::string_view kWorkerDevice = "worker";

// The largest values, a year and a pebibyte, so that no arithmetic on them overflows.
inline constexpr double kLongestTimeoutS = 365.0 * 24 * 3600;
inline constexpr int64_t kMostMegabytes = int64_t{1} << 30;

struct Limits {
  double timeout_s = 60;
  int64_t memory_mb = 8192;  // resident set of the worker; past it: out_of_memory
  int64_t disk_mb = 2048;    // that a command stage may leave in the case's folder; past it: fail
};

// A text in the output of a command stage, and its meaning.
struct Meaning {
  std::string match;   // RE2 regular expression, applied to each line
  std::string reason;  // of the record; empty: the line itself
};

inline constexpr std::string_view kTtnnPlacements = "ttnn";  // layouts of the TTNN dialect

struct Stage {
  std::string name;
  std::string pipeline;              // textual pass pipeline; empty if it is not one
  std::vector<std::string> command;  // argv; empty if it is not one
  std::map<std::string, std::string> environment;
  std::vector<std::string> print_flags;  // added if the stage's IR is split: generic form, locations
  std::string produces;                  // file that a command stage leaves in {dir}; its absence is a failure
  std::string placements;                // format of that file's tensor placements, "ttnn"; empty: it has none
  // Regular expressions. The first line that matches the first of them is quoted, else the next is tried.
  std::vector<std::string> diagnostic;
  std::vector<Meaning> unsupported;  // searched in what it printed, on failure: the tool itself says that it cannot
  // Searched in the message of a plugin (device kind pjrt) whose compilation failed: this stage is where it ended.
  std::vector<std::string> stage_of;
  std::vector<Meaning> inconclusive;  // searched in the file that it produced: the op did not reach the device
  std::map<int, Status> exit_codes;   // other than 0 = pass; all others = fail
  Limits limits;

  // False for load and execute.
  bool is_compile_stage() const { return name != kLoadStage && name != kExecuteStage; }
};

struct Device {
  std::string kind;                 // "host", "none" (compile only), ...
  bool parallel = false;            // several workers may use the device at once
  bool own_inputs = false;          // its tools generate their own inputs, which replace those of the policy
  std::vector<std::string> worker;  // for kind `worker`: argv of the worker that loads and executes
  // After a crash or a timeout on the device: `recover` resets it, `health` (exit code 0) says that it works.
  std::vector<std::string> recover;
  std::vector<std::string> health;
  double recover_timeout_s = 120;  // for each of the two
};

// A value of `options` and `topology_options`.
using TargetOption = std::variant<std::string, int64_t, double, bool>;

// Where and why a target only compiles, and what its worker then needs.
struct CompileOnly {
  std::string reason;                              // "no board"; empty: it is not declared
  std::string unless;                              // a path, with * and ?: where it exists, the target executes
  std::map<std::string, std::string> environment;  // added to the worker's
};

struct Target {
  std::filesystem::path path;
  std::string name;
  std::string description;
  std::vector<std::string> worker;  // argv; {bin}: the programs' folder, {file}: this file, {root}: the project's
  std::vector<std::string> flags;   // for the compiler; added to the worker's argv
  // pip's file, relative to the project. ./dev nightly makes .venv-<name> from it.
  std::string requirements;
  std::vector<std::string> packages;  // Debian packages that its device needs
  // Python file that writes its bundles, relative to the project; empty: the default for its kind.
  std::string finding;
  std::string install;         // for users: how to install what `requirements` and `packages` do not
  double hello_timeout_s = 0;  // how long its worker may take to start, if longer than the default
  int64_t batch = 1;           // cases that may compile as functions of one module
  // Argv that prints the toolchain's version; empty: it is in the worker's hello.
  std::vector<std::string> version;
  std::vector<std::string> plugins;  // shared libraries with MLIR passes and dialects for stages with `pipeline`
  // Folders that its worker may write to, in addition to the case's; {env:NAME} is filled in.
  std::vector<std::string> writable;
  std::map<std::string, std::string> environment;  // of its worker; {root} and {env:NAME} are filled in
  // For device kind pjrt: a shared library that exports GetPjrtApi ({root}, {env:NAME}, and * in a folder's name), the
  // devices to compile for if none is present, and the options of the plugin's client and topology.
  std::string plugin;
  std::string platform;  // what the plugin calls its kind of device, "tpu"; finds these declarations for a renamed file
  std::string topology;
  std::map<std::string, TargetOption> options;
  std::map<std::string, TargetOption> topology_options;  // only for the topology, because a client may refuse them
  // Options of a compilation, by name: the compiler's flags (XLA's debug options) or those of the plugin. {dir} is the
  // folder of the case. `dump_options` are added if the intermediate programs are kept.
  std::map<std::string, TargetOption> compile_options;
  std::map<std::string, TargetOption> dump_options;
  CompileOnly compile_only;
  // Dialects such as "ttcore" whose attributes are kept in the programs of models. Other targets do not get them.
  std::vector<std::string> keep_attributes;
  bool network = false;  // its worker may use the network
  // `helpers: kept`: processes that a request to its worker started may keep running after it.
  bool keeps_helpers = false;
  // Argv of a program that is run before the first case and checks what all cases depend on
  // (harness/worker/preflight.h). {out} is the results' folder. Empty: none.
  std::vector<std::string> preflight;
  Device device;
  // The partitioner of XLA that divides sharded cases, "gspmd" or "shardy", for a worker that has both; empty: its own.
  std::string partitioner;
  Arithmetic arithmetic;
  // False: programs are verified before they reach it, so it gets none that must be refused.
  bool verifies = true;
  // With `input: hlo` the first is stablehlo-to-hlo, and the first that the file declares reads what it writes.
  std::vector<Stage> stages;

  // Returns the stage names in the order of reports: this target's stages, then compare.
  std::vector<std::string> StageNames() const;
};

// Returns the declared reason if the target only compiles on this machine; else an empty text.
std::string WhyCompileOnly(const Target& target);

// Reads and checks the file. An unknown key, a missing name or a duplicate stage is kBadInput with file and line.
Expected<Target> LoadTarget(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_TARGET_H_
