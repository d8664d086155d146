// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/optrace/trace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "manifests/formats/json.h"
#include "support/files/file.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

Expected<void> CheckHeader(const json& line, const std::string& path) {
  const std::string schema = line.is_object() ? line.value("schema", "") : "";
  if (schema == kSchema) return {};
  if (schema.starts_with("optrace/")) {
    return MakeError(
        ExitCode::kUnsupported,
        fmt::format("{}: schema {}; this version reads {}: make the trace or read it with the same version", path,
                    schema, kSchema));
  }
  return MakeError(ExitCode::kBadInput,
                   fmt::format("{}:1: expected the header of a trace, {{\"record\":\"header\",\"schema\":\"{}\",...}}; "
                               "is this another kind of file?",
                               path, kSchema));
}

void HideIn(const PrivateValues& values, Header& header) {
  for (std::string& word : header.command) values.HideIn(word);
  values.HideIn(header.toolchain);
  for (TraceDevice& device : header.devices) {
    values.HideIn(device.name);
    values.HideIn(device.peak_source);
  }
}

void HideIn(const PrivateValues& values, Op& op) {
  values.HideIn(op.location);
  values.HideIn(op.text);
  for (std::string& part : op.path) values.HideIn(part);
}

void HideIn(const PrivateValues& values, OpRun& run) { values.HideIn(run.diagnostic); }
void HideIn(const PrivateValues& values, Instruction& instruction) {
  values.HideIn(instruction.track);
  values.HideIn(instruction.name);
}
void HideIn(const PrivateValues& values, Warning& warning) { values.HideIn(warning.text); }
void HideIn(const PrivateValues& values, Footer& footer) { values.HideIn(footer.whole_model_verdict); }

template <typename T>
concept HasTextOfOthers = requires(const PrivateValues& values, T& record) { HideIn(values, record); };

}  // namespace

Expected<std::unique_ptr<TraceWriter>> TraceWriter::Create(const std::filesystem::path& path, const Header& header,
                                                           PrivateValues values) {
  // Remove the file instead of truncating it: ext4 writes a file that was truncated and refilled to the disk when it is
  // closed, which takes as long as recording hundreds of ops.
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
  std::unique_ptr<TraceWriter> writer(new TraceWriter(path, file, std::move(values)));
  if (auto written = writer->Write(header); !written) return Unexpected(written.error());
  return writer;
}

TraceWriter::~TraceWriter() { ::close(file_); }

Expected<void> TraceWriter::Write(const Record& record) { return Write(std::span(&record, 1)); }

Expected<void> TraceWriter::Write(std::span<const Record> records) {
  lines_.clear();
  for (const Record& record : records) {
    std::visit(
        [&](const auto& value) {
          using T = std::remove_cvref_t<decltype(value)>;
          if constexpr (HasTextOfOthers<T>) {
            T shown = value;
            HideIn(private_values_, shown);
            AppendLine(shown, lines_);
          } else {
            AppendLine(record, lines_);
          }
        },
        record);
  }
  if (const std::error_code error = WriteAll(file_, lines_)) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", path_.string(), error.message()));
  }
  return {};
}

Expected<void> ForEachRecord(const std::filesystem::path& path, const std::function<void(Record&&)>& sink) {
  Expected<std::ifstream> file = OpenFile(path);
  if (!file) return Unexpected(file.error());
  std::string line;
  int64_t number = 1;
  for (; ReadLine(*file, line); ++number) {
    const bool cut = file->eof();  // no newline after it: the writer was killed
    Expected<json> parsed = line.size() > kLongestLine
                                ? MakeError(ExitCode::kBadInput, "the line is longer than any of a trace")
                                : ParseJson(line);
    if (!parsed && cut && number > 1) {
      sink(Warning{fmt::format("line {} was cut short: the run was killed while it wrote", number)});
      return {};
    }
    const json object = parsed ? std::move(*parsed) : json(json::value_t::discarded);
    if (number == 1) {
      if (auto checked = CheckHeader(object, path.string()); !checked) return checked;
    }
    if (!parsed) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}:{}: no record of a trace: {}", path.string(), number, parsed.error().message));
    }
    try {
      sink(FromJson(object));
    } catch (const json::exception& error) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}:{}: no record of a trace: {}", path.string(), number, error.what()));
    }
  }
  if (number == 1) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: the file is empty; a trace has at least its header", path.string()));
  }
  return {};
}

