// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <set>

#include "history/earlier_times.h"
#include "history/run_summaries.h"
#include "history/stored_snapshot.h"
#include "manifests/results_file.h"
#include "manifests/shard_files.h"
#include "manifests/target.h"
#include "reports/report_command.h"
#include "reports/safe_text.h"
#include "support/file.h"
#include "support/safe_text.h"
#include "support/sha256.h"
#include "support/timestamp.h"

namespace opbyop::history {
namespace {

constexpr size_t kDigestBlock = size_t{4} << 20;

// All that has a run's id, but for `runs` itself.
constexpr std::array kTablesOfRuns = {"results",       "stages",      "comparisons", "timings",
                                      "run_counts",    "run_models",  "run_causes",  "changes",
                                      "run_op_stages", "run_slowest", "run_op_types"};

constexpr size_t kRunColumns = 25;

Value NumberOrNull(double value) { return std::isnan(value) ? Value() : Value(value); }

Value KeyOrNull(int64_t key) { return key == 0 ? Value() : Value(key); }

std::string ListText(const std::vector<std::string>& list) {
  return nlohmann::json(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<void> RemoveRows(Database& db, int64_t run) {
  for (const char* table : kTablesOfRuns) {
    const Expected<void> done = db.Query(fmt::format("DELETE FROM {} WHERE run_id = $1", table), {run});
    if (!done) return done;
  }
  return db.Query("DELETE FROM runs WHERE id = $1", {run});
}

struct CauseCount {
  int64_t rows = 0, ops = 0;
  std::set<int64_t> cases, models;
  std::set<std::string> kinds;
};

struct ModelCount {
  int64_t rows = 0, passed = 0, red = 0, blocked = 0, ops = 0, blocked_ops = 0;
};

// The rows of one run in the tables, and its snapshot beside them.
class RunWriter {
 public:
  RunWriter(Database& db, Keys& keys, const reports::View& view, const RunDetails& details, int64_t run)
      : db_(db), keys_(keys), view_(view), details_(details), run_(run), snapshot_(SnapshotHead(view)) {
    snapshot_.key = run;
  }

  Expected<Snapshot> Write() {
    for (const auto& [writer, table, columns] :
         std::initializer_list<std::tuple<Writer*, const char*, size_t>>{{&results_, "results", 8},
                                                                         {&stages_, "stages", 6},
                                                                         {&comparisons_, "comparisons", 15},
                                                                         {&timings_, "timings", 12},
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
      Add(comparisons_, {run_, case_key_, position++, keys_.Label(*each.policy), each.output, keys_.Label(*each.rule),
                         each.elements, each.mismatches, NumberOrNull(each.max_abs), NumberOrNull(each.max_rel),
                         NumberOrNull(each.max_ulp), NumberOrNull(each.pcc), NumberOrNull(each.bound_ratio),
                         NumberOrNull(each.precision_ratio), static_cast<int64_t>(each.accepted)});
    }
    const bool timed = c.n > 0;
    if (timed) summaries_.AddDevice(c.median_us, case_key_);
    Add(timings_,
        {run_, case_key_, c.n, timed ? NumberOrNull(c.min_us) : Value(), timed ? NumberOrNull(c.median_us) : Value(),
         timed ? NumberOrNull(details->p95_us) : Value(), NumberOrZero(compile_ms), NumberOrZero(details->wall_ms),
         c.bound_ratio < 0 ? Value() : Value(c.bound_ratio), details->peak_rss_kb, details->artifact_bytes,
         details->attempts});
  }

  static double NumberOrZero(double value) { return std::isfinite(value) ? value : 0; }

  void WriteRow(const reports::RowResult& row) {
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
    const bool blocks =
        IsProblem(row.status) || row.status == Status::kExpectedFail || row.status == Status::kUnsupported;
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
  std::string op_, dtype_;  // of that case
  Expected<void> done_;
};

// The run of the series right before this one, or right after it; 0 for none. Both have results.
Expected<int64_t> Neighbour(Database& db, const Snapshot& run, bool after) {
  return QueryInteger(db,
                      fmt::format(R"sql(
      SELECT id
      FROM runs
      WHERE series = $1 AND partial = 0 AND details > 0 AND id <> $2 AND (started_us {0} $3 OR started_us = $3 AND
        name {0} $4)
      ORDER BY started_us {1}, name {1} LIMIT 1)sql",
                                  after ? ">" : "<", after ? "ASC" : "DESC"),
                      {run.series, run.key, run.started_us, run.run_id});
}

// Where the ops of its rows stand, as its manifest says.
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

// Only the newest of each case stays.
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

}  // namespace

Expected<std::string> DigestOf(const std::filesystem::path& results, const std::string& manifest_hash,
                               const std::string& baseline_text) {
  std::ifstream file(results, std::ios::binary);
  if (!file) return MakeError(ExitCode::kNoInput, results.string() + ": cannot be read");
  std::string parts = manifest_hash + "\n" + Sha256Hex(baseline_text) + "\n";
  for (std::string block(kDigestBlock, '\0'); file;) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    parts += Sha256Hex(std::string_view(block).substr(0, static_cast<size_t>(file.gcount())));
  }
  if (file.bad()) return MakeError(ExitCode::kNoInput, results.string() + ": cannot be read to its end");
  return Sha256Hex(parts);
}

// What a run's files say.
struct Importer::ReadRun {
  std::unique_ptr<reports::LoadedRun> loaded;
  RunDetails details;

  static Expected<std::shared_ptr<const ReadRun>> From(const std::filesystem::path& run,
                                                       const std::filesystem::path& baseline, const ReadRun* before) {
    auto read = std::make_shared<ReadRun>();
    auto loaded = reports::LoadRunWithManifest(
        run, {.baseline = baseline,
              .visit = [&](size_t case_index, const CaseRecord& record) { read->details.Add(case_index, record); },
              .known = before ? &before->loaded->manifest : nullptr});
    if (!loaded) return Unexpected(loaded.error());
    read->loaded = std::move(*loaded);
    return read;
  }
};

struct Importer::Reading {
  using Read = Expected<std::shared_ptr<const ReadRun>>;

  std::filesystem::path run, results;
  std::string digest;
  std::optional<ImportReport> unchanged;
  Read read;  // null while it is `pending`
  std::future<Read> pending;

  const Read& Wait() {
    if (pending.valid()) read = pending.get();
    return read;
  }
};

Expected<ImportReport> Importer::Import(const std::filesystem::path& run) {
  Expected<ImportReport> report;
  const Expected<void> done = ImportEach(std::span(&run, 1), [&](const ImportReport& each) { report = each; });
  if (!done) return Unexpected(done.error());
  return report;
}

Expected<void> Importer::ImportEach(std::span<const std::filesystem::path> runs,
                                    const std::function<void(const ImportReport& report)>& visit) {
  if (runs.empty()) return {};
  Expected<Reading> reading = Begin(runs.front(), nullptr);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!reading) return Unexpected(reading.error());
    const Reading::Read& read = reading->Wait();
    if (!read) return Unexpected(read.error());
    Expected<Reading> next;
    if (i + 1 < runs.size()) next = Begin(runs[i + 1], *read);
    const Expected<ImportReport> report = Finish(*reading);
    if (!report) return Unexpected(report.error());
    visit(*report);
    reading = std::move(next);
  }
  return {};
}

Expected<std::optional<ImportReport>> Importer::Unchanged(const std::string& run_id, const std::string& digest) {
  std::optional<ImportReport> unchanged;
  const Expected<void> looked = db_.Query(
      "SELECT series FROM runs WHERE name = $1 AND digest = $2", {SafeText(run_id), digest}, [&](const Record& record) {
        unchanged =
            ImportReport{.run_id = run_id, .series = std::string(record.Text(0)), .outcome = ImportOutcome::kUnchanged};
      });
  if (!looked) return Unexpected(looked.error());
  return unchanged;
}

Expected<Importer::Reading> Importer::Begin(const std::filesystem::path& run, std::shared_ptr<const ReadRun> before) {
  Reading reading{.run = run, .results = std::filesystem::is_directory(run) ? run / "results.jsonl" : run};
  if (!std::filesystem::exists(reading.results) && !FindShardFiles(run).empty()) {
    reading.read = ReadRun::From(run, options_.baseline, before.get());
    if (!reading.read) return Unexpected(reading.read.error());
    reading.results = (*reading.read)->loaded->merged;
  }
  const Expected<RunHeader> header = LoadRunHeader(reading.results);
  if (!header) return Unexpected(header.error());
  const Expected<std::string> baseline = reports::BaselineTextFor(*header, options_.baseline);
  if (!baseline) return Unexpected(baseline.error());
  Expected<std::string> digest = DigestOf(reading.results, header->manifest_hash, *baseline);
  if (!digest) return Unexpected(digest.error());
  reading.digest = std::move(*digest);
  // What is there needs no reading of its records.
  Expected<std::optional<ImportReport>> unchanged = Unchanged(header->run_id, reading.digest);
  if (!unchanged) return Unexpected(unchanged.error());
  reading.unchanged = std::move(*unchanged);
  if (reading.unchanged || *reading.read) return reading;
  reading.pending = std::async(std::launch::async, [run, baseline = options_.baseline, before = std::move(before)] {
    return ReadRun::From(run, baseline, before.get());
  });
  return reading;
}

Expected<ImportReport> Importer::Finish(const Reading& reading) {
  if (reading.unchanged) return *reading.unchanged;
  const ReadRun& read = **reading.read;
  // The same run may be named twice.
  const Expected<std::optional<ImportReport>> unchanged =
      Unchanged(read.loaded->view.run->header.run_id, reading.digest);
  if (!unchanged) return Unexpected(unchanged.error());
  if (*unchanged) return **unchanged;
  Expected<ImportReport> report = ImportView(read.loaded->view, read.details, reading.digest, reading.run.string());
  if (report && !report->damage.empty()) report->damage = reading.results.string() + ": " + report->damage;
  return report;
}

Expected<ImportReport> Importer::ImportView(const reports::View& view, const RunDetails& details,
                                            const std::string& digest, const std::string& source) {
  Expected<Transaction> transaction = Transaction::Begin(db_);
  if (!transaction) return Unexpected(transaction.error());
  Expected<ImportReport> report = ImportInTransaction(view, details, digest, source);
  Expected<void> done;
  if (report) done = transaction->Commit();
  if (report && done) return report;
  keys_.Forget();
  last_.reset();
  return report ? Unexpected(done.error()) : report;
}

Expected<ImportReport> Importer::ImportInTransaction(const reports::View& view, const RunDetails& details,
                                                     const std::string& digest, const std::string& source) {
  const RunHeader& header = view.run->header;
  if (header.run_id.empty()) {
    return MakeError(ExitCode::kBadInput,
                     source + ": its header has no run_id, by which a history knows it: an older opbyop made it");
  }
  const std::string name = SafeText(header.run_id);
  ImportReport report{.run_id = header.run_id,
                      .rows = static_cast<int64_t>(view.rows.size()),
                      .complete = view.run->complete,
                      .damage = Describe(view.run->bad_lines)};
  const Expected<int64_t> there = QueryInteger(db_, "SELECT id FROM runs WHERE name = $1", {name});
  if (!there) return Unexpected(there.error());
  int64_t key = *there;
  if (key != 0) {
    report.outcome = ImportOutcome::kReplaced;
    if (const Expected<void> done = RemoveRows(db_, key); !done) return Unexpected(done.error());
    if (last_ && last_->key == key) last_.reset();
  } else {
    const Expected<int64_t> most = QueryInteger(db_, "SELECT coalesce(max(id), 0) FROM runs", {});
    if (!most) return Unexpected(most.error());
    key = *most + 1;
  }
  const Expected<int64_t> same_manifest = QueryInteger(
      db_, "SELECT count(*) FROM runs WHERE manifest_hash = $1 AND manifest_hash <> ''", {header.manifest_hash});
  if (!same_manifest) return Unexpected(same_manifest.error());

  if (const Expected<void> begun = keys_.Begin(); !begun) return Unexpected(begun.error());
  Expected<Snapshot> snapshot = RunWriter(db_, keys_, view, details, key).Write();
  if (!snapshot) return Unexpected(snapshot.error());
  report.series = snapshot->series;
  Expected<std::unique_ptr<RowWriter>> runs = db_.Write("runs", kRunColumns);
  if (!runs) return Unexpected(runs.error());
  Expected<void> done = (*runs)->Add({key,
                                      name,
                                      digest,
                                      SafeText(snapshot->series),
                                      snapshot->started_us,
                                      FormatTimestamp(snapshot->started_us),
                                      SafeText(header.target),
                                      SafeText(reports::FirstLine(header.toolchain)),
                                      SafeText(header.policy),
                                      SafeText(header.mode),
                                      static_cast<int64_t>(header.seed),
                                      SafeText(header.git_sha),
                                      SafeText(snapshot->machine),
                                      SafeText(header.digest),
                                      SafeText(header.manifest_hash),
                                      SafeText(source),
                                      static_cast<int64_t>(view.run->complete),
                                      static_cast<int64_t>(snapshot->partial),
                                      SafeText(header.compile_only),
                                      view.run->footer.wall_s,
                                      Value(),
                                      Value(),
                                      int64_t{0},
                                      int64_t{2},
                                      FormatTimestamp(NowMicroseconds())});
  if (done) done = (*runs)->Finish();
  if (done) done = keys_.Finish();
  if (done && *same_manifest == 0) done = WriteOrigins(db_, keys_, view, key);
  if (done) done = UpdateLastTimings(db_, *snapshot);
  if (!done) return Unexpected(done.error());
  if (snapshot->partial) return report;

  const Expected<int64_t> next = Neighbour(db_, *snapshot, true);
  if (!next) return Unexpected(next.error());
  const Expected<int64_t> previous = Neighbour(db_, *snapshot, false);
  if (!previous) return Unexpected(previous.error());
  if (*previous != 0) {
    if (done = WriteChanges(*previous, *snapshot, report); !done) return Unexpected(done.error());
  }
  last_ = std::move(*snapshot);
  if (*next != 0) {
    Expected<Snapshot> after = LoadSnapshotByKey(db_, *next);
    if (!after) return Unexpected(after.error());
    ImportReport of_next;
    if (done = WriteChanges(key, *after, of_next); !done) return Unexpected(done.error());
  }
  return report;
}

Expected<void> Importer::WriteChanges(int64_t previous, const Snapshot& after, ImportReport& report) {
  Expected<Snapshot> loaded;
  const Snapshot* before = last_ && last_->key == previous ? &*last_ : nullptr;
  if (!before) {
    loaded = LoadSnapshotByKey(db_, previous);
    if (!loaded) return Unexpected(loaded.error());
    before = &*loaded;
  }
  const Expected<Difference> difference = Compare(*before, after, options_.difference, TimesBefore(db_, *before));
  if (!difference) return Unexpected(difference.error());
  const bool timed = difference->untimed.empty();
  Expected<void> done = db_.Query("UPDATE runs SET previous_id = $1, drift = $2, timed_cases = $3 WHERE id = $4",
                                  {previous, timed ? Value(difference->drift.log) : Value(),
                                   static_cast<int64_t>(difference->drift.cases), after.key});
  if (done) done = db_.Query("DELETE FROM changes WHERE run_id = $1", {after.key});
  if (!done) return done;
  Expected<std::unique_ptr<RowWriter>> writer = db_.Write("changes", 11);
  if (!writer) return Unexpected(writer.error());
  const bool alike = !before->decides.empty() && before->decides == after.decides;
  for (const Change& change : difference->changes) {
    const auto status = [](const SnapshotRow* row) { return row ? Value(static_cast<int64_t>(row->status)) : Value(); };
    const auto cause = [&](const SnapshotRow* row) { return KeyOrNull(row ? keys_.CauseById(row->cause) : 0); };
    const bool has_values = change.before_value != 0 || change.after_value != 0;
    done = (*writer)->Add({after.key, change.after ? change.after->key : change.before->key,
                           std::string(ToString(change.kind)), status(change.before), status(change.after),
                           cause(change.before), cause(change.after), has_values ? Value(change.before_value) : Value(),
                           has_values ? Value(change.after_value) : Value(),
                           change.confidence > 0 ? Value(change.confidence) : Value(), static_cast<int64_t>(alike)});
    if (!done) return done;
  }
  report.changes = static_cast<int64_t>(difference->changes.size());
  report.up_to_machine = difference->up_to_machine;
  return (*writer)->Finish();
}

}  // namespace opbyop::history
