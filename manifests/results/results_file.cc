// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <optional>
#include <unordered_map>

#include "manifests/formats/json.h"
#include "manifests/formats/json_view.h"
#include "manifests/results/result_fields.h"
#include "support/files/file.h"

namespace opbyop {
namespace {

using nlohmann::json;

Expected<RunHeader> CheckedHeader(const json& object, const std::filesystem::path& path, int line) {
  const std::string schema = object.at("schema");
  if (schema != kResultsSchema) {
    return MakeError(ExitCode::kUnsupported, fmt::format("{}:{}: schema {} is not read by this version, which reads {}",
                                                         path.string(), line, schema, kResultsSchema));
  }
  RunHeader header = ReadObject<RunHeader>(object);
  constexpr size_t kMostStages = 1000;  // reports have a column for each
  if (header.stages.size() > kMostStages) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {} stages, no target has more than {}", path.string(),
                                                      line, header.stages.size(), kMostStages));
  }
  Expected<Demands> demands = ParseDemands(object.value("min_pass", ""), object.value("fail_on", ""));
  if (!demands) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}", path.string(), line, demands.error().message));
  }
  header.demands = std::move(*demands);
  return header;
}

// Parses a record, or says what is wrong with the line.
Expected<json> ParseRecord(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) {
    return MakeError(ExitCode::kBadInput, "holds NUL bytes: did the machine go down before it was on the disk?");
  }
  Expected<json> object = ParseJson(line);
  if (object && !object->is_object()) return MakeError(ExitCode::kBadInput, "not a JSON object");
  return object;
}

// One line of a results file and its content: a case's record, or another value.
struct Line {
  std::string text;
  std::string kind;
  std::optional<CaseRecord> record;
  json object;
  std::string why;  // why it is neither
};

constexpr size_t kBytesAtATime = size_t{1} << 20;

std::string NotOfSchema(const json::exception& failure) {
  return fmt::format("not a record of this schema: {}", failure.what());
}

// Reads complete lines of at least `bytes`, or all that there are. An incomplete last line is left out.
std::vector<Line> ReadLines(std::istream& file, size_t bytes) {
  std::vector<Line> lines;
  size_t read = 0;
  for (Line line; read < bytes && ReadLine(file, line.text) && !file.eof(); line = {}) {
    read += line.text.size() + 1;
    const bool too_long = line.text.size() > kLongestLine;
    lines.push_back(std::move(line));
    if (too_long) break;
  }
  return lines;
}

// Reads a record that this program wrote. nullopt for any other line, or if anything is wrong with it: the full parser
// then reports what.
std::optional<CaseRecord> PlainRecordOf(std::string_view line) {
  static thread_local JsonDocument document;
  try {
    const std::optional<JsonView> object = document.Parse(line);
    const bool is_case = object && object->at("record").IsText("case");
    return is_case ? std::optional(CaseRecordOf(*object)) : std::nullopt;
  } catch (const simdjson::simdjson_error&) {
    return std::nullopt;
  }
}

void ParseLine(Line& line) {
  line.record = PlainRecordOf(line.text);
  if (line.record) return;
  Expected<json> object = ParseRecord(line.text);
  if (!object) {
    line.why = object.error().message;
    return;
  }
  try {
    line.kind = object->at("record").get<std::string>();
    if (line.kind == "case") {
      line.record = CaseRecordOf(*object);
    } else {
      line.object = std::move(*object);
    }
  } catch (const json::exception& failure) {
    line.why = NotOfSchema(failure);
  }
}

