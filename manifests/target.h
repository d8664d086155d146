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
//
// A stage with `pipeline` is an MLIR pass pipeline that the worker runs, one with `command` an argv with
// {input} {output} {dir} placeholders, one with neither is built into the worker under that name. The stages
// `inputs` and `compare` belong to the reference worker and are never listed.
#ifndef OPBYOP_MANIFESTS_TARGET_H_
#define OPBYOP_MANIFESTS_TARGET_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kTargetSchema = "opbyop-target/1";

// Stages that run on the device, after the artifact is made.
inline constexpr std::string_view kLoadStage = "load";
inline constexpr std::string_view kExecuteStage = "execute";
inline constexpr std::string_view kInputsStage = "inputs";    // reference worker
inline constexpr std::string_view kCompareStage = "compare";  // reference worker

struct Limits {
  double timeout_s = 60;
  int64_t memory_mb = 8192;  // resident set of the worker; past it: out_of_memory
};

struct Stage {
  std::string name;
  std::string pipeline;              // textual pass pipeline; empty where it is not one
  std::vector<std::string> command;  // argv; empty where it is not one
  std::map<std::string, std::string> environment;
  std::string produces;  // file that a command stage leaves in {dir}; its absence is a failure
  Limits limits;

  // False for load and execute.
  bool is_compile_stage() const { return name != kLoadStage && name != kExecuteStage; }
};

struct Device {
  std::string kind;       // "host", "none" (compile only), ...
  bool parallel = false;  // several workers may use the device at once
};

struct Target {
  std::filesystem::path path;
  std::string name;
  std::string description;
  std::vector<std::string> worker;   // argv; {bin}: the programs' folder, {file}: this file, {root}: the project's
  std::vector<std::string> flags;    // of the compiler; given to the worker after its argv
  std::string requirements;          // pip's file, relative to the project: ./dev nightly makes .venv-<name> of it
  int64_t batch = 1;                 // cases that may compile as functions of one module
  std::vector<std::string> version;  // argv that prints the toolchain's version; empty: the worker's hello tells
  Device device;
  std::vector<Stage> stages;

  // Stage names as reports list them: this target's stages, then compare.
  std::vector<std::string> StageNames() const;
};

// Reads and checks; an unknown key, a missing name or a doubled stage is kBadInput with file and line.
Expected<Target> LoadTarget(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_TARGET_H_
