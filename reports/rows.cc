#include "reports/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "manifests/target.h"
#include "reports/op_kind.h"
#include "reports/safe_text.h"

namespace opbyop {
namespace {

constexpr size_t kMaxMessage = 500;

std::string EndStage(const CaseRecord& record) {
  if (!record.stage.empty()) return record.stage;
  return record.stages.empty() ? "" : record.stages.back().name;
}

// The target's stages, preceded by those it does not list (`inputs`) where a row ended badly in one.
std::vector<std::string> StageNames(const Run& run) {
  std::vector<std::string> names = run.header.stages;
  std::set<std::string> extra;
  for (const CaseRecord& record : run.cases) {
    const std::string stage = EndStage(record);
    if (record.status == Status::kPass || stage.empty()) continue;
    if (std::find(names.begin(), names.end(), stage) == names.end()) extra.insert(stage);
  }
  names.insert(names.begin(), extra.begin(), extra.end());
  return names;
}

void Count(StageCount& count, Status status) {
  ++count.reached;
  if (status == Status::kPass) ++count.passed;
  if (IsFailure(status)) ++count.failed;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void TimeStages(const Run& run, std::vector<StageSummary>& stages) {
  for (StageSummary& stage : stages) {
    std::vector<double> times;
    for (const CaseRecord& record : run.cases) {
      for (const StageRecord& entry : record.stages) {
        if (entry.name == stage.name) times.push_back(entry.ms);
      }
    }
    for (const double ms : times) stage.total_ms += ms;
    stage.median_ms = Median(std::move(times));
  }
}

std::string Reason(const RowResult& row, const Run& run) {
  if (!row.record) {
    return run.complete ? "in the manifest, not in the results"
                        : "in the manifest, not in the results: the run ended before this case";
  }
  if (row.status == Status::kUnexpectedPass && row.expectation) {
    return fmt::format("passed although the baseline expects {} in {}: {}", ToString(row.expectation->status),
                       row.expectation->stage, row.expectation->reason);
  }
  return FirstLine(row.record->diagnostic);
}

}  // namespace

void Counts::Add(Status status) {
  ++rows;
  ++by_status[static_cast<size_t>(status)];
}

int64_t Counts::problems() const {
  int64_t sum = 0;
  for (const Status status : kAllStatuses) {
    if (IsProblem(status)) sum += (*this)[status];
  }
  return sum;
}

double Counts::pass_rate() const { return rows == 0 ? 0 : static_cast<double>(passed()) / static_cast<double>(rows); }

bool View::red() const {
  const auto fails_whole = [](const ModelSummary& model) { return model.whole && IsProblem(model.whole->status); };
  return totals.problems() > 0 || !unsplit.empty() || !run->complete || std::ranges::any_of(models, fails_whole);
}

std::optional<Status> StageStatus(const CaseRecord& record, std::string_view stage) {
  // The stage where a row ended went as the row did: a pass that is mistrusted or flaky is none in the last stage.
  if (record.status != Status::kPass && EndStage(record) == stage) return record.status;
  for (const StageRecord& entry : record.stages) {
    if (entry.name == stage) return entry.status;
  }
  return std::nullopt;
}

const Comparison* WorstComparison(const CaseRecord& record) {
  const Comparison* worst = nullptr;
  for (const Comparison& comparison : record.comparisons) {
    const auto rank = [](const Comparison& c) { return std::make_pair(!c.accepted, c.bound_ratio); };
    if (!worst || rank(*worst) < rank(comparison)) worst = &comparison;
  }
  return worst;
}

View MakeView(const Manifest& manifest, const Run& run, const Baseline* baseline) {
  View view;
  view.manifest = &manifest;
  view.run = &run;

  std::unordered_map<std::string_view, const CaseRecord*> records;
  for (const CaseRecord& record : run.cases) records[record.id] = &record;

  std::unordered_map<std::string_view, size_t> model_index;
  for (const Model& model : manifest.models) {
    model_index.emplace(model.name, view.models.size());
    view.models.push_back({&model, {}, 0, {}});
    view.model_ops += model.ops;
    if (!model.error.empty()) view.unsplit.push_back(&model);
  }
  for (std::string& name : StageNames(run)) view.stages.push_back({std::move(name), {}, 0, 0});

  std::map<std::string, OpSummary> ops;
  std::unordered_map<std::string_view, bool> known;
  for (size_t i = 0; i < manifest.cases.size(); ++i) {
    const Case& c = manifest.cases[i];
    known[c.id] = true;
    const auto found = records.find(c.id);
    const CaseRecord* record = found == records.end() ? nullptr : found->second;
    const std::string label = OpLabel(c);
    OpSummary& op = ops[label];
    if (op.cases++ == 0) op = {label, std::string(OpKind(c.op)), 1, {}, std::vector<StageCount>(view.stages.size())};

    for (const std::string& model : ModelsOf(c)) {
      const auto at = model_index.find(model);
      if (at == model_index.end()) continue;
      RowResult row{&c, i, at->second, model, RowName({&c, model}), label};
      row.record = record;
      if (record) {
        row.status = record->status;
        row.stage = EndStage(*record);
      }
      if (baseline) {
        row.expectation = baseline->Find({&c, model});
        if (record) row.status = baseline->Judge({&c, model}, row.status, row.stage);
      }
      row.diagnostic = Reason(row, run);
      for (const Origin& origin : c.origins) {
        if (origin.model == model) row.ops += origin.count;
      }
      for (size_t s = 0; record && s < view.stages.size(); ++s) {
        if (const auto status = StageStatus(*record, view.stages[s].name)) {
          Count(op.stages[s], *status);
          Count(view.stages[s].rows, *status);
        }
      }
      op.counts.Add(row.status);
      view.totals.Add(row.status);
      view.models[at->second].counts.Add(row.status);
      view.models[at->second].ops += row.ops;
      view.rows.push_back(std::move(row));
    }
  }
  for (auto& [label, op] : ops) view.ops.push_back(std::move(op));
  for (const CaseRecord& record : run.cases) {
    if (!known.count(record.id)) view.unknown_records.push_back(record.id);
  }
  TimeStages(run, view.stages);
  return view;
}

std::string Message(const RowResult& row) {
  if (row.status == Status::kPass) return "";
  std::string text;
  if (row.status == Status::kFail) {
    text = fmt::format("{}: {}", row.stage, row.diagnostic);
  } else {
    text = ToString(row.status);
    if (!row.stage.empty() && row.status != Status::kUnexpectedPass) text += " in " + row.stage;
    if (row.record && row.record->signal != 0) text += fmt::format(" (signal {})", row.record->signal);
    if (!row.diagnostic.empty()) text += ": " + row.diagnostic;
  }
  if (row.status == Status::kExpectedFail && row.expectation) {
    text += fmt::format(" (baseline: {})", row.expectation->reason);
  }
  return SafeText(Shorten(text, kMaxMessage));
}

}  // namespace opbyop
