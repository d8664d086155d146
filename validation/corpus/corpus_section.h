// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges the reader and the writer by one section of a corpus file.
//
//   SectionResult result = JudgeSection(text, "reduce.mlir", {.must_reject = false}, context);
//   if (!result.problem.empty()) print(result.problem);
//
// A section agrees if it is accepted or rejected as its author says. An accepted section must print as text that reads
// back and prints the same, and must read back the same from an artifact of each version that can hold it.
#ifndef OPBYOP_VALIDATION_CORPUS_CORPUS_SECTION_H_
#define OPBYOP_VALIDATION_CORPUS_CORPUS_SECTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "ir/artifact_info.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {

struct SectionRules {
  bool must_reject = false;
  bool may_have_unknown_dialects = false;
  std::vector<VhloVersion> versions;  // to write and read; empty: no round trips
};

struct SectionResult {
  bool is_accepted = false;
  bool agrees = false;
  bool is_fixed_point = false;
  bool splits = false;
  bool is_round_trip = false;  // the same from each version, or refused by the version with a reason
  int versions_held = 0;       // artifacts that read back the same
  std::string inexpressible;   // why the newest version cannot hold the section; empty if it can
  std::vector<std::string> problems;
};

std::string PrintedText(mlir::ModuleOp module);

SectionResult JudgeSection(std::string_view text, const std::string& name, const SectionRules& rules,
                           mlir::MLIRContext& context);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_CORPUS_CORPUS_SECTION_H_
