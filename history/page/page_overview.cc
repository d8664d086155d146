// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/page_overview.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "history/questions/questions.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/status/status.h"
#include "reports/view/page_number.h"

namespace opbyop::history {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Answers with more lines are loaded on demand.
constexpr size_t kEmbeddedLines = 2000;

constexpr std::string_view KindName(Column::Kind kind) {
  switch (kind) {
    case Column::Kind::kText:
      return "text";
    case Column::Kind::kLong:
      return "long";
    case Column::Kind::kCount:
      return "count";
    case Column::Kind::kShare:
      return "share";
    case Column::Kind::kDrift:
      return "drift";
    case Column::Kind::kMicroseconds:
      return "us";
    case Column::Kind::kDate:
      return "date";
  }
  return "text";
}

Json CellOf(const Record& record, int at, Column::Kind kind) {
  if (record.IsNull(at)) return nullptr;
  switch (kind) {
    case Column::Kind::kCount:
      return record.Integer(at);
    case Column::Kind::kShare:
    case Column::Kind::kDrift:
    case Column::Kind::kMicroseconds:
      return record.Real(at);
    default:
      return std::string(record.Text(at));
  }
}

Expected<Json> TableOf(Database& db, const Question& question, const std::string& series, PageFiles& files) {
  Json columns = Json::array();
  for (const Column& column : question.columns) {
    columns.push_back({{"title", column.title}, {"kind", KindName(column.kind)}});
  }
  Json lines = Json::array();
  const Expected<void> done = AskEach(db, question, series, [&](const Record& record) {
    Json line = Json::array();
    for (size_t i = 0; i < question.columns.size(); ++i) {
      line.push_back(CellOf(record, static_cast<int>(i), question.columns[i].kind));
    }
    lines.push_back(std::move(line));
  });
  if (!done) return Unexpected(done.error());
  Json table = {{"verb", question.verb}, {"help", question.help}, {"empty", question.empty}};
  table["columns"] = std::move(columns);
  table["count"] = lines.size();
  if (lines.size() <= kEmbeddedLines) {
    table["lines"] = std::move(lines);
    return table;
  }
  table["file"] = fmt::format("table-{}", question.verb);
  const Expected<void> written = files.Write(table["file"], CompactJson(lines));
  if (!written) return Unexpected(written.error());
  return table;
}

// A path as a URL: "../night%201/index.html".
std::string AddressOf(const fs::path& path) {
  std::string address;
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || std::string_view("/._~-").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return address;
}

// The address of the run's own page, from the folder of this one; empty if there is none of this run.
std::string RunPage(const PageRun& run, const fs::path& out) {
  std::error_code error;
  if (!fs::is_regular_file(fs::path(run.source) / "index.html", error) || !SourceHasRun(run)) return "";
  const fs::path way = fs::proximate(fs::path(run.source) / "index.html", out, error);
  return error ? "" : AddressOf(way);
}

// Writes the changes of each run, row by row. Returns the files' names by run. A run without changes has none.
Expected<std::map<size_t, std::string>> WriteChanges(Database& db, const std::vector<PageRun>& runs, PageFiles& files) {
  std::unordered_map<std::string, int64_t> counts;
  Expected<void> done =
      db.Query("SELECT r.name, count(*) FROM changes h JOIN runs r ON r.id = h.run_id GROUP BY r.name", {},
               [&](const Record& record) { counts.emplace(record.Text(0), record.Integer(1)); });
  std::map<size_t, std::string> names;
  for (size_t i = 0; done && i < runs.size(); ++i) {
    if (!counts.contains(runs[i].name)) continue;
    Json lines = Json::array();
    done = db.Query(
        R"sql(
      SELECT kind, model, case_name, op, signature, before_status, after_status, coalesce(after_cause,
        before_cause), stage, diagnostic, before_value, after_value, confidence, alike
      FROM run_changes WHERE run = $1
      ORDER BY kind, op, case_name, model)sql",
        {runs[i].name}, [&](const Record& record) {
          Json line = Json::array();
          for (int at = 0; at < 10; ++at) {
            line.push_back(record.IsNull(at) ? Json() : Json(std::string(record.Text(at))));
          }
          for (int at = 10; at < 13; ++at) {
            line.push_back(record.IsNull(at) ? Json() : reports::PageNumber(record.Real(at)));
          }
          line.push_back(record.Integer(13));
          lines.push_back(std::move(line));
        });
    if (!done) break;
    names[i] = fmt::format("run-{}", i);
    done = files.Write(names[i], CompactJson(lines));
  }
  if (!done) return Unexpected(done.error());
  return names;
}

// Per cause, [run, rows, cases, models, ops] for each run with it.
Expected<Json> CauseRuns(Database& db, const std::vector<PageRun>& runs) {
  std::unordered_map<std::string, size_t> index;
  for (size_t i = 0; i < runs.size(); ++i) index.emplace(runs[i].name, i);
  Json causes = Json::object();
  const Expected<void> done =
      db.Query("SELECT cause, run, rows_count, cases, models, ops FROM cause_history ORDER BY cause, started, run", {},
               [&](const Record& record) {
                 const auto run = index.find(std::string(record.Text(1)));
                 if (run == index.end()) return;
                 causes[std::string(record.Text(0))].push_back(
                     {run->second, record.Integer(2), record.Integer(3), record.Integer(4), record.Integer(5)});
               });
  if (!done) return Unexpected(done.error());
  return causes;
}

}  // namespace

