// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/conformance_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_set>
#include <utility>

#include "harness/inputs/fresh_draw.h"
#include "harness/run/fresh_seed.h"
#include "harness/run/resume.h"
#include "harness/run/run_header.h"
#include "harness/run/run_plan.h"
#include "harness/run/setup_header.h"
#include "harness/worker/preflight.h"
#include "harness/worker/recover.h"
#include "harness/worker/toolchain.h"
#include "harness/worker/verdict.h"
#include "harness/worker/worker_isolation.h"
#include "manifests/cases/row_ranges.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/private_text.h"
#include "manifests/targets/find_target.h"
#include "protocol/build_identity.h"
#include "support/files/file_tree.h"
#include "support/files/project_folder.h"
#include "support/machine_memory.h"
#include "support/start_program.h"
#include "support/text/count_text.h"
#include "support/text/placeholders.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

using protocol::Hello;

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Adds to the error what the target file may be lacking, for a plugin that was given by its path: its topology, an
// option.
Error WithNote(Error error, const Target& target) {
  if (const std::string note = DeclarationsNote(target); !note.empty()) error.message += "; " + note;
  return error;
}

// The largest number of descriptors that a run has open apart from those of its workers: results, reports, locks,
// scratch, the cache, the program that is being started, the folders that are being removed.
constexpr rlim_t kDescriptorsOfRun = 48;

// Descriptors for the pipes to one worker and its supervisor.
constexpr rlim_t kDescriptorsOfWorker = 4;

rlim_t DescriptorsFor(rlim_t slots, rlim_t workers) {
  return kDescriptorsOfRun + slots * workers * kDescriptorsOfWorker;
}

// Returns how many slots, each with this many workers, these descriptors are enough for.
int SlotsFor(rlim_t descriptors, rlim_t workers) {
  if (descriptors < kDescriptorsOfRun) return 0;
  return static_cast<int>(
      std::min<rlim_t>((descriptors - kDescriptorsOfRun) / (workers * kDescriptorsOfWorker), 10000));
}

}  // namespace

Expected<std::unique_ptr<ConformanceRun>> ConformanceRun::Open(Options options) {
  std::unique_ptr<ConformanceRun> run(new ConformanceRun);
  Expected<RunSetup> setup = RunSetup::Load(std::move(options));
  if (!setup) return Unexpected(setup.error());
  run->setup_ = std::move(*setup);
  run->MakeSettings();
  return run;
}

ConformanceRun::~ConformanceRun() { scheduler_.reset(); }

WorkerSpec ConformanceRun::TargetWorker(const Target& target) const {
  WorkerSpec spec = TargetWorkerSpec(target, ProgramFolder().string(), ProjectFolder().string());
  // LLVM's symbolized stack dump takes ten times as long as the crash itself; a repro keeps it.
  if (setup_.options.keep.empty()) spec.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1";
  spec.hello_timeout_s = std::max(setup_.options.hello_timeout_s, target.hello_timeout_s);
  // The tools of the other half may not be installed.
  if (&target == &setup_.target && setup_.compiles_only()) spec.environment[protocol::kOnlyVariable] = "compile";
  if (&target == &setup_.target && setup_.bundle) spec.environment[protocol::kOnlyVariable] = "execute";
  if (setup_.options.allow_other_version) spec.environment[protocol::kOtherVersionVariable] = "1";
  return spec;
}

