// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads and writes optrace.ndjson.
//
//   auto writer = TraceWriter::Create("out/optrace.ndjson", header);
//   (*writer)->Write(span);                       // on disk when it returns
//
//   Expected<Trace> trace = ReadTrace("out/optrace.ndjson");
//   Expected<void> read = ForEachRecord(path, [&](Record&& record) { ... });   // in bounded memory
#ifndef OPBYOP_MANIFESTS_OPTRACE_TRACE_FILE_H_
#define OPBYOP_MANIFESTS_OPTRACE_TRACE_FILE_H_

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "manifests/optrace/optrace.h"
#include "support/expected.h"
#include "support/text/private_values.h"

namespace opbyop::optrace {

class TraceWriter {
 public:
  // Starts a new file with its header. kNoInput if it cannot be written. None of `values` is written to it.
  static Expected<std::unique_ptr<TraceWriter>> Create(const std::filesystem::path& path, const Header& header,
                                                       PrivateValues values = {});
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // After this returns, a kill does not lose the record.
  Expected<void> Write(const Record& record);

  // Writes several at once, which costs less.
  Expected<void> Write(std::span<const Record> records);

 private:
  TraceWriter(std::filesystem::path path, int file, PrivateValues values)
      : path_(std::move(path)), file_(file), private_values_(std::move(values)) {}

  std::filesystem::path path_;
  int file_;
  PrivateValues private_values_;
  std::string lines_;
};

// Calls `sink` with every record in order, the header first. An incomplete last line ends the file and is reported as a
// Warning. Errors:
//   kNoInput      no such file
//   kBadInput     empty, or not a trace: names the first line
//   kUnsupported  another version; the message names it
Expected<void> ForEachRecord(const std::filesystem::path& path, const std::function<void(Record&&)>& sink);

Expected<Trace> ReadTrace(const std::filesystem::path& path);

}  // namespace opbyop::optrace

#endif  // OPBYOP_MANIFESTS_OPTRACE_TRACE_FILE_H_
