// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the line that an engineer would quote in the output of a tool.
//
//   std::string line = QuoteDiagnostic(log, stage.diagnostic, {.scratch = dir, .file = file, .file_name =
//   "case.mlir"});
//   // "ttir.mlir:2:8: error: failed to legalize operation 'stablehlo.while'"
//
// The stage's own regular expressions are tried first. Without them, or if they match nothing, the line is, in this
// order: an error line of a compiler; a failed assertion or an unreachable, with the message before it; an LLVM ERROR;
// the exception that ends a Python traceback; the last line that is neither a warning, a note nor part of a stack dump.
// A warning is quoted only if there is nothing else, since some tools print one on every success.
#ifndef OPBYOP_DEVICE_COMMAND_DIAGNOSIS_H_
#define OPBYOP_DEVICE_COMMAND_DIAGNOSIS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/targets/target.h"

namespace opbyop::command {

// Paths that are replaced in the output of a tool. They differ from case to case, so that no two cases would fail
// alike.
struct LogPaths {
  std::filesystem::path scratch;  // removed from the names of files in it
  std::filesystem::path file;     // the file that was compiled
  std::string file_name;          // replaces the name of `file`
};

// Returns one line of valid UTF-8 without control characters, empty if `log` has no line. `patterns` and `match` were
// checked when the target was read; one that is no regular expression matches nothing.
std::string QuoteDiagnostic(std::string_view log, const std::vector<std::string>& patterns, const LogPaths& paths);

// Replaces the paths in a text.
std::string WithoutPaths(std::string text, const LogPaths& paths);

// The reason of the first meaning that matches `text`: the meaning's own words, or the line that matched.
std::optional<std::string> FindMeaning(std::string_view text, const std::vector<Meaning>& meanings);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_DIAGNOSIS_H_