void ConformanceRun::MakeSettings() {
  std::error_code error;
  settings_.target = &setup_.target;
  settings_.manifest_folder = fs::absolute(setup_.manifest.path, error).parent_path();
  settings_.policies = setup_.policies;
  settings_.target_worker = TargetWorker(setup_.target);
  settings_.made_by = setup_.made_by;
  settings_.baseline = baseline();
  shared_.valid_twins = &valid_twins_;
  if (setup_.second_target) settings_.second = {&*setup_.second_target, TargetWorker(*setup_.second_target)};
  settings_.reference_worker = ReferenceWorkerSpec(ProgramFolder().string());
  if (setup_.manifest.has_models()) WidenForModel(settings_.reference_worker.fallback);
  if (!setup_.options.reference_worker.empty())
    settings_.reference_worker.argv.front() = setup_.options.reference_worker;
  for (const std::string& file : setup_.options.meanings) {
    // Workers run in folders of their own. A word of its own, so that its content is part of the run's digest.
    std::error_code error;
    settings_.reference_worker.argv.insert(settings_.reference_worker.argv.end(),
                                           {"--meaning", fs::absolute(file, error).string()});
  }
  settings_.reference_worker.hello_timeout_s = setup_.options.hello_timeout_s;
  settings_.second_draw = !setup_.manifest.is_whole();
  if (!setup_.manifest.is_whole()) settings_.twins = SmallerTwins(setup_.manifest, kTwinElements);
  settings_.makes_twins = !setup_.manifest.is_whole();
  settings_.seed = setup_.options.seed;
  settings_.repeat = setup_.options.repeat;
  settings_.repeat.min = std::min(settings_.repeat.min, settings_.repeat.max);
  settings_.executions = setup_.options.executions;
  settings_.retries = setup_.options.retries;
  if (!setup_.options.keep.empty()) settings_.keep = fs::absolute(setup_.options.keep, error);
  if (setup_.artifacts) settings_.saves = &*setup_.artifacts;
  if (setup_.compiled) {
    settings_.compiled = &*setup_.compiled;
    settings_.processor = ProcessorName();
  }
  repro_.emplace(ReproCommand::Run{.manifest = setup_.manifest.path,
                                   .bundle = setup_.bundle ? setup_.bundle->folder : fs::path(),
                                   .target = setup_.options.target,
                                   .policies = setup_.options.policy,
                                   .meanings = setup_.options.meanings,
                                   .seed = setup_.options.seed,
                                   .allow_other_version = setup_.options.allow_other_version});
}

std::string ConformanceRun::ReproOf(const Case& c, const ReproOptions& repeat) const {
  const std::vector<std::string> models = ModelsOf(c);
  return repro_->Of(RowName({&c, models.empty() ? "" : models.front()}), repeat);
}

std::string ConformanceRun::FilterText(const std::string& gtest_filter) const {
  std::string text = gtest_filter;
  for (const std::string& select : setup_.options.select) text += (text.empty() ? "--select=" : " --select=") + select;
  return text;
}

Expected<void> ConformanceRun::Begin(const std::vector<const Row*>& rows, const std::string& filter) {
  selected_rows_ = rows.size();
  filter_ = FilterText(filter);
  selected_ = NumbersOf(setup_.manifest, rows);
  cases_.clear();
  missing_.clear();
  note_.clear();
  error_.reset();
  header_.reset();
  results_lock_.reset();
  last_ = {};
  outcomes_.Begin(setup_.rows);
  rows_left_.assign(setup_.manifest.cases.size(), 0);
  for (const Row* row : rows) {
    if (++RowsLeft(*row->c) == 1) cases_.push_back(row->c);
  }
  // An empty shard needs results too, or `opbyop merge` would report it as missing.
  if (cases_.empty() && setup_.options.shards == 1) return {};
  if (const Expected<void> started = Start(cases_); !started) {
    error_ = started.error();
    return Unexpected(*error_);
  }
  return {};
}

