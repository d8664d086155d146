// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/comparison/comparison.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "reports/comparison/conformance_table.h"
#include "reports/page/html.h"
#include "reports/page/page_columns.h"
#include "reports/page/page_strings.h"
#include "reports/page/web_page.h"
#include "reports/view/first_line.h"
#include "reports/view/op_label.h"
#include "reports/view/page_number.h"
#include "reports/view/suite_versions.h"
#include "reports/view/table.h"
#include "support/files/file.h"
#include "support/text/replace_all.h"
#include "support/worse_exit_code.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

class DataWriter {
 public:
  DataWriter(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases)
      : runs_(runs), cases_(cases) {}

  Json Write() {
    Json data = {{"schema", "opbyop-comparison/3"}};
    data["statuses"] = data["problems"] = Json::array();
    for (const Status status : kAllStatuses) {
      data["statuses"].push_back(std::string(ToString(status)));
      if (IsProblem(status)) data["problems"].push_back(static_cast<int>(status));
    }
    data["runs"] = Json::array();
    for (const ComparedRun& run : runs_) data["runs"].push_back(RunJson(run));
    data["ops"] = data["cases"] = Json::array();
    std::unordered_map<std::string, size_t> op_index;
    for (const auto& [label, members] : ByOp(cases_)) {
      op_index.emplace(label, op_index.size());
      Json cells = Json::array();
      for (size_t run = 0; run < runs_.size(); ++run) cells.push_back(CellJson(Summarize(members, run)));
      data["ops"].push_back(
          {{"label", label}, {"kind", std::string(KindLabel(members.front()->c->kind))}, {"cells", std::move(cells)}});
    }
    for (const ComparedCase& compared : cases_) {
      Json outcomes = Json::array();
      for (const auto& outcome : compared.outcomes)
        outcomes.push_back(outcome ? OutcomeJson(*compared.c, *outcome) : Json());
      data["cases"].push_back(columns_.Pack("case", {{"id", compared.c->id},
                                                     {"op", op_index.at(OpLabel(*compared.c))},
                                                     {"dtype", Intern(ResultType(*compared.c))},
                                                     {"signature", Intern(SignatureText(*compared.c))},
                                                     {"outcomes", std::move(outcomes)}}));
    }
    data["strings"] = strings_.Take();
    data["columns"] = columns_.ToJson();
    return data;
  }

 private:
  static Json RunJson(const ComparedRun& run) {
    const View& view = *run.view;
    Json stages = Json::array();
    for (const StageSummary& stage : view.stages) {
      stages.push_back({{"name", stage.name},
                        {"passed", stage.rows.passed},
                        {"reached", stage.rows.reached},
                        {"median_ms", PageNumber(stage.median_ms)}});
    }
    return {{"target", view.run->header.target},
            {"toolchain", SafeText(view.run->header.toolchain)},
            {"link", run.link},
            {"complete", view.run->complete},
            {"wall_s", PageNumber(view.run->footer.wall_s)},
            {"rows", view.totals.rows},
            {"counts", view.totals.by_status},
            {"stages", std::move(stages)}};
  }

  Json CellJson(const OutcomeSummary& cell) {
    Json ends = Json::array();
    for (const EndCount& end : cell.ends) {
      ends.push_back(columns_.Pack(
          "end", {{"status", static_cast<int>(end.status)}, {"stage", Intern(end.stage)}, {"cases", end.cases}}));
    }
    return {{"cases", cell.cases},
            {"passed", cell.passed},
            {"ends", std::move(ends)},
            {"bound_ratio", PageNumber(cell.bound_ratio)},
            {"median_us", PageNumber(cell.median_us)},
            {"compile_ms", PageNumber(cell.compile_ms)}};
  }

  Json OutcomeJson(const Case& c, const Outcome& outcome) {
    const RowResult& row = *outcome.row;
    return columns_.Pack("outcome",
                         {{"status", static_cast<int>(row.status)},
                          {"stage", Intern(row.stage)},
                          {"diagnostic", Intern(row.status == Status::kPass ? "" : Shorten(row.diagnostic, 400))},
                          {"bound_ratio", PageNumber(outcome.bound_ratio)},
                          {"max_abs", PageNumber(outcome.max_abs)},
                          {"max_rel", PageNumber(outcome.max_rel)},
                          {"median_us", PageNumber(outcome.median_us)},
                          {"first_call", outcome.first_call ? 1 : 0},
                          {"compile_ms", PageNumber(outcome.compile_ms)},
                          // Without the case's id, all cases share one string.
                          {"repro", Intern(ReplaceAll(outcome.repro, c.id, "{id}"))}});
  }

  int64_t Intern(std::string_view text) { return strings_.Intern(text); }

  const std::vector<ComparedRun>& runs_;
  const std::vector<ComparedCase>& cases_;
  PageStrings strings_;
  PageColumns columns_;
};

// Inserts a note below the title of a Markdown page.
std::string WithNote(std::string page, const std::string& note) {
  if (note.empty()) return page;
  const size_t title = page.find("\n\n");
  return page.insert(title == std::string::npos ? page.size() : title, "\n\n**" + MarkdownCell(note) + "**");
}

}  // namespace

std::string ComparisonData(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases) {
  return ScriptSafe(DataWriter(runs, cases).Write().dump(-1, ' ', false, Json::error_handler_t::replace));
}

Expected<ReportFiles> WriteComparison(const ComparisonOptions& options) {
  std::vector<std::unique_ptr<LoadedRun>> loaded;  // views point into these
  std::vector<ComparedRun> runs;
  ReportFiles written;
  for (const std::filesystem::path& folder : options.run_dirs) {
    Expected<std::unique_ptr<LoadedRun>> run =
        LoadRunWithManifest(folder, {.baseline = options.baseline,
                                     .known = loaded.empty() ? nullptr : &loaded.back()->manifest,
                                     .count_with = loaded.empty() ? nullptr : &loaded.back()->private_values});
    if (!run) return Unexpected(run.error());
    (*run)->view.unmet = Unmet(Over(options.demands, (*run)->run.header.demands), (*run)->view.totals);
    const View& view = (*run)->view;
    std::error_code error;
    const std::filesystem::path page = std::filesystem::relative(folder / "index.html", options.out_dir, error);
    runs.push_back({&view, page.generic_string()});
    written.red = written.red || view.red();
    written.exit_code = WorseOf(written.exit_code, view.exit_code());
    loaded.push_back(std::move(*run));
  }
  std::vector<ComparedCase> cases = JoinCases(runs);
  const std::string note = KeepComparable(runs, cases);
  written.summary = (note.empty() ? "" : note + "\n\n") + ConformanceSummary(runs, cases);
  const std::vector<std::pair<std::string, std::string>> reports = {
      {"conformance.md", WithNote(ConformancePage(runs, cases), note)},
      {"index.html", DataPage("targets side by side - opbyop", written.summary, ComparisonData(runs, cases))},
  };
  for (const auto& [name, text] : reports) {
    if (const Expected<void> done = WriteFile(options.out_dir / name, text); !done) return Unexpected(done.error());
    written.files.push_back(options.out_dir / name);
  }
  if (!loaded.empty()) written.hidden = loaded.back()->private_values.Sentence();
  return written;
}

}  // namespace opbyop::reports
