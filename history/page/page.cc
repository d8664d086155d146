// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "history/page/page_cases.h"
#include "history/page/page_files.h"
#include "history/page/page_overview.h"
#include "history/page/page_records.h"
#include "history/questions/questions.h"
#include "reports/page/page_resource.h"
#include "reports/page/web_page.h"
#include "reports/view/table.h"
#include "support/files/file.h"
#include "support/text/count_text.h"

namespace opbyop::history {
namespace {

using Json = nlohmann::ordered_json;

// Cases that some run changed, except those that came or went with their model.
Expected<std::set<std::string>> ChangedCases(Database& db) {
  std::set<std::string> changed;
  const Expected<void> done = db.Query(
      R"sql(
      SELECT DISTINCT c.name
      FROM changes h JOIN model_rows m ON m.id = h.row_id JOIN cases c ON c.id = m.case_id
      WHERE h.kind NOT IN ('new', 'gone'))sql",
      {}, [&](const Record& record) { changed.emplace(record.Text(0)); });
  if (!done) return Unexpected(done.error());
  return changed;
}

// Shown without JavaScript: the newest runs, and the causes to fix first.
Expected<std::string> PlainSummary(Database& db, const std::string& series) {
  std::string text;
  for (const char* verb : {"trend", "rank"}) {
    const Expected<Answer> answer = Ask(db, *FindQuestion(verb), {.series = series, .name = "", .most = 10});
    if (!answer) return Unexpected(answer.error());
    text += reports::TableText(answer->table) + "\n";
  }
  return text;
}

}  // namespace

Expected<PageReport> WritePage(Database& db, const PageOptions& options) {
  Expected<std::vector<PageRun>> runs = RunsOf(db, options.series);
  if (!runs) return Unexpected(runs.error());
  if (runs->empty()) {
    return MakeError(ExitCode::kNothingToDo, options.series.empty()
                                                 ? "the history has no run: opbyop history import RUN"
                                                 : fmt::format("the history has no run of {}", options.series));
  }
  Expected<PageFiles> files = PageFiles::Make(options.out);
  if (!files) return Unexpected(files.error());
  const Expected<std::set<std::string>> changed = ChangedCases(db);
  if (!changed) return Unexpected(changed.error());
  Expected<Json> overview = Overview(db, options.series, *runs, options.out, *files);
  if (!overview) return Unexpected(overview.error());

  PageReport report{.index = options.out / "index.html", .runs = static_cast<int64_t>(runs->size())};
  PageCases cases(db, *runs, *files);
  if (const Expected<void> done = cases.WriteCases(); !done) return Unexpected(done.error());
  report.cases = cases.count();
  Json series = Json::array();
  std::vector<size_t> shown;
  std::unordered_map<std::string, std::vector<std::string>> recorded;
  for (size_t i = 0; i < runs->size(); ++i) {
    const PageRun& run = (*runs)[i];
    if (run.details > 0 && run.age > 0 && run.age <= options.runs) shown.push_back(i);
    if (!run.latest) continue;
    const size_t number = series.size();
    const std::string file = fmt::format("rows-{}", number);
    const Expected<int64_t> rows = cases.WriteRows(run, file);
    if (!rows) return Unexpected(rows.error());
    report.rows += *rows;
    const Expected<RecordedCases> of_run =
        WriteRecords(run, fmt::format("record-{}", number), cases, *changed, options.kept, *files);
    if (!of_run) return Unexpected(of_run.error());
    for (const auto& [name, where] : of_run->files) recorded[name].push_back(where);
    series.push_back({{"name", run.series}, {"run", i}, {"rows", *rows}, {"file", file}, {"absent", of_run->absent}});
  }
  report.recorded = static_cast<int64_t>(recorded.size());
  const Expected<void> done = cases.WriteChunks(shown, [&](const std::string& name) {
    const auto found = recorded.find(name);
    return found == recorded.end() ? std::vector<std::string>() : found->second;
  });
  if (!done) return Unexpected(done.error());
  (*overview)["series"] = std::move(series);
  (*overview)["cases"] = cases.count();
  (*overview)["chunk"] = PageCases::kChunk;
  (*overview)["shown_runs"] = options.runs;

  const Expected<std::string> summary = PlainSummary(db, options.series);
  if (!summary) return Unexpected(summary.error());
  const std::string data = reports::ScriptSafe(CompactJson(*overview));
  const std::string page = reports::MakeWebPage({.title = "history - opbyop",
                                                 .summary = *summary,
                                                 .needed_for = "tables",
                                                 .style = reports::kHistoryStyle,
                                                 .script = reports::kHistoryScript,
                                                 .data = data,
                                                 .loads_files = true});
  const Expected<void> written = WriteFile(report.index, page);
  if (!written) return Unexpected(written.error());
  report.files = files->count() + 1;
  report.bytes = files->bytes() + static_cast<int64_t>(page.size());
  return report;
}

}  // namespace opbyop::history
