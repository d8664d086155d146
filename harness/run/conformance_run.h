// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run of `conformance`: the rows, the scheduler behind them, the result stream, and what is red at the end.
//
//   Expected<std::unique_ptr<ConformanceRun>> run = ConformanceRun::Open(options);
//   ... register run->rows() as tests; GoogleTest filters and shuffles them ...
//   run->Begin(selected);                       // workers up, cases of the selected rows taken up
//   RowOutcome outcome = run->Await(row);
//   run->Finish();
//   return run->ExitCodeOf(tests_passed);
#ifndef OPBYOP_HARNESS_RUN_CONFORMANCE_RUN_H_
#define OPBYOP_HARNESS_RUN_CONFORMANCE_RUN_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/bundle/compiled_run.h"
#include "harness/cache/result_cache.h"
#include "harness/inputs/twins.h"
#include "harness/run/options.h"
#include "harness/run/repro_command.h"
#include "harness/run/results_writer.h"
#include "harness/run/resume.h"
#include "harness/run/scheduler.h"
#include "harness/run/sweeper.h"
#include "harness/slot/valid_counterparts.h"
#include "harness/worker/scratch.h"
#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/status/counts.h"
#include "manifests/targets/target.h"
#include "support/text/private_values.h"

namespace opbyop::harness {

// How a row ended: its case's record, seen through the baseline.
struct RowOutcome {
  std::shared_ptr<const CaseRecord> record;
  Status status = Status::kMissing;
  const BaselineEntry* baseline = nullptr;
  std::string diagnostic;  // the record's; of a row of the baseline's floor it says that it passed before
};

class ConformanceRun {
 public:
  // Loads manifest, target and baseline and checks them; starts nothing.
  static Expected<std::unique_ptr<ConformanceRun>> Open(Options options);
  ~ConformanceRun();

  const Options& options() const { return options_; }
  const Manifest& manifest() const { return manifest_; }
  const Target& target() const { return target_; }

  // Where the bundle is that this run makes; empty where it makes none.
  std::filesystem::path made_bundle() const { return compiles_only() ? options_.out : std::filesystem::path(); }

  // The rows of this shard that --select admits, in manifest order. Their addresses are stable.
  const std::vector<Row>& rows() const { return rows_; }

  // The stages that a row must pass, in order: all of the target, or those after the one that made its file.
  std::vector<std::string> StagesOf(const Row& row) const;

  // Starts workers, opens the result stream (or takes up the old one) and takes up the cases of `rows`, each
  // once, in this order. `filter`: the flag by which GoogleTest chose them, for the header; empty where it chose all.
  // An error makes every Await answer `missing` with its message.
  Expected<void> Begin(const std::vector<const Row*>& rows, const std::string& filter = "");

  // Blocks until the row's case has ended. `waiting` is called a few times a second meanwhile.
  RowOutcome Await(const Row& row);
  std::function<void()> waiting;

  // What the last Await answered; the row is null before the first.
  struct EndedRow {
    const Row* row = nullptr;
    RowOutcome outcome;
  };
  const EndedRow& last() const { return last_; }

  // Ends workers, closes the stream, and compares it with what was selected.
  void Finish();

  // Rows that had ended, and are red since another case was found to fail because of theirs. Known after Finish.
  const std::vector<EndedRow>& accused() const { return accused_; }

  // What makes the run red whatever its rows are, a sentence each. Known after Finish.
  const std::vector<std::string>& events() const { return events_; }

  // Selected cases that the result stream does not hold. Known after Finish.
  const std::vector<std::string>& missing() const { return missing_; }

  // What was made of the results that were there before; empty where there is nothing to say. Known after Begin.
  const std::string& note() const { return note_; }

  // How many of the manifest's cases the result stream lacks because they were not selected. Known after Finish.
  size_t lacking() const { return lacking_; }

  // What is wrong with the cache; empty where nothing is, or there is none.
  std::string cache_note() const { return cache_ == nullptr ? "" : cache_->note(); }

  // What was replaced in its results: PrivateValues::Sentence().
  std::string hidden() const { return private_values_.Sentence(); }

  size_t all_cases() const { return all_cases_.size(); }

  Scheduler::Progress progress() const;
  const std::optional<Error>& error() const { return error_; }

  // The header of the result stream, or nullopt if no stream was begun.
  const std::optional<RunHeader>& header() const { return header_; }
  const Baseline* baseline() const { return baseline_ ? &*baseline_ : nullptr; }
  const std::filesystem::path& baseline_file() const { return baseline_file_; }
  std::filesystem::path results_path() const { return results_path_; }
  // They were removed, moved or replaced while they were written: there is nothing to report.
  bool results_lost() const { return results_lost_; }
  size_t selected_rows() const { return selected_rows_; }

  // How the rows that were awaited so far ended.
  const Counts& counts() const { return counts_; }

  // For a signal-waiting thread, before it ends the process: every record on the disk, none after it, and what lies
  // outside the results removed.
  Expected<void> Abandon();

  // The command that runs this row alone and keeps everything; under the run's policies where none is named.
  std::string ReproOf(const Case& c, const ToRepeat& repeat = {}) const;

  int ExitCodeOf(bool tests_passed) const;

