// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <unordered_map>

#include "manifests/cases/row_ranges.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/private_text.h"
#include "reports/view/first_line.h"
#include "reports/view/median.h"
#include "reports/view/op_label.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

constexpr size_t kMaxMessage = 500;
constexpr unsigned kMostParsers = 4;  // threads: with more, the work on the records would be the bottleneck

std::string EndStage(const CaseRecord& record) {
  if (!record.stage.empty()) return record.stage;
  return record.stages.empty() ? "" : record.stages.back().name;
}

void Count(StageCount& count, Status status) {
  ++count.reached;
  if (status == Status::kPass) ++count.passed;
  if (IsFailure(status)) ++count.failed;
}

// The parts of a record that a view keeps.
struct CaseOutcome {
  struct Stage {
    size_t name = 0;  // in ViewBuilder::names_
    Status status = Status::kPass;
    double ms = 0;
    bool timed = false;
  };
  RowResult row;  // as far as all rows of the case share it
  std::vector<Stage> stages;
};

std::string Reason(const RowResult& row, std::string_view recorded, bool run_complete) {
  if (!row.recorded) {
    return run_complete ? "in the manifest, not in the results"
                        : "in the manifest, not in the results: the run ended before this case or was of others";
  }
  if (row.status == Status::kUnexpectedPass && row.expectation) {
    return fmt::format("passed although the baseline expects {} in {}: {}", ToString(row.expectation->status),
                       row.expectation->stage, row.expectation->reason);
  }
  if (row.status == Status::kInconclusive && row.recorded_status == Status::kPass && row.expectation) {
    return MayPassText(*row.expectation);
  }
  if (row.regression) return RegressionText(row.recorded_status, recorded);
  return std::string(recorded);
}

void Record(const CaseRecord& record, RowResult& row) {
  row.recorded = true;
  row.status = row.recorded_status = record.status;
  row.stage = EndStage(record);
  row.diagnostic = FirstLine(record.diagnostic);
  row.unjudged = FirstLine(UnjudgedPolicies(record));
  row.signal = record.signal;
  row.failed_policies = FailedPolicies(record);
  row.first_status = record.first_attempt.status;
  row.reference = record.reference;
  row.start_us = ParseTimestamp(record.start);
  row.cached_from = record.cached_from;
  if (FailedFreshDraw(record) == nullptr) return;
  RowResult without = row;
  const FixedEnd end = EndOfFixedDraws(record);
  without.status = without.recorded_status = end.status;
  without.stage = end.stage;
  without.diagnostic = FirstLine(end.diagnostic);
  without.failed_policies = FailedPolicies(record, Draws::kFixed);
  row.fixed = std::make_shared<const RowResult>(std::move(without));
}

// The row of a case in a model, made from what all rows of the case share and from the indices of both.
RowResult OfModel(RowResult row, const Case& c, const std::string& model, const Baseline* baseline, bool run_complete) {
  row.c = &c;
  row.model = model;
  row.name = RowName({&c, model});
  row.op = OpLabel(c);
  const std::shared_ptr<const RowResult> unjudged = row.fixed;  // `end` points into it
  if (baseline) {
    const RowEnd end = EndOf(row);
    row.expectation = baseline->Find({&c, model}, end);
    row.regression = row.recorded && baseline->IsRegression({&c, model}, end);
    std::string other = OtherDiagnosticText(row.expectation, end);
    if (row.recorded) row.status = baseline->Judge({&c, model}, end);
    if (row.recorded && IsProblem(row.status) && !other.empty()) row.diagnostic = std::move(other);
  }
  row.diagnostic = Reason(row, row.diagnostic, run_complete);
  if (unjudged) {
    RowResult without = *unjudged;
    without.case_index = row.case_index;
    without.model_index = row.model_index;
    row.fixed = std::make_shared<const RowResult>(OfModel(std::move(without), c, model, baseline, run_complete));
  }
  for (const Origin& origin : c.origins) {
    if (origin.model == model) row.ops = AddCapped(row.ops, origin.runs());
  }
  return row;
}

