// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// results.jsonl as a file: the whole of it, its records one after another, or one of them.
//
//   Expected<Run> run = LoadRun("out/nightly/results.jsonl");
//   for (const CaseRecord& record : run->cases) ...
//
// A run killed at any byte leaves a readable file: a last line without its newline is dropped, a missing
// footer means `complete == false`. A line that a full disk or a power failure damaged is reported in `bad_lines`; the
// others are kept.
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

// kNoInput, kUnsupported (schema version), kBadInput where the header cannot be read. Any other line that cannot be
// read is one of `bad_lines`.
Expected<Run> LoadRun(const std::filesystem::path& path);

// Where a record stands in its file, in bytes.
struct RecordPlace {
  int64_t offset = 0;
  int64_t size = 0;
};

// The same file without holding its records: the Run has none, `visit` gets each in file order. Of a repeated id the
// last one counts. Errors as above. With more than one thread the lines are parsed in parallel, a megabyte at a time;
// `visit` is called by this thread alone.
Expected<Run> ScanRun(const std::filesystem::path& path,
                      const std::function<void(CaseRecord record, RecordPlace place)>& visit, unsigned threads = 1);

// The header alone.
Expected<RunHeader> LoadRunHeader(const std::filesystem::path& path);

// The record of one line. kBadInput where it is none.
Expected<CaseRecord> ParseCaseRecord(std::string_view line);

// One record of a scanned file. kBadInput where the file has changed since.
Expected<CaseRecord> ReadRecord(std::istream& file, RecordPlace place);

// nullopt where the line is no footer.
std::optional<RunFooter> ParseFooter(std::string_view line);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RESULTS_RESULTS_FILE_H_