Expected<Trace> ReadTrace(const std::filesystem::path& path) {
  Trace trace;
  struct Filler {
    Trace& trace;
    void operator()(Header&& header) { trace.header = std::move(header); }
    void operator()(Op&& op) { trace.ops.push_back(std::move(op)); }
    void operator()(Span&& span) { trace.spans.push_back(std::move(span)); }
    void operator()(OpRun&& run) {
      const auto [entry, added] = run_of_op.try_emplace(run.op, trace.runs.size());
      if (added) {
        trace.runs.push_back(std::move(run));
      } else {
        trace.runs[entry->second] = std::move(run);
      }
    }
    void operator()(OutputCompare&& compare) { trace.compares.push_back(std::move(compare)); }
    void operator()(Instruction&& instruction) { trace.instructions.push_back(std::move(instruction)); }
    void operator()(Warning&& warning) { trace.warnings.push_back(std::move(warning)); }
    void operator()(Footer&& footer) { trace.footer = std::move(footer); }
    std::unordered_map<int64_t, size_t> run_of_op = {};
  } filler{trace};
  const auto read = ForEachRecord(path, [&](Record&& record) { std::visit(filler, std::move(record)); });
  if (!read) return Unexpected(read.error());
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops[i].id != static_cast<int64_t>(i)) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: found op {} where op {} was expected; ids count from 0",
                                                        path.string(), trace.ops[i].id, i));
    }
    constexpr size_t kDeepest = 200;  // views have a level for each part
    if (trace.ops[i].path.size() > kDeepest) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: op {} has a module path of {} parts, more than {}",
                                                        path.string(), i, trace.ops[i].path.size(), kDeepest));
    }
  }
  for (const Instruction& instruction : trace.instructions) {
    const auto is_op = [&](int64_t op) { return op >= 0 && op < static_cast<int64_t>(trace.ops.size()); };
    constexpr int64_t kLatest = std::numeric_limits<int64_t>::max() / 4;  // the ends of two such times can be added
    const bool in_time = instruction.start_ps >= 0 && instruction.start_ps < kLatest && instruction.dur_ps >= 0 &&
                         instruction.dur_ps < kLatest;
    if (!in_time || !std::ranges::all_of(instruction.ops, is_op)) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}: instruction {} begins at {} ps and takes {} ps, and names ops {} of {}",
                                   path.string(), instruction.name, instruction.start_ps, instruction.dur_ps,
                                   fmt::join(instruction.ops, ", "), trace.ops.size()));
    }
  }
  for (const Span& span : trace.spans) {
    if (span.op < -1 || span.op >= static_cast<int64_t>(trace.ops.size()) || span.dur_ps < 0) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: span {} names op {} of {}, duration {} ps", path.string(),
                                                        span.id, span.op, trace.ops.size(), span.dur_ps));
    }
  }
  const auto check = [&](const auto& records, const char* kind) -> Expected<void> {
    for (const auto& record : records) {
      if (record.op >= 0 && record.op < static_cast<int64_t>(trace.ops.size())) continue;
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}: an {} names op {} of {}: the file is not as it was written", path.string(),
                                   kind, record.op, trace.ops.size()));
    }
    return {};
  };
  if (auto checked = check(trace.runs, "op_run"); !checked) return Unexpected(checked.error());
  if (auto checked = check(trace.compares, "output_compare"); !checked) return Unexpected(checked.error());
  if (!trace.footer) trace.warnings.push_back({"the trace has no footer: the run was cut short"});
  return trace;
}

}  // namespace opbyop::optrace