// Parses on this many threads, including this one; each takes a contiguous part. If the system has no thread left,
// async runs the part in this thread.
void ParseLines(std::vector<Line>& lines, unsigned threads) {
  const size_t part = (lines.size() + threads - 1) / threads;
  const auto parse = [&](size_t begin) {
    for (size_t i = begin; i < std::min(begin + part, lines.size()); ++i) ParseLine(lines[i]);
  };
  std::vector<std::future<void>> others;
  for (size_t begin = part; begin < lines.size(); begin += part) {
    others.push_back(std::async(parse, begin));
  }
  parse(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace

std::optional<RunFooter> ParseFooter(std::string_view line) {
  const Expected<json> object = ParseRecord(line);
  try {
    const bool is_footer = object && object->at("record") == "footer";
    return is_footer ? std::optional(ReadObject<RunFooter>(*object)) : std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Expected<Run> ScanRun(const std::filesystem::path& path,
                      const std::function<void(CaseRecord record, RecordPlace place)>& visit, unsigned threads) {
  Expected<std::ifstream> file = OpenFile(path);
  if (!file) return Unexpected(file.error());
  const auto bad = [&](int line, std::string_view what) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}", path.string(), line, what));
  };
  Run run;
  int line = 0;
  bool has_header = false;
  RecordPlace place;
  while (true) {
    std::vector<Line> lines = ReadLines(*file, threads > 1 ? kBytesAtATime : 1);
    if (lines.empty()) break;
    if (lines.back().text.size() > kLongestLine) {
      return bad(line + static_cast<int>(lines.size()), "the line is longer than any of a results file");
    }
    ParseLines(lines, threads);
    for (Line& each : lines) {
      ++line;
      place.size = static_cast<int64_t>(each.text.size());
      std::string why = std::move(each.why);
      try {
        if (each.record && has_header) {
          visit(std::move(*each.record), place);
          run.complete = false;
        } else if (each.kind == "header") {
          Expected<RunHeader> header = CheckedHeader(each.object, path, line);
          if (!header) return Unexpected(header.error());
          if (!has_header) run.header = std::move(*header);  // a resumed run keeps its first header
          has_header = true;
          run.complete = false;
        } else if (each.kind == "event") {
          run.events.push_back(ReadObject<RunEvent>(each.object));
          run.complete = false;
        } else if (each.kind == "footer") {
          run.footer = ReadObject<RunFooter>(each.object);
          run.complete = true;
        }
      } catch (const json::exception& failure) {
        why = NotOfSchema(failure);
      }
      if (!has_header) return bad(line, why.empty() ? "the first record must be the header" : why);
      if (!why.empty()) run.bad_lines.push_back({line, std::move(why)});
      place.offset += place.size + 1;
    }
  }
  if (!has_header) return bad(1, "no header: not a results file, or the run was killed before it began");
  return run;
}

Expected<Run> LoadRun(const std::filesystem::path& path) {
  std::vector<CaseRecord> cases;
  std::unordered_map<std::string, size_t> position;
  Expected<Run> run = ScanRun(path, [&](CaseRecord record, RecordPlace) {
    const auto [known, is_new] = position.emplace(record.id, cases.size());
    if (is_new) {
      cases.push_back(std::move(record));
    } else {
      cases[known->second] = std::move(record);
    }
  });
  if (run) run->cases = std::move(cases);
  return run;
}

Expected<RunHeader> LoadRunHeader(const std::filesystem::path& path) {
  Expected<std::ifstream> file = OpenFile(path);
  if (!file) return Unexpected(file.error());
  const auto none = [&] {
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("{}:1: no header: not a results file, or the run was killed before it began", path.string()));
  };
  std::string text;
  (void)ReadLine(*file, text);
  if (text.size() > kLongestLine) return none();
  const Expected<json> object = ParseRecord(text);
  try {
    if (!file->eof() && object && object->at("record") == "header") return CheckedHeader(*object, path, 1);
    return none();
  } catch (const json::exception&) {
    return none();
  }
}

Expected<CaseRecord> ParseCaseRecord(std::string_view line) {
  if (std::optional<CaseRecord> record = PlainRecordOf(line)) return std::move(*record);
  const Error none = {ExitCode::kBadInput, "no record of a case"};
  const Expected<json> object = ParseRecord(line);
  try {
    return object ? Expected<CaseRecord>(CaseRecordOf(*object)) : Unexpected(none);
  } catch (const json::exception&) {
    return Unexpected(none);
  }
}

Expected<CaseRecord> ReadRecord(std::istream& file, RecordPlace place) {
  std::string text(static_cast<size_t>(place.size), '\0');
  file.clear();
  file.seekg(place.offset);
  file.read(text.data(), place.size);
  Expected<CaseRecord> record = ParseCaseRecord(text);
  if (file && record) return record;
  return MakeError(
      ExitCode::kBadInput,
      fmt::format("no record at byte {} of the results any more: another run is writing the file", place.offset));
}

}  // namespace opbyop
