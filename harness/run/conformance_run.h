// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run of `conformance`: the rows, the scheduler that runs their cases, the result stream, and the verdict at the
// end.
//
//   Expected<std::unique_ptr<ConformanceRun>> run = ConformanceRun::Open(options);
//   ... register run->rows() as tests; GoogleTest filters and shuffles them ...
//   run->Begin(selected);                       // starts the workers and submits the cases of the selected rows
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

#include "harness/cache/result_cache.h"
#include "harness/inputs/twins.h"
#include "harness/run/repro_command.h"
#include "harness/run/results_writer.h"
#include "harness/run/resume.h"
#include "harness/run/row_outcomes.h"
#include "harness/run/run_setup.h"
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

class ConformanceRun {
 public:
  // Loads and checks manifest, target and baseline; starts nothing.
  static Expected<std::unique_ptr<ConformanceRun>> Open(Options options);
  ~ConformanceRun();

  const Options& options() const { return setup_.options; }
  const Manifest& manifest() const { return setup_.manifest; }
  const Target& target() const { return setup_.target; }

  // The folder of the bundle that this run makes; empty if it makes none.
  std::filesystem::path made_bundle() const {
    return setup_.compiles_only() ? setup_.options.out : std::filesystem::path();
  }

  // The rows of this shard that --select matches, in manifest order. Their addresses are stable.
  const std::vector<Row>& rows() const { return setup_.rows; }

  // The stages that a row must pass, in order: all of the target's, or those after the stage that made the row's file.
  std::vector<std::string> StagesOf(const Row& row) const { return setup_.StagesOf(row); }

  // Starts workers, opens the result stream (or continues the old one) and submits the cases of `rows`, each once, in
  // this order. `filter` is the flag by which GoogleTest chose the rows, for the header; empty if it chose all. After
  // an error every Await returns `missing` with the error's message.
  Expected<void> Begin(const std::vector<const Row*>& rows, const std::string& filter = "");

  // Blocks until the row's case has ended. Meanwhile `waiting` is called a few times a second.
  RowOutcome Await(const Row& row);
  std::function<void()> waiting;

  // The result of the last Await; the row is null before the first.
  const EndedRow& last() const { return last_; }

  // Ends workers, closes the stream, and compares it with the selection.
  void Finish();

  // Rows that had ended and became red later, because their case turned out to make another case fail. Known after
  // Finish.
  const std::vector<EndedRow>& accused() const { return outcomes_.accused(); }

  // Reasons why the run is red whatever its rows are, a sentence each. Known after Finish.
  const std::vector<std::string>& events() const { return events_; }

  // Selected cases that are not in the result stream. Known after Finish.
  const std::vector<std::string>& missing() const { return missing_; }

  // Says what was done with existing results; empty if there is nothing to say. Known after Begin.
  const std::string& note() const { return note_; }

  // The number of the manifest's cases that are not in the result stream because they were not selected. Known after
  // Finish.
  size_t lacking() const { return lacking_; }

  // Says what is wrong with the cache; empty if nothing is wrong or there is no cache.
  std::string cache_note() const { return cache_ == nullptr ? "" : cache_->note(); }

  // Says what was replaced in the results: PrivateValues::Sentence().
  std::string hidden() const { return setup_.private_values.Sentence(); }

  size_t all_cases() const { return setup_.all_cases.size(); }

  Scheduler::Progress progress() const;
  const std::optional<Error>& error() const { return error_; }

  // The header of the result stream, or nullopt if no stream was started.
  const std::optional<RunHeader>& header() const { return header_; }
  const Baseline* baseline() const { return setup_.baseline ? &*setup_.baseline : nullptr; }
  const std::filesystem::path& baseline_file() const { return setup_.baseline_file; }
  std::filesystem::path results_path() const { return setup_.results_path; }
  // True if the results were removed, moved or replaced while they were written: there is nothing to report.
  bool results_lost() const { return results_lost_; }
  size_t selected_rows() const { return selected_rows_; }

