// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/run_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "history/import/run_summaries.h"
#include "manifests/targets/target.h"
#include "support/text/safe_text.h"

namespace opbyop::history {
namespace {

Value NumberOrNull(double value) { return std::isnan(value) ? Value() : Value(value); }

std::string ListText(const std::vector<std::string>& list) {
  return nlohmann::json(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct CauseCount {
  int64_t rows = 0, ops = 0;
  std::set<int64_t> cases, models;
  std::set<std::string> kinds;
};

struct ModelCount {
  int64_t rows = 0, passed = 0, red = 0, blocked = 0, ops = 0, blocked_ops = 0;
};

// Writes the rows of one run to the tables, and collects its snapshot.
class RowsOfRun {
 public:
  RowsOfRun(Database& db, Keys& keys, const reports::View& view, const RunDetails& details, int64_t run)
      : db_(db), keys_(keys), view_(view), details_(details), run_(run), snapshot_(SnapshotHead(view)) {
    snapshot_.key = run;
  }

  Expected<Snapshot> Write() {
    for (const auto& [writer, table, columns] : std::initializer_list<std::tuple<Writer*, const char*, size_t>>{
             {&results_, "results", 8},
             {&stages_, "stages", 6},
             {&comparisons_, "comparisons", 9 + MeasuresOf({}).size()},
             {&timings_, "timings", 9 + CountsOf({}).size()},
             {&counts_, "run_counts", 4},
             {&models_, "run_models", 10},
             {&causes_, "run_causes", 7}}) {
      Expected<Writer> made = db_.Write(table, columns);
      if (!made) return Unexpected(made.error());
      *writer = std::move(*made);
    }
    for (const Model& model : view_.manifest->models) model_keys_.push_back(keys_.Model(model));
    model_counts_.resize(model_keys_.size());
    size_t last = view_.manifest->cases.size();
    for (const reports::RowResult& row : view_.rows) {
      if (row.case_index != last) WriteCase(row);
      last = row.case_index;
      WriteRow(row);
    }
    WriteCounts();
    for (Writer* writer : {&results_, &stages_, &comparisons_, &timings_, &counts_, &models_, &causes_}) {
      if (done_) done_ = (*writer)->Finish();
    }
    if (done_) done_ = summaries_.Write(db_, run_);
    if (!done_) return Unexpected(done_.error());
    return std::move(snapshot_);
  }

 private:
  using Writer = std::unique_ptr<RowWriter>;

  void Add(Writer& writer, const Values& row) {
    if (done_) done_ = writer->Add(row);
  }

  void WriteCase(const reports::RowResult& row) {
    const CaseDetails* details = details_.Find(row.case_index);
    case_key_ = keys_.CaseOf(*row.c);
    SnapshotCase& c =
        snapshot_.cases.emplace_back(MakeSnapshotCase(*row.c, details ? details->numbers : CaseNumbers()));
    c.key = case_key_;
    op_ = KeyText(c.op);
    dtype_ = row.c->outputs.empty() ? "" : KeyText(row.c->outputs.items().front().dtype);
    if (!details) return;
    double compile_ms = 0;
    bool compiling = true;
    int64_t position = 0;
    for (const CaseDetails::Stage& stage : details->stages) {
      compiling = compiling && *stage.name != kLoadStage;
      if (compiling) compile_ms += stage.ms;
      const int64_t label = keys_.Label(*stage.name);
      const double ms = NumberOrZero(stage.ms);
      Add(stages_, {run_, case_key_, position++, label, static_cast<int64_t>(stage.status), ms});
      summaries_.AddStage({.op = op_, .stage_key = label, .status = stage.status, .ms = ms, .case_key = case_key_});
    }
    position = 0;
    for (const CaseDetails::Compared& each : details->comparisons) {
      Values values = {
          run_,          case_key_,      position++, keys_.Label(*each.policy), each.output, keys_.Label(*each.rule),
          each.elements, each.mismatches};
      std::ranges::transform(each.measures, std::back_inserter(values), NumberOrNull);
      values.emplace_back(static_cast<int64_t>(each.accepted));
      Add(comparisons_, values);
    }
    const bool timed = c.n > 0;
    if (timed) summaries_.AddDevice(c.median_us, case_key_);
    if (c.first_call_us > 0) summaries_.AddFirstCall(keys_.Label(kFirstCall), c.first_call_us, case_key_);
    Values values = {run_,
                     case_key_,
                     c.n,
                     timed ? NumberOrNull(c.min_us) : Value(),
                     timed ? NumberOrNull(c.median_us) : Value(),
                     timed ? NumberOrNull(details->p95_us) : Value(),
                     NumberOrZero(compile_ms),
                     NumberOrZero(details->wall_ms),
                     c.bound_ratio < 0 ? Value() : Value(c.bound_ratio)};
    std::ranges::copy(details->counts, std::back_inserter(values));
    Add(timings_, values);
  }

  static double NumberOrZero(double value) { return std::isfinite(value) ? value : 0; }

  void WriteRow(const reports::RowResult& with_all_draws) {
    const reports::RowResult& row = reports::OfFixedDraws(with_all_draws);
    const int64_t model_key = model_keys_[row.model_index];
    const int64_t row_key = keys_.RowOf(case_key_, model_key);
    SnapshotRow& out = snapshot_.rows.emplace_back();
    out = {snapshot_.cases.size() - 1, row.model, row.status, row.stage, "", row.ops, row_key, IsUpToMachine(row)};
    int64_t cause_key = 0;
    if (row.status != Status::kPass) {
      const CauseKey& cause = keys_.CauseOf(row);
      out.cause = cause.id;
      cause_key = cause.key;
      CountCause(row, cause_key, model_key);
    }
    const int64_t expectation = row.expectation ? keys_.Expectation(*row.expectation) : 0;
    Add(results_, {run_, row_key, static_cast<int64_t>(row.status), keys_.Label(row.stage), KeyOrNull(cause_key),
                   KeyOrNull(expectation), row.ops, static_cast<int64_t>(out.up_to_machine)});
    summaries_.AddRow(op_, dtype_, row.status, row.ops);
    rows_by_status_[static_cast<size_t>(row.status)] += 1;
    ops_by_status_[static_cast<size_t>(row.status)] += row.ops;
    ModelCount& model = model_counts_[row.model_index];
    const bool blocks = IsBlocking(row.status);
    ++model.rows;
    model.ops += row.ops;
    if (row.status == Status::kPass) ++model.passed;
    if (IsProblem(row.status)) ++model.red;
    if (blocks) ++model.blocked;
    if (blocks) model.blocked_ops += row.ops;
  }

  void CountCause(const reports::RowResult& row, int64_t cause_key, int64_t model_key) {
    CauseCount& count = cause_counts_[cause_key];
    ++count.rows;
    count.ops += row.ops;
    count.cases.insert(case_key_);
    count.models.insert(model_key);
    count.kinds.insert(row.op);
  }

  void WriteCounts() {
    for (const Status status : kAllStatuses) {
      const auto at = static_cast<size_t>(status);
      if (rows_by_status_[at] > 0)
        Add(counts_, {run_, static_cast<int64_t>(at), rows_by_status_[at], ops_by_status_[at]});
    }
    for (size_t i = 0; i < model_keys_.size(); ++i) {
      const Model& model = view_.manifest->models[i];
      const ModelCount& count = model_counts_[i];
      if (count.rows == 0 && model.error.empty()) continue;
      Add(models_, {run_, model_keys_[i], model.sha256, SafeText(model.error), count.rows, count.passed, count.red,
                    count.blocked, count.ops, count.blocked_ops});
    }
    const auto size = [](const auto& set) { return static_cast<int64_t>(set.size()); };
    for (const auto& [cause, count] : cause_counts_) {
      Add(causes_, {run_, cause, count.rows, size(count.cases), size(count.kinds), size(count.models), count.ops});
    }
  }

  Database& db_;
  Keys& keys_;
  const reports::View& view_;
  const RunDetails& details_;
  int64_t run_;
  Snapshot snapshot_;
  Writer results_, stages_, comparisons_, timings_, counts_, models_, causes_;
  std::vector<int64_t> model_keys_;  // by index in the manifest
  std::vector<ModelCount> model_counts_;
  std::map<int64_t, CauseCount> cause_counts_;
  std::array<int64_t, kAllStatuses.size()> rows_by_status_{}, ops_by_status_{};
  RunSummaries summaries_;
  int64_t case_key_ = 0;
  std::string op_, dtype_;  // of the case `case_key_`
  Expected<void> done_;
};

}  // namespace

Expected<Snapshot> WriteRows(Database& db, Keys& keys, const reports::View& view, const RunDetails& details,
                             int64_t run) {
  return RowsOfRun(db, keys, view, details, run).Write();
}

Expected<void> WriteOrigins(Database& db, Keys& keys, const reports::View& view, int64_t run) {
  Expected<void> done =
      db.Query("DELETE FROM origins WHERE row_id IN (SELECT row_id FROM results WHERE run_id = $1)", {run});
  if (!done) return done;
  Expected<std::unique_ptr<RowWriter>> writer = db.Write("origins", 7);
  if (!writer) return Unexpected(writer.error());
  for (const reports::RowResult& row : view.rows) {
    const int64_t key = keys.RowOf(keys.CaseOf(*row.c), keys.Model(view.manifest->models[row.model_index]));
    int64_t position = 0;
    for (const Origin& origin : row.c->origins) {
      if (origin.model != row.model) continue;
      done = (*writer)->Add({key, position++, origin.count, SafeText(origin.framework_op), ListText(origin.module_path),
                             ListText(origin.regions), ListText(origin.locations)});
      if (!done) return done;
    }
  }
  return (*writer)->Finish();
}

Expected<void> UpdateLastTimings(Database& db, const Snapshot& run) {
  return db.Query(
      R"sql(
      INSERT INTO last_timings (series, case_id, started_us, median_us) SELECT CAST($1 AS TEXT), case_id, CAST($2 AS
        BIGINT), median_us
      FROM timings WHERE run_id = $3 AND n > 0 ON CONFLICT (series, case_id) DO UPDATE
      SET started_us = excluded.started_us, median_us = excluded.median_us
      WHERE excluded.started_us >= last_timings.started_us)sql",
      {run.series, run.started_us, run.key});
}

}  // namespace opbyop::history
