// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `opbyop eval FILE`: evaluates @main, or the only function, with the reference.
//
//   Expected<EvalReport> report = RunEval({.file = "add.mlir", .inputs = {"a.npy", "b.npy"}}, std::cout);
//   return static_cast<int>(report ? report->exit_code() : report.error().code);
//
// With split_input_file every section between `// -----` marks is judged by itself, and the last line says
// "N passed, N failed" (and how many are unsupported).
#ifndef OPBYOP_REFERENCE_WORKER_EVAL_COMMAND_H_
#define OPBYOP_REFERENCE_WORKER_EVAL_COMMAND_H_

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "reference/eval/estimate.h"
#include "reference/eval/probe.h"
#include "support/expected.h"

namespace opbyop::reference {

class EvalProgress;

struct EvalCommandOptions {
  std::filesystem::path file;
  std::vector<std::filesystem::path> inputs;  // .npy, one per argument; seeded inputs where there are none
  // result_<i>.npy go here, of section n in section_<n>/; empty: nowhere.
  std::filesystem::path output_dir;
  ProbeKind probe = ProbeKind::kNone;  // values inside the program, into output_dir
  bool split_input_file = false;
  uint64_t seed = 0;
  std::string policy = "domain";            // of seeded inputs
  bool quiet = false;                       // results are not printed
  int threads = 1;                          // of large matrix products
  EvalProgress* progress = nullptr;         // told of every op
  double max_executions = kMostExecutions;  // of ops; a program that executes more is unsupported
};

struct EvalSection {
  enum class Outcome { kPassed, kFailed, kUnsupported };
  int line = 1;  // where it starts
  Outcome outcome = Outcome::kPassed;
  ExitCode code = ExitCode::kOk;
  std::vector<std::string> messages;  // why it failed or is unsupported
};

struct EvalReport {
  std::vector<EvalSection> sections;
  int64_t Count(EvalSection::Outcome outcome) const;
  // kOk, kUnexpectedResult after a failed check, the code of the only section's error, kUnsupported where nothing
  // failed but something is unsupported.
  ExitCode exit_code() const;
};

// Prints results and failures to `out`. Errors: the file cannot be read at all.
Expected<EvalReport> RunEval(const EvalCommandOptions& options, std::ostream& out);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_EVAL_COMMAND_H_
