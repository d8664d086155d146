// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "manifests/target.h"
#include "reports/html.h"
#include "reports/op_label.h"
#include "reports/page_columns.h"
#include "reports/page_number.h"
#include "reports/page_strings.h"
#include "reports/safe_text.h"
#include "reports/summary.h"
#include "reports/web_page.h"
#include "support/file.h"
#include "support/graver.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

// What a reader must see first: a row that makes the run red, then one that proves nothing, then a pass.
int Badness(Status status) {
  if (IsProblem(status)) return 3;
  if (status == Status::kPass) return 0;
  return status == Status::kExpectedFail ? 2 : 1;
}

// A case as one target left it. Rows of a case share its record; the baseline may judge them apart.
struct Outcome {
  const RowResult* row = nullptr;  // the worst of the case's rows
  double bound_ratio = -1;         // -1: nothing was compared
  double max_abs = 0;
  double max_rel = 0;
  double median_us = -1;
  double compile_ms = -1;
};

Outcome OutcomeOf(const RowResult& row, const CaseRecord* record) {
  Outcome outcome{&row};
  if (record == nullptr) return outcome;
  if (const Comparison* worst = WorstComparison(*record)) {
    outcome.bound_ratio = worst->bound_ratio;
    outcome.max_abs = worst->max_abs;
    outcome.max_rel = worst->max_rel;
  }
  if (record->timing.n > 0) outcome.median_us = record->timing.median_us;
  for (const StageRecord& stage : record->stages) {
    if (stage.name == kLoadStage) break;
    outcome.compile_ms = std::max(outcome.compile_ms, 0.0) + stage.ms;
  }
  return outcome;
}

double Median(std::vector<double> values) {
  std::erase_if(values, [](double value) { return value < 0; });
  if (values.empty()) return -1;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// NaN and infinity are worse than any number.
bool Worse(double a, double b) { return !std::isnan(b) && (std::isnan(a) || a > b); }

struct ComparedCase {
  const Case* c = nullptr;
  std::vector<std::optional<Outcome>> outcomes;  // by run
};

struct OpCell {
  int64_t cases = 0;
  int64_t passed = 0;
  const RowResult* worst = nullptr;
  double bound_ratio = -1;
  double median_us = -1;
  double compile_ms = -1;
};

// All cases of all runs, in the order in which the manifests name them.
std::vector<ComparedCase> Join(const std::vector<ComparedRun>& runs) {
  std::vector<ComparedCase> cases;
  std::unordered_map<std::string, size_t> index;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const RowResult& row : runs[run].view->rows) {
      const auto [at, is_new] = index.try_emplace(row.c->id, cases.size());
      if (is_new) cases.push_back({row.c, std::vector<std::optional<Outcome>>(runs.size())});
      std::optional<Outcome>& outcome = cases[at->second].outcomes[run];
      if (!outcome) {
        outcome = OutcomeOf(row, runs[run].view->RecordOf(row));
      } else if (Badness(row.status) > Badness(outcome->row->status)) {
        outcome->row = &row;
      }
    }
  }
  return cases;
}

std::map<std::string, std::vector<const ComparedCase*>> ByOp(const std::vector<ComparedCase>& cases) {
  std::map<std::string, std::vector<const ComparedCase*>> ops;
  for (const ComparedCase& compared : cases) ops[OpLabel(*compared.c)].push_back(&compared);
  return ops;
}

OpCell CellOf(const std::vector<const ComparedCase*>& cases, size_t run) {
  OpCell cell;
  std::vector<double> runs_us, compile_ms;
  for (const ComparedCase* compared : cases) {
    const std::optional<Outcome>& outcome = compared->outcomes[run];
    if (!outcome) continue;
    ++cell.cases;
    if (outcome->row->status == Status::kPass) ++cell.passed;
    if (cell.worst == nullptr || Badness(outcome->row->status) > Badness(cell.worst->status)) cell.worst = outcome->row;
    if (Worse(outcome->bound_ratio, cell.bound_ratio)) cell.bound_ratio = outcome->bound_ratio;
    runs_us.push_back(outcome->median_us);
    compile_ms.push_back(outcome->compile_ms);
  }
  cell.median_us = Median(std::move(runs_us));
  cell.compile_ms = Median(std::move(compile_ms));
  return cell;
}

class DataWriter {
 public:
  explicit DataWriter(const std::vector<ComparedRun>& runs) : runs_(runs), cases_(Join(runs)) {}