class ViewBuilder {
 public:
  ViewBuilder(const Manifest& manifest, const Baseline* baseline) : manifest_(manifest), baseline_(baseline) {
    case_index_.reserve(manifest.cases.size());
    for (size_t i = 0; i < manifest.cases.size(); ++i) case_index_.emplace(manifest.cases[i].id, i);
    outcomes_.resize(manifest.cases.size());
  }

  // Adds a record; of several for one case the last counts. Returns the index of its case, or nullopt if the manifest
  // lacks it.
  std::optional<size_t> Add(const CaseRecord& record) {
    const auto found = case_index_.find(record.id);
    if (found == case_index_.end()) {
      unknown_.push_back(record.id);
      return std::nullopt;
    }
    CaseOutcome outcome;
    Record(record, outcome.row);
    for (const StageRecord& stage : record.stages) AddStage(outcome, record, stage.name, stage.ms, true);
    AddStage(outcome, record, outcome.row.stage, 0, false);
    outcomes_[found->second] = std::move(outcome);
    return found->second;
  }

  View Finish(const Run& run, const std::optional<std::vector<bool>>& selected) {
    View view;
    view.manifest = &manifest_;
    view.run = &run;
    view.unknown_records = std::move(unknown_);
    view.records = static_cast<int64_t>(view.unknown_records.size());
    for (const CaseOutcome& outcome : outcomes_) {
      view.records += outcome.row.recorded ? 1 : 0;
      if (!outcome.row.cached_from.empty()) ++view.cached[outcome.row.cached_from];
      if (outcome.row.reference != Status::kPass) ++view.reference_ends[outcome.row.reference];
    }
    for (const Model& model : manifest_.models) {
      model_index_.emplace(model.name, view.models.size());
      view.models.push_back({&model, {}, 0, {}});
      view.model_ops += model.ops;
      // A run of chosen rows does not report on models without any.
      if (!model.error.empty() && run.header.filter.empty()) view.unsplit.push_back(&model);
    }
    AddStages(view, run.header.stages);
    AddRows(view, run, selected);
    return view;
  }

 private:
  size_t Intern(const std::string& name) {
    const auto [at, is_new] = name_index_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return at->second;
  }

  void AddStage(CaseOutcome& outcome, const CaseRecord& record, const std::string& name, double ms, bool timed) {
    const std::optional<Status> status = StageStatus(record, name);
    if (!status || name.empty()) return;
    outcome.stages.push_back({Intern(name), *status, ms, timed});
  }

  // Adds the target's stages, after those that it does not list (`inputs`) if a row ended badly in one.
  void AddStages(View& view, const std::vector<std::string>& listed) {
    std::set<std::string> extra;
    for (const CaseOutcome& outcome : outcomes_) {
      const RowResult& row = outcome.row;
      if (!row.recorded || row.status == Status::kPass || row.stage.empty()) continue;
      if (std::ranges::find(listed, row.stage) == listed.end()) extra.insert(row.stage);
    }
    stage_of_name_.assign(names_.size(), std::nullopt);
    const auto add = [&](const std::string& name) {
      const auto known = name_index_.find(name);
      if (known != name_index_.end()) stage_of_name_[known->second] = view.stages.size();
      view.stages.push_back({name, {}, 0, 0});
    };
    for (const std::string& name : extra) add(name);
    for (const std::string& name : listed) add(name);
    std::vector<std::vector<double>> times(view.stages.size());
    for (const CaseOutcome& outcome : outcomes_) {
      for (const CaseOutcome::Stage& stage : outcome.stages) {
        if (const auto at = stage_of_name_[stage.name]; at && stage.timed) times[*at].push_back(stage.ms);
      }
    }
    for (size_t i = 0; i < times.size(); ++i) {
      for (const double ms : times[i]) view.stages[i].total_ms += ms;
      view.stages[i].median_ms = MedianOf(std::move(times[i])).value_or(0);
    }
  }

  void CountStages(const CaseOutcome& outcome, OpSummary& op, View& view) const {
    std::vector<bool> counted(view.stages.size());
    for (const CaseOutcome::Stage& stage : outcome.stages) {
      const auto at = stage_of_name_[stage.name];
      if (!at || counted[*at]) continue;
      counted[*at] = true;
      Count(op.stages[*at], stage.status);
      Count(view.stages[*at].rows, stage.status);
    }
  }

