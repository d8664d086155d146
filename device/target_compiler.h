// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The compiler half of a target: the stages from a case's file to an artifact.
//
//   std::string artifact;
//   StageResult result = compiler.Compile({.case_id = id, .file = file, .dir = scratch}, listener, artifact);
//   if (result.status == Status::kPass) device.Load(artifact);
//
// A target is one folder under device/ with one factory (device/target_registry.h). Compilers live in worker processes.
// A crash inside a compiler is a crash of the worker; the harness survives it and blames the stage that was started
// last. Nothing here tries to hide a crash.
#ifndef OPBYOP_DEVICE_TARGET_COMPILER_H_
#define OPBYOP_DEVICE_TARGET_COMPILER_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "manifests/cases/case_sharding.h"
#include "manifests/cases/grid.h"
#include "manifests/results/result.h"
#include "manifests/status/status.h"
#include "support/expected.h"

namespace opbyop::device {

// The result of one stage. `diagnostic` is the first line that an engineer would quote; empty on pass.
struct StageResult {
  Status status = Status::kPass;
  std::string diagnostic;

  bool passed() const { return status == Status::kPass; }
};

// The result of a stage that an error ended.
inline StageResult ResultOf(const Error& error) {
  return {error.code == ExitCode::kUnsupported ? Status::kUnsupported : Status::kFail, error.message};
}

// Is notified of every stage as it starts and ends, so that a crash in between is blamed on the right one.
class StageListener {
 public:
  virtual ~StageListener() = default;
  virtual void Begin(std::string_view stage) = 0;
  virtual void End(std::string_view stage, const StageResult& result) = 0;
};

struct CompileRequest {
  std::string case_id;
  std::filesystem::path file;
  std::filesystem::path dir;
  bool save_intermediates = false;  // leave `dir`/<k>_<stage>.<ext> for every stage

  // The stage that produced the file; stages up to it are skipped. Empty: the file is a program.
  std::string after;

  // The last stage to run, if its IR is wanted: saved in generic form with locations. Empty: all stages run.
  std::string until;

  Grid grid = {};  // the processes that will run the program at once

  // If not null, the program is that of whole tensors, which are divided among the partitions of `grid`.
  std::shared_ptr<const CaseSharding> sharding = nullptr;

  bool verbatim = false;  // the compiler must judge the program, by the letter of the specification
};

class TargetCompiler {
 public:
  virtual ~TargetCompiler() = default;

  // Name and version of the toolchain: part of the cache key.
  virtual std::string Version() const = 0;

  // Runs every stage before `load` and announces each to `listener`. The first stage that does not pass ends the
  // compilation and is the result. `artifact` is the output of the last stage.
  virtual StageResult Compile(const CompileRequest& request, StageListener& listener, std::string& artifact) = 0;

  // How the last compilation divided a sharded program among the partitions, if the compiler reports it: "by rules", or
  // for which ops it gathered their whole operands.
  virtual std::string partitioning() const { return {}; }

  // The placements of the tensors of the last compilation, if the compiler reports them.
  virtual Placements placements() const { return {}; }
};

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_TARGET_COMPILER_H_
