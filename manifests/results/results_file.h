// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads results.jsonl: the whole file, its records one after another, or one of them.
//
//   Expected<Run> run = LoadRun("out/nightly/results.jsonl");
//   for (const CaseRecord& record : run->cases) ...
//
// A run that was killed at any byte leaves a readable file. A last line without its newline is dropped, and a missing
// footer means `complete == false`. A line that was damaged by a full disk or a power failure is listed in `bad_lines`;
// the others are kept.
#ifndef OPBYOP_MANIFESTS_RESULTS_RESULTS_FILE_H_
#define OPBYOP_MANIFESTS_RESULTS_RESULTS_FILE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "manifests/results/result.h"
#include "support/expected.h"

namespace opbyop {

// kNoInput; kUnsupported for another schema version; kBadInput if the header cannot be read. Any other line that cannot
// be read is added to `bad_lines`.
Expected<Run> LoadRun(const std::filesystem::path& path);

// The position of a record in its file, in bytes.
struct RecordPlace {
  int64_t offset = 0;
  int64_t size = 0;
};

// Reads the same file without keeping its records in the Run: `visit` gets each, in file order. If an id is repeated
// the last record counts. Errors as above. With more than one thread the lines are parsed in parallel, a megabyte at a
// time; `visit` is only called from this thread.
Expected<Run> ScanRun(const std::filesystem::path& path,
                      const std::function<void(CaseRecord record, RecordPlace place)>& visit, unsigned threads = 1);

// The header alone.
Expected<RunHeader> LoadRunHeader(const std::filesystem::path& path);

// Parses the record of one line. kBadInput if it is not one.
Expected<CaseRecord> ParseCaseRecord(std::string_view line);

// Reads one record of a scanned file. kBadInput if the file has changed since.
Expected<CaseRecord> ReadRecord(std::istream& file, RecordPlace place);

// nullopt if the line is not a footer.
std::optional<RunFooter> ParseFooter(std::string_view line);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_RESULTS_FILE_H_