Expected<void> ConformanceRun::Start(const std::vector<const Case*>& cases) {
  const int possible = SlotsFor(MostDescriptors(), setup_.second_target ? 3 : 2);
  if (possible < 1) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("only {} files may be open at once (ulimit -n), and a run needs {} at least",
                                 MostDescriptors(), DescriptorsFor(1, setup_.second_target ? 3 : 2)));
  }
  AdoptOrphans();
  if (scratch_ == nullptr) {
    {
      // An interrupt waits until the folders are known: it could not remove them before.
      const std::lock_guard guard(abandon_mutex_);
      Expected<std::unique_ptr<Scratch>> scratch = Scratch::Open();
      if (!scratch) return Unexpected(scratch.error());
      scratch_ = std::move(*scratch);
    }
    shared_.scratch = scratch_.get();
    Expected<std::unique_ptr<Sweeper>> sweeper = Sweeper::Start(scratch_->folders());
    if (!sweeper) return Unexpected(sweeper.error());
    sweeper_ = std::move(*sweeper);
    for (WorkerSpec* spec : {&settings_.target_worker, &settings_.reference_worker}) {
      spec->supervision.hold_fd = sweeper_->hold_fd();
    }
    if (settings_.second) settings_.second->worker.supervision.hold_fd = sweeper_->hold_fd();
  }
  if (const Expected<void> started = BeginBundle(); !started) return started;
  if (const Expected<void> ready = Preflight(); !ready) return ready;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wanted = TargetJobs(setup_.target, setup_.options.jobs, cores);
  const int count = std::max(1, static_cast<int>(cases.size()));
  const int jobs = std::min(wanted, count);
  // The reference takes a good third of a case's time. More slots than jobs keep all target workers busy meanwhile.
  const int slots = jobs == 1 ? 1 : std::min(jobs + (jobs + 1) / 2, count);
  few_descriptors_.clear();
  if (possible < slots) {
    few_descriptors_ = fmt::format("{} instead of {}, because only {} files may be open at once (ulimit -n)",
                                   CountText(possible, "worker"), slots, MostDescriptors());
  }
  absent_ = HasDevice(setup_.target) ? WhyAbsent(setup_.target) : "";
  scheduler_ =
      std::make_unique<Scheduler>(settings_, shared_,
                                  SchedulerOptions{.jobs = std::min(jobs, possible),
                                                   .slots = std::min(slots, possible),
                                                   .memory = MachineMemory(),
                                                   .compile_only = absent_,
                                                   .replay_time = std::chrono::seconds(setup_.options.replay_s)});
  if (setup_.compiled) {
    if (const Expected<void> sound = setup_.compiled->Check(cases, settings_.manifest_folder); !sound) return sound;
  }
  const Expected<Hello> hello = scheduler_->Start();
  if (!hello) return Unexpected(WithNote(hello.error(), setup_.target));
  AdoptDevice(*hello);
  hello_ = *hello;
  if (setup_.bundle && !compile_only_.empty()) {
    return MakeError(ExitCode::kNoInput, fmt::format("a bundle is executed where its device is: {}", compile_only_));
  }

  other_version_ = setup_.compiled ? setup_.compiled->OtherVersion(hello->properties) : "";
  if (!other_version_.empty() && !setup_.options.allow_other_version) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: {}; another version may run these executables wrongly. Install the version that "
                                 "compiled them, compile the bundle again, or use --allow-other-version",
                                 setup_.bundle->folder.string(), other_version_));
  }

  const Toolchain toolchain = AskToolchain(setup_.target, *hello);
  asked_version_ = toolchain.version;
  RunHeader header =
      MakeHeader(setup_, {*hello, toolchain, settings_, compile_only_, filter_, selected_, other_version_});
  if (setup_.baseline) setup_.baseline->KeepFor(header);
  Expected<std::vector<CaseRecord>> known = OpenResults(cases, std::move(header));
  if (!known) return Unexpected(known.error());
  const auto keep = [this](const Case& c, CaseRecord& record, Scheduler::Kind kind) { return Keep(c, record, kind); };
  scheduler_->Go(cases, keep, fresh_seed_, std::move(*known));
  return {};
}