  // Counts of how the rows that were awaited so far ended.
  const Counts& counts() const { return outcomes_.counts(); }

  // For the thread that waits for signals, before it ends the process. Every record is on the disk afterwards, nothing
  // more is written, and all files outside the results are removed.
  Expected<void> Abandon();

  // Returns the command that runs this row alone and keeps everything, under the run's policies if `repeat` names none.
  std::string ReproOf(const Case& c, const ReproOptions& repeat = {}) const;

  int ExitCodeOf(bool tests_passed) const;

 private:
  ConformanceRun() = default;
  // For bundles (harness/run/conformance_bundle.cc).
  Expected<void> BeginBundle();
  std::string FreshSeedOfBundle(bool goes_on) const;
  Expected<void> FillBundle(std::vector<CaseRecord>& kept);
  void NotePrivateFiles();
  void DropStale(std::vector<CaseRecord>& kept) const;
  void MakeSettings();
  WorkerSpec TargetWorker(const Target& target) const;
  std::string FilterText(const std::string& gtest_filter) const;
  uint32_t& RowsLeft(const Case& c) { return rows_left_[static_cast<size_t>(&c - setup_.manifest.cases.data())]; }
  Expected<std::vector<CaseRecord>> OpenResults(const std::vector<const Case*>& cases, RunHeader header);
  Expected<void> TakeFreshSeed(ResumePlan& plan, RunHeader& header);
  bool HasAllSelectedCases() const;
  // For the cache (harness/run/conformance_cache.cc).
  void OpenCache(const RunHeader& header);
  std::string CacheKeyOf(const Case& c) const;
  std::vector<CaseRecord> RecallCached(const std::vector<const Case*>& cases, const std::vector<CaseRecord>& known);
  Expected<void> Keep(const Case& c, CaseRecord& record, Scheduler::Kind kind);
  Expected<void> NoteEvents();
  Expected<void> Start(const std::vector<const Case*>& cases);
  void AdoptDevice(const protocol::Hello& hello);
  Expected<void> Preflight();

  RunSetup setup_;
  // Why nothing is executed; empty if cases are executed. Known after a worker's hello.
  std::string compile_only_;
  std::string other_version_;                               // CompiledRun::OtherVersion, if it was allowed
  std::unique_ptr<ResultCache> cache_;                      // null: none
  std::unordered_map<std::string, const Case*> cacheable_;  // by id, of the cases that are run
  bool began_before_ = false;                               // GoogleTest repeats the run: then everything is run again
  ValidCounterparts valid_twins_;
  std::unique_ptr<Scratch> scratch_;
  std::unique_ptr<Sweeper> sweeper_;  // removes the scratch if this process is killed
  SlotSettings settings_;
  SharedState shared_;
  std::string absent_;  // why the device is not there, before a worker says anything
  std::optional<ReproCommand> repro_;
  std::optional<FileLock> results_lock_;  // held from the end of the stream until its reports are made
  // Guards the pointers writer_ and scratch_: Abandon is called from another thread.
  std::mutex abandon_mutex_;
  std::unique_ptr<ResultsWriter> writer_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<const Case*> cases_;      // selected cases
  std::vector<uint32_t> rows_left_;     // for each case of the manifest: rows that were not awaited yet
  std::optional<uint64_t> fresh_seed_;  // known before a case is started
  std::string preflight_;               // the last line of the preflight program
  // Says that the run has fewer workers because too few files may be open at once; empty if there are enough.
  std::string few_descriptors_;
  std::string note_;
  size_t lacking_ = 0;
  bool results_lost_ = false;
  std::vector<std::string> missing_;
  std::optional<Error> error_;
  std::optional<RunHeader> header_;
  std::string filter_;
  std::string selected_;
  EndedRow last_;
  RowOutcomes outcomes_;
  size_t selected_rows_ = 0;
  std::vector<std::string> events_;
  protocol::Hello hello_;      // from the first worker
  std::string asked_version_;  // the toolchain's version when the run began
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_CONFORMANCE_RUN_H_