  Json Write() {
    Json data = {{"schema", "opbyop-comparison/2"}};
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
      for (size_t run = 0; run < runs_.size(); ++run) cells.push_back(CellJson(CellOf(members, run)));
      data["ops"].push_back(
          {{"label", label}, {"kind", std::string(KindLabel(members.front()->c->kind))}, {"cells", std::move(cells)}});
    }
    for (const ComparedCase& compared : cases_) {
      Json outcomes = Json::array();
      for (const auto& outcome : compared.outcomes) outcomes.push_back(outcome ? OutcomeJson(*outcome) : Json());
      data["cases"].push_back(columns_.Pack("case", {{"id", compared.c->id},
                                                     {"op", op_index.at(OpLabel(*compared.c))},
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

  Json CellJson(const OpCell& cell) {
    return {{"cases", cell.cases},
            {"passed", cell.passed},
            {"worst", cell.worst ? static_cast<int>(cell.worst->status) : -1},
            {"stage", cell.worst ? Intern(cell.worst->stage) : -1},
            {"bound_ratio", PageNumber(cell.bound_ratio)},
            {"median_us", PageNumber(cell.median_us)},
            {"compile_ms", PageNumber(cell.compile_ms)}};
  }

  Json OutcomeJson(const Outcome& outcome) {
    const RowResult& row = *outcome.row;
    return columns_.Pack("outcome",
                         {{"status", static_cast<int>(row.status)},
                          {"stage", Intern(row.stage)},
                          {"diagnostic", Intern(row.status == Status::kPass ? "" : Shorten(row.diagnostic, 400))},
                          {"bound_ratio", PageNumber(outcome.bound_ratio)},
                          {"max_abs", PageNumber(outcome.max_abs)},
                          {"max_rel", PageNumber(outcome.max_rel)},
                          {"median_us", PageNumber(outcome.median_us)},
                          {"compile_ms", PageNumber(outcome.compile_ms)}});
  }

  int64_t Intern(std::string_view text) { return strings_.Intern(text); }

  const std::vector<ComparedRun>& runs_;
  std::vector<ComparedCase> cases_;
  PageStrings strings_;
  PageColumns columns_;
};

std::string CellText(const OpCell& cell) {
  if (cell.worst == nullptr) return "–";
  std::string text = fmt::format("{}/{}", cell.passed, cell.cases);
  if (cell.worst->status != Status::kPass)
    text += fmt::format(" {} {}", ToString(cell.worst->status), cell.worst->stage);
  return text;
}

}  // namespace

std::string ComparisonData(const std::vector<ComparedRun>& runs) {
  return ScriptSafe(DataWriter(runs).Write().dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string ComparisonMarkdown(const std::vector<ComparedRun>& runs) {
  std::string text =
      "# Targets side by side\n\n| target | toolchain | rows | pass | problems | wall s |\n"
      "|---|---|---:|---:|---:|---:|\n";
  std::string head = "| op |", rule = "|---|";
  for (const ComparedRun& run : runs) {
    const View& view = *run.view;
    text += fmt::format("| [{}]({}) | {} | {} | {} | {} | {:.1f} |\n", view.run->header.target, run.link,
                        SafeText(view.run->header.toolchain), view.totals.rows, Percent(view.totals.pass_rate()),
                        view.totals.problems(), view.run->footer.wall_s);
    head += fmt::format(" {} |", view.run->header.target);
    rule += "---|";
  }
  text += "\nOps on which the targets do not end alike: cases passed of all, worst status and its stage.\n\n" + head +
          "\n" + rule + "\n";
  const std::vector<ComparedCase> cases = Join(runs);
  for (const auto& [label, members] : ByOp(cases)) {
    std::vector<std::string> cells;
    cells.reserve(runs.size());
    for (size_t run = 0; run < runs.size(); ++run) cells.push_back(CellText(CellOf(members, run)));
    if (std::ranges::all_of(cells, [&](const std::string& cell) { return cell == cells.front(); })) continue;
    text += fmt::format("| {} | {} |\n", label, fmt::join(cells, " | "));
  }
  return text;
}

Expected<ReportFiles> WriteComparison(const ComparisonOptions& options) {
  std::vector<std::unique_ptr<LoadedRun>> loaded;  // views point into these
  std::vector<ComparedRun> runs;
  ReportFiles written;
  for (const std::filesystem::path& folder : options.run_dirs) {
    Expected<std::unique_ptr<LoadedRun>> run = LoadRunWithManifest(folder, options.baseline);
    if (!run) return Unexpected(run.error());
    (*run)->view.unmet = Unmet(Over(options.demands, (*run)->run.header.demands), (*run)->view.totals);
    const View& view = (*run)->view;
    std::error_code error;
    const std::filesystem::path page = std::filesystem::relative(folder / "index.html", options.out_dir, error);
    runs.push_back({&view, page.generic_string()});
    written.red = written.red || view.red();
    written.exit_code = Graver(written.exit_code, view.exit_code());
    loaded.push_back(std::move(*run));
  }
  written.summary = ComparisonMarkdown(runs);
  const std::vector<std::pair<std::string, std::string>> reports = {
      {"comparison.md", written.summary},
      {"index.html", DataPage("targets side by side - opbyop", written.summary, ComparisonData(runs))},
  };
  for (const auto& [name, text] : reports) {
    if (const Expected<void> done = WriteFile(options.out_dir / name, text); !done) return Unexpected(done.error());
    written.files.push_back(options.out_dir / name);
  }
  return written;
}

}  // namespace opbyop::reports