// Runs the target's preflight program: what all cases depend on must work.
Expected<void> ConformanceRun::Preflight() {
  preflight_.clear();
  if (setup_.target.device.kind == kPjrtDevice) {
    const std::string lacking = EnvironmentNote(setup_.target.plugin, settings_.target_worker.environment);
    if (!lacking.empty()) fmt::print(stderr, "conformance: {}\n", lacking);
  }
  if (setup_.target.preflight.empty()) return {};
  std::error_code error;
  const fs::path out = fs::absolute(setup_.options.out, error);
  fs::create_directories(out, error);
  std::vector<fs::path> folders = scratch_->MakeSlot("preflight");
  WorkerSpec spec = settings_.target_worker;
  if (!folders.empty()) {
    folders.insert(folders.begin(), out);
    spec = Isolated(std::move(spec), folders, scratch_->MakeTemporary("tmp-target", "preflight"));
    GrantDeclared(setup_.target, spec);
  }
  Expected<std::string> said = RunPreflight(setup_.target.preflight, spec, {.file = setup_.target.path, .out = out});
  scratch_->RemoveSlot("preflight");
  if (!said) return Unexpected(WithNote(said.error(), setup_.target));
  preflight_ = std::move(*said);
  return {};
}

// The worker's description of its device decides which stages the run has. No case has been started yet.
void ConformanceRun::AdoptDevice(const Hello& hello) {
  compile_only_ = setup_.compiles_only()       ? "the bundle is executed elsewhere"
                  : hello.compile_only.empty() ? absent_
                                               : hello.compile_only;
  if (compile_only_.empty() && !HasDevice(setup_.target))
    compile_only_ = fmt::format("target {} has no device", setup_.target.name);
  if (compile_only_.empty()) return;
  setup_.stages = CompileStages(setup_.target);
}

// Opens the result stream and takes over records from the existing one. Returns those of cases that are not run again.
Expected<std::vector<CaseRecord>> ConformanceRun::OpenResults(const std::vector<const Case*>& cases, RunHeader header) {
  Expected<FileLock> lock = LockResults(setup_.results_path);
  if (!lock) return Unexpected(lock.error());
  const Existing existing = setup_.options.fresh                ? Existing::kDiscard
                            : setup_.options.rerun == "failed"  ? Existing::kRerunFailed
                            : setup_.options.rerun == "changed" ? Existing::kRerunChanged
                            : setup_.options.resume             ? Existing::kResume
                            : setup_.options.resume_interrupted ? Existing::kResumeInterrupted
                                                                : Existing::kReplace;
  const RunHeader whole = header;  // with private values, which the cache key needs
  HideIn(setup_.private_values, header);
  Expected<ResumePlan> plan = PlanResume({setup_.results_path, &header, existing, cases, setup_.all_cases.size()});
  if (!plan) return Unexpected(plan.error());
  if (const Expected<void> taken = TakeFreshSeed(*plan, header); !taken) return Unexpected(taken.error());
  note_ = DeclarationsNote(setup_.target);
  const auto platform = header.properties.find("platform");
  if (note_.empty() && platform != header.properties.end()) note_ = PlatformNote(setup_.target, platform->second);
  if (!few_descriptors_.empty()) note_ += (note_.empty() ? "" : "; ") + few_descriptors_;
  if (!preflight_.empty()) note_ += (note_.empty() ? "" : "; ") + preflight_;
  if (cache_ == nullptr) OpenCache(whole);
  if (!plan->note.empty()) note_ += (note_.empty() ? "" : "; ") + plan->note;
  if (!compile_only_.empty()) {
    note_ += fmt::format("{}compiled only, not executed: {}", note_.empty() ? "" : "; ", compile_only_);
  }
  if (!other_version_.empty()) note_ += (note_.empty() ? "" : "; ") + other_version_;
  if (const std::string memory = MemoryNote(cases, MachineMemory()); !memory.empty()) {
    note_ += (note_.empty() ? "" : "; ") + memory;
  }
  if (setup_.compiled) DropStale(plan->kept);
  if (setup_.compiles_only()) {
    if (const Expected<void> filled = FillBundle(plan->kept); !filled) return Unexpected(filled.error());
  }
  if (plan->joined) JoinSelection(setup_.manifest, *plan->joined, header);
  if (plan->replaces_complete) {
    // The last complete run stays readable until the next one is complete.
    std::error_code error;
    fs::rename(setup_.results_path, fs::path(setup_.results_path).replace_extension(".previous.jsonl"), error);
  }
  for (CaseRecord& record : plan->kept) HideIn(setup_.private_values, record);
  std::vector<CaseRecord> known;
  if (plan->run_only_missing) known = plan->kept;
  const std::vector<CaseRecord> recalled = RecallCached(cases, known);
  plan->kept.insert(plan->kept.end(), recalled.begin(), recalled.end());
  known.insert(known.end(), recalled.begin(), recalled.end());
  Expected<std::unique_ptr<ResultsWriter>> writer =
      ResultsWriter::Create(std::move(*lock), setup_.results_path, header, plan->kept, plan->events);
  if (!writer) return Unexpected(writer.error());
  {
    const std::lock_guard guard(abandon_mutex_);
    writer_ = std::move(*writer);
  }
  header_ = std::move(header);
  return known;
}