std::string CompactJson(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool SourceHasRun(const PageRun& run) {
  const fs::path source = run.source;
  std::error_code error;
  const fs::path results = fs::is_directory(source, error) ? source / "results.jsonl" : source;
  if (!fs::is_regular_file(results, error)) return false;
  const Expected<RunHeader> header = LoadRunHeader(results);
  return header && header->run_id == run.name;
}

Expected<std::vector<PageRun>> RunsOf(Database& db, const std::string& series) {
  std::vector<PageRun> runs;
  Expected<void> done = db.Query(
      R"sql(
      SELECT r.id, r.name, r.series, r.source, coalesce(a.age, 0), r.details, CASE WHEN l.id IS NULL THEN 0 ELSE 1
        END, r.started, r.target, r.toolchain, r.policy, r.mode, r.seed, r.git_sha, r.machine, r.compile_only,
        r.wall_s, r.complete, r.partial, p.name, r.drift
      FROM runs r LEFT JOIN run_ages a ON a.id = r.id LEFT JOIN latest_runs l ON l.id = r.id
      LEFT JOIN runs p ON p.id = r.previous_id WHERE $1 = '' OR r.series = $1
      ORDER BY r.started_us DESC, r.name DESC)sql",
      {series}, [&](const Record& record) {
        const auto text = [&](int at) { return std::string(record.Text(at)); };
        PageRun& run = runs.emplace_back();
        run.id = record.Integer(0);
        run.name = text(1);
        run.series = text(2);
        run.source = text(3);
        run.age = record.Integer(4);
        run.details = record.Integer(5);
        run.latest = record.Integer(6) != 0;
        run.facts = {{"name", run.name},
                     {"series", run.series},
                     {"age", run.age},
                     {"latest", run.latest},
                     {"started", text(7)},
                     {"target", text(8)},
                     {"toolchain", text(9)},
                     {"policy", text(10)},
                     {"mode", text(11)},
                     {"seed", std::to_string(record.Integer(12))},
                     {"git_sha", text(13)},
                     {"machine", text(14)},
                     {"source", run.source},
                     {"compile_only", text(15)},
                     {"wall_s", reports::PageNumber(record.Real(16))},
                     {"complete", record.Integer(17) != 0},
                     {"partial", record.Integer(18) != 0},
                     {"previous", text(19)},
                     {"drift", record.IsNull(20) ? Json() : Json(record.Real(20))},
                     {"counts", std::vector<int64_t>(kAllStatuses.size())},
                     {"added", {0, 0}},
                     {"gone", {0, 0}}};
      });
  if (!done) return Unexpected(done.error());
  std::unordered_map<int64_t, size_t> index;
  for (size_t i = 0; i < runs.size(); ++i) index.emplace(runs[i].id, i);
  done = db.Query("SELECT run_id, status_id, rows_count FROM run_counts", {}, [&](const Record& record) {
    const auto run = index.find(record.Integer(0));
    const auto status = static_cast<size_t>(record.Integer(1));
    if (run != index.end() && status < kAllStatuses.size()) {
      runs[run->second].facts["counts"][status] = record.Integer(2);
    }
  });
  if (done) {
    done = db.Query(
        R"sql(
      SELECT run_id, kind, count(*), sum(CASE WHEN coalesce(after_status_id, before_status_id) = $1 THEN 1 ELSE 0 END)
      FROM changes WHERE kind IN ('new', 'gone') GROUP BY run_id, kind)sql",
        {static_cast<int64_t>(Status::kPass)}, [&](const Record& record) {
          const auto run = index.find(record.Integer(0));
          if (run == index.end()) return;
          runs[run->second].facts[record.Text(1) == "new" ? "added" : "gone"] = {record.Integer(2), record.Integer(3)};
        });
  }
  if (!done) return Unexpected(done.error());
  return runs;
}

Expected<Json> Overview(Database& db, const std::string& series, const std::vector<PageRun>& runs, const fs::path& out,
                        PageFiles& files) {
  const Expected<std::map<size_t, std::string>> changes = WriteChanges(db, runs, files);
  if (!changes) return Unexpected(changes.error());
  Expected<Json> causes = CauseRuns(db, runs);
  if (!causes) return Unexpected(causes.error());
  Json overview = {{"schema", "opbyop-history/1"}, {"version", files.version()}};
  overview["statuses"] = Json::array();
  for (const Status status : kAllStatuses) {
    overview["statuses"].push_back(
        {{"name", ToString(status)}, {"red", IsProblem(status)}, {"blocks", IsBlocking(status)}});
  }
  overview["runs"] = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    Json facts = runs[i].facts;
    const auto file = changes->find(i);
    facts["changes"] = file == changes->end() ? "" : file->second;
    facts["page"] = RunPage(runs[i], out);
    overview["runs"].push_back(std::move(facts));
  }
  overview["tables"] = Json::array();
  for (const Question& question : Questions()) {
    Expected<Json> table = TableOf(db, question, series, files);
    if (!table) return Unexpected(table.error());
    overview["tables"].push_back(std::move(*table));
  }
  overview["causes"] = std::move(*causes);
  return overview;
}

}  // namespace opbyop::history