 private:
  ConformanceRun() = default;
  Expected<void> Load();
  Expected<void> LoadTargets();
  Expected<void> KeepShard();
  Expected<void> AdoptShard();
  Expected<void> LoadBaselineFile(const std::vector<Row>& rows);
  Expected<void> LockManifest();
  void FindPrivateValues();
  // What is done for bundles (harness/run/conformance_bundle.cc).
  bool compiles_only() const { return !options_.until.empty(); }
  Expected<void> OpenBundle();
  Expected<void> CheckUntil() const;
  Expected<std::vector<RunPolicy>> Policies() const;
  Expected<void> BeginBundle();
  std::string FreshSeedOfBundle(bool goes_on) const;
  Expected<void> FillBundle(std::vector<CaseRecord>& kept);
  void NotePrivateFiles();
  void DropStale(std::vector<CaseRecord>& kept) const;
  void PrepareForModels();
  void MakeContext();
  WorkerSpec TargetWorker(const Target& target) const;
  bool MayBatch(const Case& c) const;
  std::string StageOf(const Case& c) const;
  RunHeader MakeHeader(const protocol::Hello& hello);
  std::string FilterText(const std::string& gtest_filter) const;
  uint32_t& RowsLeft(const Case& c) { return rows_left_[static_cast<size_t>(&c - manifest_.cases.data())]; }
  std::string NumbersOf(const std::vector<const Row*>& rows) const;
  Expected<std::vector<CaseRecord>> OpenResults(const std::vector<const Case*>& cases, RunHeader header);
  Expected<void> TakeFreshSeed(ResumePlan& plan, RunHeader& header);
  void JoinSelection(const RunHeader& old, RunHeader& header) const;
  bool HasAllItNames() const;
  // What is done for the cache (harness/run/conformance_cache.cc).
  void OpenCache(const RunHeader& header);
  std::string CacheKeyOf(const Case& c) const;
  std::vector<CaseRecord> RecallCached(const std::vector<const Case*>& cases, const std::vector<CaseRecord>& known);
  Expected<void> Keep(CaseRecord& record, Scheduler::Kind kind);
  // What the row's case means for it, seen through the baseline.
  RowOutcome OutcomeOf(const Row& row, std::shared_ptr<const CaseRecord> record) const;
  // Rows that were told before their case turned out to spoil another.
  void CountAmended();
  Expected<void> NoteEvents();
  Expected<void> Start(const std::vector<const Case*>& cases);
  void AdoptDevice(const protocol::Hello& hello);
  Expected<void> Preflight();

  Options options_;
  Manifest manifest_;
  Target target_;
  std::optional<Target> second_target_;
  std::optional<Baseline> baseline_;
  std::filesystem::path baseline_file_;  // empty where there is none
  PrivateValues private_values_;         // which nothing that this run leaves may show
  std::vector<Row> rows_;
  std::vector<std::string> stages_;
  std::string compile_only_;  // why nothing is executed; known once a worker has said hello, empty where it is
  std::map<std::string, std::string> made_by_;  // models whose IR of a stage of this target was split, and the stage
  Twins twins_;
  std::unique_ptr<ResultCache> cache_;                      // null: none
  std::unordered_map<std::string, const Case*> cacheable_;  // by id, of the cases that are run
  bool began_before_ = false;                               // repeated: then everything is run again
  std::optional<Bundle> bundle_;                            // that is executed
  std::optional<CompiledRun> compiled_;                     // of it
  std::optional<ArtifactStore> artifacts_;                  // of the bundle that is made
  ValidCounterparts valid_twins_;
  std::unique_ptr<Scratch> scratch_;
  std::unique_ptr<Sweeper> sweeper_;  // of the scratch, should this process be killed
  std::mutex device_;
  SlotContext context_;
  std::optional<ReproCommand> repro_;
  std::filesystem::path results_path_;
  std::optional<FileLock> manifest_lock_;  // keeps `split` from rewriting the cases meanwhile
  std::optional<FileLock> results_lock_;   // from the end of the stream on, until its reports are made
  std::mutex abandon_mutex_;               // of writer_ and scratch_ as pointers: Abandon is called from another thread
  std::unique_ptr<ResultsWriter> writer_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<const Case*> all_cases_;  // of this shard, selected or not
  std::vector<const Case*> cases_;      // selected
  std::vector<uint32_t> rows_left_;     // of each case of the manifest, not awaited yet
  std::optional<uint64_t> fresh_seed_;  // known before a case is taken up
  std::string balance_;                 // by what the shard's cases were dealt out; empty where there are no shards
  std::string preflight_;               // what it said
  std::string few_descriptors_;         // what it is made with less for; empty where there are enough
  std::string note_;
  size_t lacking_ = 0;
  bool results_lost_ = false;
  std::vector<std::string> missing_;
  std::optional<Error> error_;
  std::optional<RunHeader> header_;
  std::string filter_;
  std::string selected_;
  EndedRow last_;
  size_t selected_rows_ = 0;
  Counts counts_;
  std::vector<std::optional<Status>> told_;  // of each of rows_: what Await said of it
  std::mutex amended_mutex_;
  std::map<std::string, std::shared_ptr<const CaseRecord>> amended_;  // by id
  std::vector<EndedRow> accused_;
  std::vector<std::string> events_;
  protocol::Hello hello_;      // of the first worker
  std::string asked_version_;  // what the toolchain said when the run began
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_CONFORMANCE_RUN_H_
