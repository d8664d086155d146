// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Out of what a tool printed, the line that an engineer would quote.
//
//   std::string line = QuoteDiagnostic(log, stage.diagnostic, {.scratch = dir, .file = file, .file_name =
//   "case.mlir"});
//   // "ttir.mlir:2:8: error: failed to legalize operation 'stablehlo.while'"
//
// The stage's own regular expressions come first. Without them, or where they find nothing: an error line of a
// compiler; a failed assertion or an unreachable, with the message before it; an LLVM ERROR; the exception that ends a
// Python traceback; the last line that is neither a warning, a note nor part of a stack dump. Warnings are never quoted
// while there is something else: some tools print one at every success.
#ifndef OPBYOP_DEVICE_COMMAND_DIAGNOSIS_H_
#define OPBYOP_DEVICE_COMMAND_DIAGNOSIS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/targets/target.h"

namespace opbyop::command {

// Paths in what a tool prints that are not part of what it says: with them, no two cases would fail alike.
struct LogPaths {
  std::filesystem::path scratch;  // taken off the names of files in it
  std::filesystem::path file;     // that was compiled
  std::string file_name;          // stands for it
};

// One line of valid UTF-8 without control characters. Empty where `log` has no line at all. `patterns` and `match` are
// those of a target that was read: what is no regular expression is found nowhere.
std::string QuoteDiagnostic(std::string_view log, const std::vector<std::string>& patterns, const LogPaths& paths);

// The reason of the first meaning found in `text`: its own words, or the line itself.
std::optional<std::string> FindMeaning(std::string_view text, const std::vector<Meaning>& meanings);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_DIAGNOSIS_H_