  void AddRows(View& view, const Run& run, const std::optional<std::vector<bool>>& selected) {
    std::map<std::string, OpSummary> ops;
    size_t number = 0;  // number of the row in the manifest
    for (size_t i = 0; i < manifest_.cases.size(); ++i) {
      const Case& c = manifest_.cases[i];
      bool has_row = false;
      for (const std::string& model : ModelsOf(c)) {
        if (const size_t at = number++; selected && !(*selected)[at]) continue;
        const auto at = model_index_.find(model);
        if (at == model_index_.end()) continue;
        RowResult row = outcomes_[i].row;
        row.case_index = i;
        row.model_index = at->second;
        row = OfModel(std::move(row), c, model, baseline_, run.complete);
        OpSummary& op = ops[row.op];
        if (op.op.empty())
          op = {row.op, std::string(KindLabel(c.kind)), 0, {}, std::vector<StageCount>(view.stages.size())};
        if (!has_row) ++op.cases;
        has_row = true;
        CountStages(outcomes_[i], op, view);
        op.counts.Add(row.status);
        view.totals.Add(row.status);
        view.models[at->second].counts.Add(row.status);
        view.models[at->second].ops += row.ops;
        view.rows.push_back(std::move(row));
      }
      view.cases += has_row ? 1 : 0;
    }
    for (auto& [label, op] : ops) view.ops.push_back(std::move(op));
  }

  const Manifest& manifest_;
  const Baseline* baseline_;
  std::unordered_map<std::string_view, size_t> case_index_;
  std::unordered_map<std::string_view, size_t> model_index_;
  std::unordered_map<std::string, size_t> name_index_;
  std::vector<std::string> names_;  // of stages
  std::vector<std::optional<size_t>> stage_of_name_;
  std::vector<CaseOutcome> outcomes_;  // by case index
  std::vector<std::string> unknown_;
};

// The rows that the run was to run; nullopt: all of them.
Expected<std::optional<std::vector<bool>>> SelectedRows(const Manifest& manifest, const RunHeader& header) {
  if (header.selected.empty()) return std::nullopt;
  size_t rows = 0;
  for (const Case& c : manifest.cases) rows += ModelsOf(c).size();
  std::optional<std::vector<bool>> selected = ParseRows(header.selected, rows);
  if (selected) return selected;
  return MakeError(ExitCode::kBadInput, fmt::format("the run's selection `{}` matches none of the {} rows of {}",
                                                    Shorten(header.selected, 60), rows, manifest.path.string()));
}

}  // namespace

ExitCode View::exit_code() const {
  const auto fails_whole = [](const ModelSummary& model) { return model.whole && IsProblem(model.whole->status); };
  if (totals.problems() > 0 || !unmet.empty() || !run->complete || !run->bad_lines.empty() || !run->events.empty() ||
      std::ranges::any_of(models, fails_whole)) {
    return ExitCode::kUnexpectedResult;
  }
  if (judged_nothing()) return ExitCode::kNothingJudged;
  return unsplit.empty() ? ExitCode::kOk : ExitCode::kPartial;
}

bool View::judged_nothing() const {
  const auto judged_whole = [](const ModelSummary& model) { return model.whole && !IsUnjudged(model.whole->status); };
  return totals.rows > 0 && totals.judged() == 0 && !std::ranges::any_of(models, judged_whole);
}

std::optional<Status> StageStatus(const CaseRecord& record, std::string_view stage) {
  // The last stage of a row has the row's status: a pass that is inconclusive or flaky is no pass in the last stage.
  if (record.status != Status::kPass && EndStage(record) == stage) return record.status;
  for (const StageRecord& entry : record.stages) {
    if (entry.name == stage) return entry.status;
  }
  return std::nullopt;
}

