// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// manifests/targets/NAME.yaml: a compiler plus a device as an ordered list of stages.
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
//   precision: {dot_general: tf32}   # what it says of its arithmetic: manifests/targets/arithmetic.h
//   keep_attributes: [ttcore]        # programs come with the attributes of these dialects that the models had
//   helpers: kept                    # what a request starts may run on; default: it is ended before the next one
//   verifies: false                  # takes programs for valid: none that must be refused is given to it
//
// A stage with `pipeline` is an MLIR pass pipeline that the worker runs, one with `command` an argv with
// {input} {output} {dir} placeholders (device/command/placeholders.h), one with neither is built into the worker
// under that name. The stages `inputs` and `compare` belong to the reference worker and are never listed.
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

inline constexpr std::string_view kPjrtDevice = "pjrt";  // the kind of a device behind a PJRT plugin

// Stages that run on the device, after the artifact is made.
inline constexpr std::string_view kLoadStage = "load";
inline constexpr std::string_view kExecuteStage = "execute";
inline constexpr std::string_view kInputsStage = "inputs";    // reference worker
inline constexpr std::string_view kCompareStage = "compare";  // reference worker

// The kind of a device behind a worker of its own, which is asked to load and to execute.
inline constexpr std::string_view kWorkerDevice = "worker";

// What a target may ask for, so that no arithmetic on it overflows: a year, and a pebibyte.
inline constexpr double kLongestTimeoutS = 365.0 * 24 * 3600;
inline constexpr int64_t kMostMegabytes = int64_t{1} << 30;

struct Limits {
  double timeout_s = 60;
  int64_t memory_mb = 8192;  // resident set of the worker; past it: out_of_memory
  int64_t disk_mb = 2048;    // what a command stage may leave in the case's folder; past it: fail
};

// Text in what a command stage printed or produced, and what it means.
struct Meaning {
  std::string match;   // RE2 regular expression, searched line by line
  std::string reason;  // what the record says; empty: the line itself
};

inline constexpr std::string_view kTtnnPlacements = "ttnn";  // layouts of the TTNN dialect

struct Stage {
  std::string name;
  std::string pipeline;              // textual pass pipeline; empty where it is not one
  std::vector<std::string> command;  // argv; empty where it is not one
  std::map<std::string, std::string> environment;
  std::vector<std::string> print_flags;  // added where its IR is to be split: generic form, locations
  std::string produces;                  // file that a command stage leaves in {dir}; its absence is a failure
  std::string placements;                // how that file tells where tensors lie, "ttnn"; empty: it does not
  std::vector<std::string> diagnostic;   // regular expressions; the first line that the first of them finds is quoted
  std::vector<Meaning> unsupported;      // in what it printed, on failure: the tool itself says that it cannot
  std::vector<Meaning> inconclusive;     // in what it produced: the op did not reach the device
  std::map<int, Status> exit_codes;      // beside 0 = pass and anything else = fail
  Limits limits;

  // False for load and execute.
  bool is_compile_stage() const { return name != kLoadStage && name != kExecuteStage; }
};

struct Device {
  std::string kind;         // "host", "none" (compile only), ...
  bool parallel = false;    // several workers may use the device at once
  bool own_inputs = false;  // its tools generate inputs by themselves and leave them in place of those of the policy
  std::vector<std::string> worker;  // of kind `worker`: argv of the worker that loads and executes
  // After a crash or a timeout on the device: `recover` brings it back, `health` (exit code 0) says that it is.
  std::vector<std::string> recover;
  std::vector<std::string> health;
  double recover_timeout_s = 120;  // of each of the two
};

// A value of `options` and `topology_options`.
using TargetOption = std::variant<std::string, int64_t, double, bool>;

struct Target {
  std::filesystem::path path;
  std::string name;
  std::string description;
  std::vector<std::string> worker;    // argv; {bin}: the programs' folder, {file}: this file, {root}: the project's
  std::vector<std::string> flags;     // of the compiler; given to the worker after its argv
  std::string requirements;           // pip's file, relative to the project: ./dev nightly makes .venv-<name> of it
  std::vector<std::string> packages;  // Debian's, that its device needs
  std::string finding;                // Python that writes its bundles, relative to the project; empty: its kind's
  std::string install;                // for people: how to come by what `requirements` and `packages` do not bring
  double hello_timeout_s = 0;         // how long its worker may take to start, where that is more than usual
  int64_t batch = 1;                  // cases that may compile as functions of one module
  std::vector<std::string> version;   // argv that prints the toolchain's version; empty: the worker's hello tells
  std::vector<std::string> plugins;   // shared libraries with MLIR passes and dialects for the stages with `pipeline`
  std::vector<std::string> writable;  // folders that its worker may write to beside the case's; {env:NAME} works
  std::map<std::string, std::string> environment;  // of its worker; {root} and {env:NAME} work
  // For device kind pjrt: a shared library that exports GetPjrtApi ({root}, {env:NAME}, and * within a folder's name),
  // the devices to compile for if none is present, and the options of the plugin's client and topology.
  std::string plugin;
  std::string topology;
  std::map<std::string, TargetOption> options;
  std::map<std::string, TargetOption>
      topology_options;  // of the topology alone: a client may refuse what it has no use for
  // Dialects whose attributes it gets with the programs that models had them in: "ttcore". Elsewhere they are left out.
  std::vector<std::string> keep_attributes;
  bool network = false;  // its worker may use the network
  // `helpers: kept`: processes that a request to its worker started may go on running after it.
  bool keeps_helpers = false;
  // argv of a program that is run before the first case and finds out whether what all cases go through works
  // (harness/worker/preflight.h); {out} is the results' folder. Empty: none.
  std::vector<std::string> preflight;
  Device device;
  Arithmetic arithmetic;
  bool verifies =
      true;  // false: programs are verified before they come to it, so it is given none that must be refused
  std::vector<Stage> stages;

  // Stage names as reports list them: this target's stages, then compare.
  std::vector<std::string> StageNames() const;
};

// Reads and checks; an unknown key, a missing name or a doubled stage is kBadInput with file and line.
Expected<Target> LoadTarget(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGETS_TARGET_H_