// Takes the seed of the further draw, if there is one. There is none for programs that take no generated inputs, or
// that are not executed.
Expected<void> ConformanceRun::TakeFreshSeed(ResumePlan& plan, RunHeader& header) {
  fresh_seed_.reset();
  const bool draws = FreshPolicy(settings_.policies) != nullptr && !setup_.manifest.is_whole() && compile_only_.empty();
  if (!draws) return {};
  const Expected<std::optional<uint64_t>> seed =
      ChooseFreshSeed({.given = setup_.options.fresh_seed,
                       .results = setup_.results_path,
                       .header = &header,
                       .plan = &plan,
                       .of_bundle = setup_.bundle ? setup_.bundle->fresh_seed : "",
                       .now_us = NowMicroseconds()});
  if (!seed) return Unexpected(seed.error());
  fresh_seed_ = header.fresh_seed = *seed;
  if (plan.all_run_again && plan.fresh_seed != fresh_seed_) plan.kept.clear();
  return {};
}

// True if every case of the rows that the header names has a record. Only then may the file have a footer.
bool ConformanceRun::HasAllSelectedCases() const {
  const std::vector<Row> rows = Rows(setup_.manifest);
  const auto named = header_->selected.empty() ? std::nullopt : ParseRows(header_->selected, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if ((!named || (*named)[i]) && !writer_->Has(rows[i].c->id)) return false;
  }
  return true;
}

RowOutcome ConformanceRun::Await(const Row& row) {
  RowOutcome outcome;
  if (error_ || scheduler_ == nullptr) {
    auto missing = std::make_shared<CaseRecord>();
    missing->id = row.c->id;
    missing->diagnostic =
        setup_.private_values.Hide("not run: " + (error_ ? error_->message : "the row was not selected"));
    outcome.diagnostic = missing->diagnostic;
    outcome.record = std::move(missing);
    last_ = {&row, outcome};
    return outcome;
  }
  while ((outcome.record = scheduler_->Await(*row.c, milliseconds(100))) == nullptr) {
    (void)writer_->SyncIfDue();  // an error also fails the next record
    if (waiting) waiting();
  }
  (void)writer_->SyncIfDue();
  if (uint32_t& left = RowsLeft(*row.c); left > 0 && --left == 0) scheduler_->Forget(*row.c);
  if (outcome.record->status == Status::kMissing) {
    auto missing = std::make_shared<CaseRecord>(*outcome.record);
    if (missing->repro.empty()) missing->repro = ReproOf(*row.c);
    HideIn(setup_.private_values, *missing);
    outcome.record = std::move(missing);
  }
  outcome = JudgeRow(row, std::move(outcome.record), baseline());
  outcomes_.Add(row, outcome);
  last_ = {&row, outcome};
  return outcome;
}