const Comparison* WorstComparison(const CaseRecord& record) {
  const Comparison* worst = nullptr;
  for (const Comparison& comparison : record.comparisons) {
    const auto rank = [](const Comparison& c) {
      return std::make_tuple(!c.accepted, c.precision_ratio > 1, c.bound_ratio);
    };
    if (!worst || rank(*worst) < rank(comparison)) worst = &comparison;
  }
  return worst;
}

View MakeView(const Manifest& manifest, const Run& run, const Baseline* baseline) {
  ViewBuilder builder(manifest, baseline);
  std::vector<const CaseRecord*> records(manifest.cases.size());
  for (const CaseRecord& record : run.cases) {
    if (const auto index = builder.Add(record)) records[*index] = &record;
  }
  View view = builder.Finish(run, SelectedRows(manifest, run.header).value_or(std::nullopt));
  view.record_of = [records = std::move(records)](size_t index) { return records[index]; };
  return view;
}

Expected<View> ScanView(const Manifest& manifest, const std::filesystem::path& results, const Baseline* baseline,
                        Run& run, const RecordVisitor& visit, const PrivateValues* values) {
  ViewBuilder builder(manifest, baseline);
  std::vector<RecordPlace> places(manifest.cases.size());
  Expected<Run> scanned = ScanRun(
      results,
      [&](CaseRecord record, RecordPlace place) {
        if (values != nullptr) HideIn(*values, record);
        const std::optional<size_t> index = builder.Add(record);
        if (!index) return;
        places[*index] = place;
        if (visit) visit(*index, record);
      },
      std::clamp(std::thread::hardware_concurrency(), 1U, kMostParsers));
  if (!scanned) return Unexpected(scanned.error());
  run = std::move(*scanned);
  if (values != nullptr) {
    HideIn(*values, run.header);
    for (BadLine& line : run.bad_lines) values->HideIn(line.why);
  }
  const auto selected = SelectedRows(manifest, run.header);
  if (!selected) return Unexpected(selected.error());
  View view = builder.Finish(run, *selected);
  view.private_values = values;
  view.record_of = [values, file = std::make_shared<std::ifstream>(results, std::ios::binary),
                    places = std::move(places), lost = view.lost, at = std::make_shared<size_t>(SIZE_MAX),
                    last = std::make_shared<CaseRecord>()](size_t index) -> const CaseRecord* {
    if (places[index].size == 0) return nullptr;
    if (*at == index) return last.get();  // rows of a case follow each other
    Expected<CaseRecord> record = ReadRecord(*file, places[index]);
    if (!record) *lost = record.error();
    if (!record) return nullptr;
    *last = std::move(*record);
    if (values != nullptr) HideIn(*values, *last, Count::kNo);
    *at = index;
    return last.get();
  };
  return view;
}

RowEnd EndOf(const RowResult& row) {
  RowEnd end = {row.recorded_status, row.stage,     row.diagnostic, row.failed_policies,
                row.first_status,    row.reference, nullptr};
  if (row.fixed) end.fixed = std::make_shared<const RowEnd>(EndOf(*row.fixed));
  return end;
}

const RowResult& OfFixedDraws(const RowResult& row) { return row.fixed ? *row.fixed : row; }

RowResult MakeRowResult(const Case& c, const std::string& model, const CaseRecord* record, const Baseline* baseline,
                        bool run_complete) {
  RowResult row;
  if (record) Record(*record, row);
  return OfModel(std::move(row), c, model, baseline, run_complete);
}

std::string Message(const RowResult& row) {
  if (row.status == Status::kPass) return "";
  std::string text;
  if (row.status == Status::kFail) {
    text = fmt::format("{}: {}", row.stage, row.diagnostic);
  } else {
    text = ToString(row.status);
    if (!row.stage.empty() && row.status != Status::kUnexpectedPass) text += " in " + row.stage;
    if (row.signal != 0) text += fmt::format(" (signal {})", row.signal);
    if (!row.diagnostic.empty()) text += ": " + row.diagnostic;
  }
  if (row.status == Status::kExpectedFail && row.expectation) {
    text += fmt::format(" (baseline: {})", row.expectation->reason);
  }
  return SafeText(Shorten(text, kMaxMessage));
}

}  // namespace opbyop::reports
