// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "history/difference/earlier_times.h"
#include "history/difference/stored_snapshot.h"
#include "history/import/run_rows.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/shard_files.h"
#include "manifests/targets/target.h"
#include "reports/command/report_command.h"
#include "reports/view/first_line.h"
#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/text/safe_text.h"
#include "support/text/timestamp.h"

namespace opbyop::history {
namespace {

constexpr size_t kDigestBlock = size_t{4} << 20;

// All tables with a run's id, except `runs` itself.
constexpr std::array kTablesOfRuns = {"results",       "stages",      "comparisons", "timings",
                                      "run_counts",    "run_models",  "run_causes",  "changes",
                                      "run_op_stages", "run_slowest", "run_op_types"};

constexpr size_t kRunColumns = 25;

Expected<void> RemoveRows(Database& db, int64_t run) {
  for (const char* table : kTablesOfRuns) {
    const Expected<void> done = db.Query(fmt::format("DELETE FROM {} WHERE run_id = $1", table), {run});
    if (!done) return done;
  }
  return db.Query("DELETE FROM runs WHERE id = $1", {run});
}

// The run of the series right before this one, or right after it; 0 if there is none. Only runs with results count.
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

std::vector<std::string> ModelsOf(const reports::View& view) {
  std::vector<std::string> models;
  models.reserve(view.manifest->models.size());
  for (const Model& model : view.manifest->models) models.push_back(SafeText(model.name));
  std::ranges::sort(models);
  return models;
}

// The models that have rows in this run.
Expected<std::vector<std::string>> ModelsOf(Database& db, int64_t run) {
  std::vector<std::string> models;
  const Expected<void> done = db.Query(
      "SELECT o.name FROM run_models m JOIN models o ON o.id = m.model_id WHERE m.run_id = $1 AND m.rows_count > 0",
      {run}, [&](const Record& record) { models.emplace_back(record.Text(0)); });
  if (!done) return Unexpected(done.error());
  std::ranges::sort(models);
  return models;
}

std::vector<std::string> Without(const std::vector<std::string>& models, const std::vector<std::string>& those) {
  std::vector<std::string> left;
  std::ranges::set_difference(models, those, std::back_inserter(left));
  return left;
}

}  // namespace

Expected<std::string> DigestOf(const std::filesystem::path& results, const std::string& manifest_hash,
                               const std::string& baseline_text) {
  Expected<std::ifstream> opened = OpenFile(results);
  if (!opened) return Unexpected(opened.error());
  std::ifstream& file = *opened;
  std::string parts = manifest_hash + "\n" + Sha256Hex(baseline_text) + "\n";
  for (std::string block(kDigestBlock, '\0'); file;) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    parts += Sha256Hex(std::string_view(block).substr(0, static_cast<size_t>(file.gcount())));
  }
  if (file.bad()) return MakeError(ExitCode::kNoInput, results.string() + ": cannot be read to its end");
  return Sha256Hex(parts);
}

// The content of a run's files.
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
    reading.results = (*reading.read)->loaded->file();
  }
  const Expected<RunHeader> header = LoadRunHeader(reading.results);
  if (!header) return Unexpected(header.error());
  const Expected<std::string> baseline = reports::BaselineTextFor(*header, options_.baseline);
  if (!baseline) return Unexpected(baseline.error());
  Expected<std::string> digest = DigestOf(reading.results, header->manifest_hash, *baseline);
  if (!digest) return Unexpected(digest.error());
  reading.digest = std::move(*digest);
  // The records of a run that the history already has are not read.
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
  // The caller may name the same run twice.
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
                     source + ": its header has no run_id, which identifies it in a history: an older opbyop made it");
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

  const std::vector<std::string> models = ModelsOf(view);
  Snapshot head = SnapshotHead(view);
  head.key = key;
  if (!head.partial && !options_.fewer_models) {
    const Expected<int64_t> before = Neighbour(db_, head, false);
    if (!before) return Unexpected(before.error());
    const Expected<std::vector<std::string>> earlier = ModelsOf(db_, *before);
    if (!earlier) return Unexpected(earlier.error());
    report.lacking = Without(*earlier, models);
  }

  if (const Expected<void> started = keys_.Begin(); !started) return Unexpected(started.error());
  Expected<Snapshot> snapshot = WriteRows(db_, keys_, view, details, key);
  if (!snapshot) return Unexpected(snapshot.error());
  report.series = snapshot->series;
  snapshot->partial = snapshot->partial || !report.lacking.empty();
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

  if (done = SetAsideLaterRuns(*snapshot, models); !done) return Unexpected(done.error());
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

Expected<void> Importer::SetAsideLaterRuns(const Snapshot& run, const std::vector<std::string>& models) {
  while (!options_.fewer_models) {
    const Expected<int64_t> next = Neighbour(db_, run, true);
    if (!next) return Unexpected(next.error());
    const Expected<std::vector<std::string>> later = ModelsOf(db_, *next);
    if (!later) return Unexpected(later.error());
    if (*next == 0 || Without(models, *later).empty()) return {};
    Expected<void> done = db_.Query(
        "UPDATE runs SET partial = 1, previous_id = NULL, drift = NULL, timed_cases = 0 WHERE id = $1", {*next});
    if (done) done = db_.Query("DELETE FROM changes WHERE run_id = $1", {*next});
    if (!done) return done;
    if (last_ && last_->key == *next) last_.reset();
  }
  return {};
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
