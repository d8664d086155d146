// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Implements `opbyop eval FILE`: evaluates @main, or the only function, with the reference.
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
  std::filesystem::path file;                 // or a folder that torch_xla's save() wrote
  std::string entry = "main";                 // the function that runs
  std::vector<std::filesystem::path> inputs;  // .npy, one per argument; empty: inputs are generated from the seed
  // Folder for result_<i>.npy; those of section n go to section_<n>/. Empty: results are not written.
  std::filesystem::path output_dir;
  ProbeKind probe = ProbeKind::kNone;  // values inside the program to write to output_dir
  bool split_input_file = false;
  uint64_t seed = 0;
  std::vector<std::filesystem::path> meanings;  // definitions of custom calls (reference/meanings/meanings.h)
  std::string policy = "domain";                // policy of generated inputs
  bool quiet = false;                           // results are not printed
  int threads = 1;                              // threads for large matrix products
  EvalProgress* progress = nullptr;             // notified of every op; nullptr: none
  double max_executions = kMostExecutions;      // a program that executes more ops is unsupported
};

struct EvalSection {
  enum class Outcome { kPassed, kFailed, kUnsupported };
  int line = 1;  // line of the file on which the section starts
  Outcome outcome = Outcome::kPassed;
  ExitCode code = ExitCode::kOk;
  std::vector<std::string> messages;  // why it failed or is unsupported
};

struct EvalReport {
  std::vector<EvalSection> sections;
  int64_t Count(EvalSection::Outcome outcome) const;
  // Returns kOk, kUnexpectedResult after a failed check, the code of the error if there is only one section, or
  // kUnsupported if no section failed but one is unsupported.
  ExitCode exit_code() const;
};

// Prints results and failures to `out`. Returns an error only if the file cannot be read at all.
Expected<EvalReport> RunEval(const EvalCommandOptions& options, std::ostream& out);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_EVAL_COMMAND_H_