// Notes what happened to the workers. If a command reports the toolchain's version, notes also whether it changed: such
// tools are started again for each case.
Expected<void> ConformanceRun::NoteEvents() {
  std::vector<RunEvent> events;
  for (std::string& text : scheduler_->events()) events.push_back({.text = std::move(text)});
  if (!setup_.target.version.empty()) {
    const std::string now = AskToolchain(setup_.target, hello_).version;
    if (now != asked_version_) {
      events.push_back({.text = fmt::format("the toolchain says at the end of the run that it is {}, and said {} when "
                                            "the run began: any of its results may be of either",
                                            now, asked_version_),
                        .lasting = true});
      if (cache_ != nullptr) cache_->WithdrawAll();
    }
  }
  for (RunEvent& event : events) {
    event.time = FormatTimestamp(NowMicroseconds());
    events_.push_back(event.text);
    if (const Expected<void> written = writer_->Append(event); !written) return written;
  }
  return {};
}

void ConformanceRun::Finish() {
  if (scheduler_ == nullptr) return;
  const double seconds = scheduler_->progress().seconds;
  scheduler_->Stop();
  outcomes_.ApplyAmended(baseline());
  if (writer_ != nullptr) {
    const Expected<void> noted = NoteEvents();
    if (!noted && !error_) error_ = noted.error();
  }
  // A run that was stopped on purpose (--gtest_fail_fast) has no error; the cases that it left out are missing.
  const std::optional<Error> fatal = scheduler_->fatal();
  const bool stopped = fatal && fatal->code == ExitCode::kPartial && !scheduler_->device_lost();
  if (!error_ && !stopped) error_ = fatal;
  scheduler_.reset();
  if (cache_ != nullptr) cache_->Flush();
  std::unordered_set<size_t> written;  // hashes of ids: the ids of a large run are 10 MB
  if (writer_ != nullptr) {
    lacking_ = static_cast<size_t>(
        std::ranges::count_if(setup_.all_cases, [&](const Case* c) { return !writer_->Has(c->id); }));
    if (const Expected<void> dropped = writer_->DropAmended(); !dropped && !error_) error_ = dropped.error();
    // Without a footer, a later run resumes from here.
    const Expected<void> ended = !error_ && HasAllSelectedCases() ? writer_->Finish(seconds) : writer_->Sync();
    if (!ended && !error_) error_ = ended.error();
    results_lost_ = writer_->lost();
    {
      const std::lock_guard guard(abandon_mutex_);
      results_lock_.emplace(std::move(*writer_).TakeLock());
      writer_.reset();
    }
    // Count the records that a reader finds in the file, not those that this process wrote.
    const Expected<Run> run = ScanRun(setup_.results_path, [&](const CaseRecord& record, RecordPlace) {
      written.insert(std::hash<std::string>()(record.id));
    });
    if (!run && !error_) error_ = run.error();
    if (run && !run->bad_lines.empty() && !error_) {
      error_ = Error{ExitCode::kBadInput, setup_.results_path.string() + ": " + Describe(run->bad_lines)};
    }
  }
  for (const Case* c : cases_) {
    if (!written.contains(std::hash<std::string>()(c->id))) missing_.push_back(c->id);
  }
}

Expected<void> ConformanceRun::Abandon() {
  const std::lock_guard guard(abandon_mutex_);
  Expected<void> saved;
  if (writer_ != nullptr) saved = writer_->Freeze();
  if (cache_ != nullptr) cache_->Flush();
  if (scratch_ != nullptr) {
    for (const fs::path& folder : scratch_->folders()) (void)RemoveTree(folder);
  }
  return saved;
}

Scheduler::Progress ConformanceRun::progress() const {
  return scheduler_ == nullptr ? Scheduler::Progress() : scheduler_->progress();
}

int ConformanceRun::ExitCodeOf(bool tests_passed) const {
  if (error_) return static_cast<int>(error_->code);
  if (!tests_passed || !missing_.empty() || !accused().empty() || !events_.empty() ||
      !Unmet(setup_.options.demands, counts()).empty())
    return static_cast<int>(ExitCode::kUnexpectedResult);
  if (counts().rows > 0 && counts().judged() == 0) return static_cast<int>(ExitCode::kNothingJudged);
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace opbyop::harness
