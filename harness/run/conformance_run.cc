// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/conformance_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "harness/cache/run_digest.h"
#include "harness/inputs/fresh_draw.h"
#include "harness/run/fresh_seed.h"
#include "harness/run/kept_cases.h"
#include "harness/run/resume.h"
#include "harness/run/run_header.h"
#include "harness/run/shard_assignment.h"
#include "harness/worker/preflight.h"
#include "harness/worker/recover.h"
#include "harness/worker/toolchain.h"
#include "harness/worker/verdict.h"
#include "harness/worker/worker_isolation.h"
#include "manifests/cases/row_ranges.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/private_text.h"
#include "manifests/runs/run_manifest.h"
#include "manifests/runs/shard_files.h"
#include "manifests/targets/find_manifest_file.h"
#include "manifests/targets/find_target.h"
#include "support/files/file_tree.h"
#include "support/files/project_folder.h"
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
  run->options_ = std::move(options);
  if (const Expected<void> loaded = run->Load(); !loaded) return Unexpected(loaded.error());
  run->MakeContext();
  return run;
}

ConformanceRun::~ConformanceRun() { scheduler_.reset(); }

Expected<void> ConformanceRun::Load() {
  const Expected<Selector> selector = Selector::Parse(options_.select);
  if (!selector) return Unexpected(selector.error());
  if (options_.manifest.empty()) {
    Expected<fs::path> found = FindDefaultManifest();
    if (!found) return Unexpected(found.error());
    options_.manifest = *found;
  }
  if (const Expected<void> opened = OpenBundle(); !opened) return opened;
  if (const Expected<void> loaded = LoadTargets(); !loaded) return loaded;
  if (const Expected<void> locked = LockManifest(); !locked) return locked;
  // A bundle has the cases that it was compiled from.
  Expected<Manifest> manifest = bundle_ ? LoadManifest(options_.manifest) : LoadCases(options_.manifest, target_);
  if (!manifest) return Unexpected(manifest.error());
  options_.manifest = manifest->path;
  manifest_ = std::move(*manifest);
  if (const Expected<void> good = CheckUntil(); !good) return good;
  if (compiles_only()) artifacts_.emplace(options_.out, ArtifactSuffix(target_));
  if (bundle_) {
    Expected<CompiledRun> compiled = CompiledRun::Load(*bundle_, manifest_);
    if (!compiled) return Unexpected(compiled.error());
    compiled_ = std::move(*compiled);
    if (const Expected<void> adopted = AdoptShard(); !adopted) return adopted;
  }

  Expected<std::vector<RunPolicy>> policies = Policies();
  if (!policies) return Unexpected(policies.error());
  context_.policies = std::move(*policies);

  // 100,000 hashes take 8 MB and are only needed for the cache.
  if (options_.cache.empty()) {
    for (Case& c : manifest_.cases) std::string().swap(c.hash);
  }
  context_.reference_worker = ReferenceWorkerSpec(ProgramFolder().string());
  if (manifest_.is_whole()) PrepareForModels();
  const std::string prefix = target_.name + "/";
  for (const Model& model : manifest_.models) {
    if (model.stage.starts_with(prefix)) made_by_[model.name] = model.stage.substr(prefix.size());
  }

  std::vector<Row> rows = Rows(manifest_);
  stages_ = HasDevice(target_) ? target_.StageNames() : CompileStages(target_);
  if (const Expected<void> loaded = LoadBaselineFile(rows); !loaded) return loaded;
  // A bundle may hold only some of the rows.
  std::set<std::string> in_bundle;
  if (compiled_) {
    const auto named = ParseRows(compiled_->header().selected, rows.size());
    for (size_t i = rows.size(); i-- > 0;) {
      const bool selected = compiled_->header().selected.empty() || (named && (*named)[i]);
      if (selected) in_bundle.insert(rows[i].c->id);
      if (!selected) rows.erase(rows.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const Case& c : manifest_.cases) {
    if (!compiled_ || in_bundle.contains(c.id)) all_cases_.push_back(&c);
  }
  if (const Expected<void> dealt = KeepShard(); !dealt) return dealt;
  const std::set<const Case*> in_shard(all_cases_.begin(), all_cases_.end());
  std::erase_if(rows,
                [&](const Row& row) { return !in_shard.contains(row.c) || !selector->Matches(*row.c, row.model); });
  rows_ = std::move(rows);
  const std::string name = ResultsName(options_.shard + 1, options_.shards);
  results_path_ = compiles_only() ? options_.out / kCompileFolder / name : options_.out / name;
  FindPrivateValues();
  return {};
}

// Finds the values that the results must not show.
void ConformanceRun::FindPrivateValues() {
  std::set<std::string> shown = VariablesNamedBy(target_.path);
  std::string names = NamesOf(manifest_) + NamesOf(target_);
  if (second_target_) {
    shown.merge(VariablesNamedBy(second_target_->path));
    names += NamesOf(*second_target_);
  }
  std::error_code error;
  names += fs::absolute(results_path_, error).string() + "\n" + options_.policy + "\n" + options_.target;
  private_values_ = PrivateValues::OfThisProgram(shown);
  private_values_.AllowNamesIn(names);
  HideIn(private_values_, manifest_);
  if (baseline_) HideIn(private_values_, *baseline_);
}

// Keeps the cases of this shard.
Expected<void> ConformanceRun::KeepShard() {
  const bool dealt = compiled_ && compiled_->header().shards > 1;
  if (options_.shards <= 1 || dealt) return {};
  const Expected<Balance> balance = FindBalance(options_.balance);
  if (!balance) return Unexpected(balance.error());
  balance_ = balance->name;
  const std::vector<uint32_t> shard_of = AssignShards(all_cases_, options_.shards, *balance);
  std::vector<const Case*> kept;
  for (size_t i = 0; i < all_cases_.size(); ++i) {
    if (shard_of[i] == options_.shard) kept.push_back(all_cases_[i]);
  }
  all_cases_ = std::move(kept);
  return {};
}

Expected<void> ConformanceRun::LoadTargets() {
  // A bundle gets its own copy of the target, once its folder is known to be a bundle.
  const fs::path beside = options_.manifest.has_parent_path() ? options_.manifest.parent_path() : ".";
  Expected<Target> target = FindTarget(options_.target, compiles_only() ? beside : options_.out);
  if (!target) return Unexpected(target.error());
  target_ = std::move(*target);
  if (options_.batch > 0) target_.batch = options_.batch;
  if (options_.differential.empty()) return {};
  Expected<Target> second = FindTarget(options_.differential, options_.out);
  if (!second) return Unexpected(second.error());
  second_target_ = std::move(*second);
  return {};
}

Expected<void> ConformanceRun::LoadBaselineFile(const std::vector<Row>& rows) {
  if (options_.baseline == "none") return {};
  const bool named = !options_.baseline.empty();
  const Expected<fs::path> file =
      FindManifestFile("baselines", named ? options_.baseline : BaselineName(DeclaringTarget(target_), manifest_));
  if (!file && named) return Unexpected(file.error());
  if (!file) return {};
  Expected<Baseline> baseline = LoadBaseline(*file);
  if (!baseline) return Unexpected(baseline.error());
  if (const Expected<void> good = CheckBaseline(*baseline, rows); !good) return Unexpected(good.error());
  baseline_ = std::move(*baseline);
  baseline_->KeepFor(NamesOf(context_.policies));
  baseline_file_ = *file;
  return {};
}

Expected<void> ConformanceRun::LockManifest() {
  const fs::path folder = options_.manifest.has_parent_path() ? options_.manifest.parent_path() : ".";
  Expected<FileLock> lock = FileLock::Take(folder / kSplitLock, FileLock::Mode::kShared);
  // If the folder is absent, its missing manifest is reported later. If it cannot be written, `split` cannot change it.
  if (!lock && lock.error().code != ExitCode::kUsage) return {};
  if (!lock) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} is being written by `opbyop split`: wait for its end", folder.string()));
  }
  manifest_lock_.emplace(std::move(*lock));
  return {};
}

// Prepares for a manifest of whole models. No model shares a module with another.
void ConformanceRun::PrepareForModels() {
  for (Stage& stage : target_.stages) WidenForModel(stage.limits);
  if (second_target_) {
    for (Stage& stage : second_target_->stages) WidenForModel(stage.limits);
  }
  WidenForModel(context_.reference_worker.fallback);
  target_.batch = 1;
}

// Returns the stage of this target that made the case's IR; empty if none did.
std::string ConformanceRun::StageOf(const Case& c) const {
  if (made_by_.empty() || c.origins.empty()) return "";
  const auto found = made_by_.find(c.origins.front().model);
  return found == made_by_.end() ? "" : found->second;
}

std::vector<std::string> ConformanceRun::StagesOf(const Row& row) const {
  // A program that must be refused has no stage that it must pass.
  if (row.c->must_be_refused()) return {};
  return StagesAfter(StageOf(*row.c), stages_);
}

WorkerSpec ConformanceRun::TargetWorker(const Target& target) const {
  WorkerSpec spec = TargetWorkerSpec(target, ProgramFolder().string(), ProjectFolder().string());
  // LLVM's symbolized stack dump takes ten times as long as the crash itself; a repro keeps it.
  if (options_.keep.empty()) spec.environment["LLVM_DISABLE_SYMBOLIZATION"] = "1";
  spec.hello_timeout_s = std::max(options_.hello_timeout_s, target.hello_timeout_s);
  // The tools of the other half may not be installed.
  if (&target == &target_ && compiles_only()) spec.environment[protocol::kOnlyVariable] = "compile";
  if (&target == &target_ && bundle_) spec.environment[protocol::kOnlyVariable] = "execute";
  return spec;
}

// If the baseline expects a failure, a batch would only be halved until the case is found.
bool ConformanceRun::MayBatch(const Case& c) const {
  if (c.must_be_refused()) return false;
  if (!StageOf(c).empty()) return false;  // the symbols of a compiler's IR would clash
  if (target_.batch <= 1 || !options_.keep.empty()) return false;
  if (compiles_only() || bundle_) return false;  // each case needs an artifact of its own
  if (!baseline_) return true;
  const std::vector<std::string> models = ModelsOf(c);
  return std::ranges::none_of(models, [&](const std::string& model) {
    const BaselineEntry* entry = baseline_->Find({&c, model});
    return entry != nullptr && entry->status != Status::kFlaky;
  });
}

void ConformanceRun::MakeContext() {
  std::error_code error;
  context_.target = &target_;
  context_.manifest_folder = fs::absolute(manifest_.path, error).parent_path();
  context_.target_worker = TargetWorker(target_);
  context_.after = [this](const Case& c) { return StageOf(c); };
  context_.valid_twins = &valid_twins_;
  context_.batchable = [this](const Case& c) { return MayBatch(c); };
  if (second_target_) {
    context_.second_target = &*second_target_;
    context_.second_worker = TargetWorker(*second_target_);
  }
  if (!options_.reference_worker.empty()) context_.reference_worker.argv.front() = options_.reference_worker;
  context_.reference_worker.hello_timeout_s = options_.hello_timeout_s;
  context_.second_draw = !manifest_.is_whole();
  if (!manifest_.is_whole()) twins_ = SmallerTwins(manifest_, kTwinElements);
  context_.smaller_twin = [this](const Case& c) {
    const auto twin = twins_.find(&c);
    return twin == twins_.end() ? "" : twin->second->id;
  };
  context_.seed = options_.seed;
  context_.fresh_seed = &fresh_seed_;
  context_.repeat = options_.repeat;
  context_.repeat.min = std::min(context_.repeat.min, context_.repeat.max);
  context_.retries = options_.retries;
  context_.replay_time = std::chrono::seconds(options_.replay_s);
  context_.is_red = [this](const Case& c, const CaseRecord& record) {
    const std::vector<std::string> models = ModelsOf(c);
    return std::ranges::any_of(models, [&](const std::string& model) {
      return IsProblem(OutcomeOf({&c, model}, std::make_shared<const CaseRecord>(record)).status);
    });
  };
  if (!options_.keep.empty()) context_.keep = fs::absolute(options_.keep, error);
  context_.device = &device_;
  if (artifacts_) context_.saves = &*artifacts_;
  if (compiled_) {
    context_.compiled = &*compiled_;
    context_.processor = ProcessorName();
  }
  repro_.emplace(ReproCommand::Run{.manifest = manifest_.path,
                                   .bundle = bundle_ ? bundle_->folder : fs::path(),
                                   .target = options_.target,
                                   .policies = options_.policy,
                                   .seed = options_.seed});
  context_.repro = [this](const Case& c, const ReproOptions& repeat) { return ReproOf(c, repeat); };
}

std::string ConformanceRun::ReproOf(const Case& c, const ReproOptions& repeat) const {
  const std::vector<std::string> models = ModelsOf(c);
  return repro_->Of(RowName({&c, models.empty() ? "" : models.front()}), repeat);
}

std::string ConformanceRun::FilterText(const std::string& gtest_filter) const {
  std::string text = gtest_filter;
  for (const std::string& select : options_.select) text += (text.empty() ? "--select=" : " --select=") + select;
  return text;
}

// Returns the row numbers in the form of manifests/cases/row_ranges.h; empty if these are all rows of the manifest.
std::string ConformanceRun::NumbersOf(const std::vector<const Row*>& rows) const {
  std::vector<const Row*> in_order = rows;  // GoogleTest may have shuffled them
  std::ranges::sort(in_order);              // their addresses are in the manifest's order
  auto next = in_order.begin();
  std::vector<size_t> numbers;
  size_t number = 0;
  for (const Case& c : manifest_.cases) {
    for (const std::string& model : ModelsOf(c)) {
      if (next != in_order.end() && (*next)->c == &c && (*next)->model == model) {
        numbers.push_back(number);
        ++next;
      }
      ++number;
    }
  }
  return numbers.size() == number ? "" : FormatRows(numbers);
}

Expected<void> ConformanceRun::Begin(const std::vector<const Row*>& rows, const std::string& filter) {
  selected_rows_ = rows.size();
  counts_ = {};
  filter_ = FilterText(filter);
  selected_ = NumbersOf(rows);
  cases_.clear();
  missing_.clear();
  note_.clear();
  error_.reset();
  header_.reset();
  results_lock_.reset();
  last_ = {};
  reported_.assign(rows_.size(), std::nullopt);
  amended_.clear();
  rows_left_.assign(manifest_.cases.size(), 0);
  for (const Row* row : rows) {
    if (++RowsLeft(*row->c) == 1) cases_.push_back(row->c);
  }
  // An empty shard needs results too, or `opbyop merge` would report it as missing.
  if (cases_.empty() && options_.shards == 1) return {};
  if (const Expected<void> started = Start(cases_); !started) {
    error_ = started.error();
    return Unexpected(*error_);
  }
  return {};
}

Expected<void> ConformanceRun::Start(const std::vector<const Case*>& cases) {
  const int possible = SlotsFor(MostDescriptors(), second_target_ ? 3 : 2);
  if (possible < 1) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("only {} files may be open at once (ulimit -n), and a run needs {} at least",
                                 MostDescriptors(), DescriptorsFor(1, second_target_ ? 3 : 2)));
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
    context_.scratch = scratch_.get();
    Expected<std::unique_ptr<Sweeper>> sweeper = Sweeper::Start(scratch_->folders());
    if (!sweeper) return Unexpected(sweeper.error());
    sweeper_ = std::move(*sweeper);
    for (WorkerSpec* spec : {&context_.target_worker, &context_.reference_worker, &context_.second_worker}) {
      spec->supervision.hold_fd = sweeper_->hold_fd();
    }
  }
  if (const Expected<void> started = BeginBundle(); !started) return started;
  if (const Expected<void> ready = Preflight(); !ready) return ready;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  // A worker that keeps its device open from case to case excludes a second one.
  const bool held = target_.device.kind == kWorkerDevice && !target_.device.parallel;
  const int wanted = held ? 1 : options_.jobs > 0 ? options_.jobs : cores;
  const int count = std::max(1, static_cast<int>(cases.size()));
  const int jobs = std::min(wanted, count);
  // The reference takes a good third of a case's time. More slots than jobs keep all target workers busy meanwhile.
  const int slots = jobs == 1 ? 1 : std::min(jobs + (jobs + 1) / 2, count);
  few_descriptors_.clear();
  if (possible < slots) {
    few_descriptors_ = fmt::format("{} instead of {}, because only {} files may be open at once (ulimit -n)",
                                   CountText(possible, "worker"), slots, MostDescriptors());
  }
  context_.compile_only = HasDevice(target_) ? WhyAbsent(target_.device) : "";
  scheduler_ = std::make_unique<Scheduler>(context_, std::min(jobs, possible), std::min(slots, possible));
  if (compiled_) {
    if (const Expected<void> sound = compiled_->Check(cases, context_.manifest_folder); !sound) return sound;
  }
  const Expected<Hello> hello = scheduler_->Start();
  if (!hello) return Unexpected(WithNote(hello.error(), target_));
  AdoptDevice(*hello);
  hello_ = *hello;
  if (bundle_ && !compile_only_.empty()) {
    return MakeError(ExitCode::kNoInput, fmt::format("a bundle is executed where its device is: {}", compile_only_));
  }

  Expected<std::vector<CaseRecord>> known = OpenResults(cases, MakeHeader(*hello));
  if (!known) return Unexpected(known.error());
  scheduler_->Go(
      cases, [this](CaseRecord& record, Scheduler::Kind kind) { return Keep(record, kind); }, std::move(*known));
  return {};
}

// Runs the target's preflight program: what all cases depend on must work.
Expected<void> ConformanceRun::Preflight() {
  preflight_.clear();
  if (target_.preflight.empty()) return {};
  std::error_code error;
  const fs::path out = fs::absolute(options_.out, error);
  fs::create_directories(out, error);
  std::vector<fs::path> folders = scratch_->MakeSlot("preflight");
  WorkerSpec spec = context_.target_worker;
  if (!folders.empty()) {
    folders.insert(folders.begin(), out);
    spec = Isolated(std::move(spec), folders, scratch_->MakeTemporary("tmp-target", "preflight"));
    GrantDeclared(target_, spec);
  }
  Expected<std::string> said = RunPreflight(target_.preflight, spec, {.file = target_.path, .out = out});
  scratch_->RemoveSlot("preflight");
  if (!said) return Unexpected(WithNote(said.error(), target_));
  preflight_ = std::move(*said);
  return {};
}

// The worker's description of its device decides which stages the run has. No case has been started yet.
void ConformanceRun::AdoptDevice(const Hello& hello) {
  compile_only_ = compiles_only()              ? "the bundle is executed elsewhere"
                  : hello.compile_only.empty() ? context_.compile_only
                                               : hello.compile_only;
  if (compile_only_.empty() && !HasDevice(target_))
    compile_only_ = fmt::format("target {} has no device", target_.name);
  if (compile_only_.empty()) return;
  stages_ = CompileStages(target_);
  if (baseline_) baseline_->KeepForCompileOnly();
}

// Opens the result stream and takes over records from the existing one. Returns those of cases that are not run again.
Expected<std::vector<CaseRecord>> ConformanceRun::OpenResults(const std::vector<const Case*>& cases, RunHeader header) {
  Expected<FileLock> lock = LockResults(results_path_);
  if (!lock) return Unexpected(lock.error());
  const Existing existing = options_.fresh                ? Existing::kDiscard
                            : options_.rerun == "failed"  ? Existing::kRerunFailed
                            : options_.rerun == "changed" ? Existing::kRerunChanged
                            : options_.resume             ? Existing::kResume
                            : options_.resume_interrupted ? Existing::kResumeInterrupted
                                                          : Existing::kReplace;
  const RunHeader whole = header;  // with private values, which the cache key needs
  HideIn(private_values_, header);
  Expected<ResumePlan> plan = PlanResume({results_path_, &header, existing, cases, all_cases_.size()});
  if (!plan) return Unexpected(plan.error());
  if (const Expected<void> taken = TakeFreshSeed(*plan, header); !taken) return Unexpected(taken.error());
  note_ = DeclarationsNote(target_);
  if (!few_descriptors_.empty()) note_ += (note_.empty() ? "" : "; ") + few_descriptors_;
  if (!preflight_.empty()) note_ += (note_.empty() ? "" : "; ") + preflight_;
  if (cache_ == nullptr) OpenCache(whole);
  if (!plan->note.empty()) note_ += (note_.empty() ? "" : "; ") + plan->note;
  if (!compile_only_.empty()) {
    note_ += fmt::format("{}compiled only, not executed: {}", note_.empty() ? "" : "; ", compile_only_);
  }
  if (compiled_) DropStale(plan->kept);
  if (compiles_only()) {
    if (const Expected<void> filled = FillBundle(plan->kept); !filled) return Unexpected(filled.error());
  }
  if (plan->joined) JoinSelection(*plan->joined, header);
  if (plan->replaces_complete) {
    // The last complete run stays readable until the next one is complete.
    std::error_code error;
    fs::rename(results_path_, fs::path(results_path_).replace_extension(".previous.jsonl"), error);
  }
  for (CaseRecord& record : plan->kept) HideIn(private_values_, record);
  std::vector<CaseRecord> known;
  if (plan->run_only_missing) known = plan->kept;
  const std::vector<CaseRecord> recalled = RecallCached(cases, known);
  plan->kept.insert(plan->kept.end(), recalled.begin(), recalled.end());
  known.insert(known.end(), recalled.begin(), recalled.end());
  Expected<std::unique_ptr<ResultsWriter>> writer =
      ResultsWriter::Create(std::move(*lock), results_path_, header, plan->kept, plan->events);
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
  const bool draws = FreshPolicy(context_.policies) != nullptr && !manifest_.is_whole() && compile_only_.empty();
  if (!draws) return {};
  const Expected<std::optional<uint64_t>> seed = ChooseFreshSeed({.given = options_.fresh_seed,
                                                                  .results = results_path_,
                                                                  .header = &header,
                                                                  .plan = &plan,
                                                                  .of_bundle = bundle_ ? bundle_->fresh_seed : "",
                                                                  .now_us = NowMicroseconds()});
  if (!seed) return Unexpected(seed.error());
  fresh_seed_ = header.fresh_seed = *seed;
  if (plan.all_run_again && plan.fresh_seed != fresh_seed_) plan.kept.clear();
  return {};
}

// Makes the header cover the rows of both runs.
void ConformanceRun::JoinSelection(const RunHeader& old, RunHeader& header) const {
  const size_t count = Rows(manifest_).size();
  const std::optional<std::vector<bool>> then = ParseRows(old.selected, count);
  const std::optional<std::vector<bool>> now = ParseRows(header.selected, count);
  if (old.selected.empty() || header.selected.empty() || !then || !now) {
    header.selected = header.filter = "";
    return;
  }
  std::vector<size_t> numbers;
  for (size_t i = 0; i < count; ++i) {
    if ((*then)[i] || (*now)[i]) numbers.push_back(i);
  }
  header.selected = numbers.size() == count ? "" : FormatRows(numbers);
  if (header.filter != old.filter) header.filter = fmt::format("{} and {}", old.filter, header.filter);
  if (header.selected.empty()) header.filter = "";
}

// True if every case of the rows that the header names has a record. Only then may the file have a footer.
bool ConformanceRun::HasAllSelectedCases() const {
  const std::vector<Row> rows = Rows(manifest_);
  const auto named = header_->selected.empty() ? std::nullopt : ParseRows(header_->selected, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if ((!named || (*named)[i]) && !writer_->Has(rows[i].c->id)) return false;
  }
  return true;
}

RunHeader ConformanceRun::MakeHeader(const Hello& hello) {
  RunHeader header = MachineHeader();
  header.argv = options_.argv;
  header.target = target_.name;
  header.target_file = target_.path.string();
  const Toolchain toolchain = AskToolchain(target_, hello);
  asked_version_ = toolchain.version;
  header.toolchain = toolchain.version;
  if (toolchain.commit && std::getenv("OPBYOP_GIT_SHA") == nullptr) header.git_sha = *toolchain.commit;
  if (!toolchain.card.empty()) header.host["device"] = toolchain.card;
  header.properties = hello.properties;
  if (std::string declared = ToText(target_.arithmetic); !declared.empty()) {
    header.properties[kDeclaredArithmetic] = std::move(declared);
  }
  if (const std::string declaring = DeclaringTarget(target_); declaring != target_.name) {
    header.properties[kDeclarationsOf] = declaring;
  }
  if (compiled_) {
    header.toolchain = compiled_->header().toolchain;
    header.git_sha = compiled_->header().git_sha;
    header.compiled = compiled_->Origin();
    header.host["runtime"] = hello.version;
  }
  header.stages = stages_;
  header.compile_only = compile_only_;
  SetManifestPath(manifest_.path, options_.out, header);
  if (compiles_only()) std::tie(header.manifest, header.manifest_relative) = std::pair("../manifest.yaml", "");
  header.manifest_hash = manifest_.hash;
  for (const Case& c : manifest_.cases) header.manifest_rows += ModelsOf(c).size();
  header.shard = options_.shard + 1;
  header.shards = options_.shards;
  header.balance = balance_;
  header.mode = manifest_.is_whole() ? "whole" : "isolated";
  header.policy = NamesOf(context_.policies);
  header.seed = options_.seed;
  header.filter = filter_;
  header.selected = selected_;
  header.demands = options_.demands;
  header.decides = DecidingFactsOf({.manifest = &manifest_,
                                    .target = &target_,
                                    .second_target = second_target_ ? &*second_target_ : nullptr,
                                    .stages = stages_,
                                    .policies = context_.policies,
                                    .seed = options_.seed,
                                    .repeat = context_.repeat,
                                    .retries = options_.retries,
                                    .toolchain = header.toolchain,
                                    .target_worker = context_.target_worker.argv,
                                    .reference_worker = context_.reference_worker.argv,
                                    .half = compiles_only() ? "compile"
                                            : compiled_     ? compiled_->header().digest
                                                            : "",
                                    .project = ProjectFolder()});
  header.digest = DigestOf(header.decides);
  return header;
}

RowOutcome ConformanceRun::Await(const Row& row) {
  RowOutcome outcome;
  if (error_ || scheduler_ == nullptr) {
    auto missing = std::make_shared<CaseRecord>();
    missing->id = row.c->id;
    missing->diagnostic = private_values_.Hide("not run: " + (error_ ? error_->message : "the row was not selected"));
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
    HideIn(private_values_, *missing);
    outcome.record = std::move(missing);
  }
  outcome = OutcomeOf(row, std::move(outcome.record));
  counts_.Add(outcome.status);
  reported_[static_cast<size_t>(&row - rows_.data())] = outcome.status;
  last_ = {&row, outcome};
  return outcome;
}

RowOutcome ConformanceRun::OutcomeOf(const Row& row, std::shared_ptr<const CaseRecord> of) const {
  RowOutcome outcome;
  outcome.record = std::move(of);
  const CaseRecord& record = *outcome.record;
  outcome.status = record.status;
  outcome.diagnostic = record.diagnostic;
  if (baseline_ && record.status != Status::kMissing) {
    const RowEnd end = EndOf(record);
    outcome.baseline = baseline_->Find(row, end);
    outcome.status = baseline_->Judge(row, end);
    if (std::string other = OtherDiagnosticText(outcome.baseline, end); !other.empty()) outcome.diagnostic = other;
    if (record.status == Status::kPass && outcome.status == Status::kInconclusive) {
      outcome.diagnostic = MayPassText(*outcome.baseline);
    }
    if (baseline_->IsRegression(row, end)) {
      outcome.diagnostic = RegressionText(record.status, record.diagnostic);
    }
  }
  return outcome;
}

void ConformanceRun::CountAmended() {
  const std::lock_guard guard(amended_mutex_);
  for (size_t i = 0; i < rows_.size() && !amended_.empty(); ++i) {
    const auto amended = amended_.find(rows_[i].c->id);
    if (amended == amended_.end() || !reported_[i]) continue;
    RowOutcome outcome = OutcomeOf(rows_[i], amended->second);
    if (outcome.status == *reported_[i]) continue;
    counts_.Replace(*reported_[i], outcome.status);
    const bool was_red = IsProblem(*std::exchange(reported_[i], outcome.status));
    if (!was_red && IsProblem(outcome.status)) accused_.push_back({&rows_[i], std::move(outcome)});
  }
}

// Notes what happened to the workers. If a command reports the toolchain's version, notes also whether it changed: such
// tools are started again for each case.
Expected<void> ConformanceRun::NoteEvents() {
  std::vector<RunEvent> events;
  for (std::string& text : scheduler_->events()) events.push_back({.text = std::move(text)});
  if (!target_.version.empty()) {
    const std::string now = AskToolchain(target_, hello_).version;
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
  CountAmended();
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
    lacking_ =
        static_cast<size_t>(std::ranges::count_if(all_cases_, [&](const Case* c) { return !writer_->Has(c->id); }));
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
    const Expected<Run> run = ScanRun(results_path_, [&](const CaseRecord& record, RecordPlace) {
      written.insert(std::hash<std::string>()(record.id));
    });
    if (!run && !error_) error_ = run.error();
    if (run && !run->bad_lines.empty() && !error_) {
      error_ = Error{ExitCode::kBadInput, results_path_.string() + ": " + Describe(run->bad_lines)};
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
  if (!tests_passed || !missing_.empty() || !accused_.empty() || !events_.empty() ||
      !Unmet(options_.demands, counts_).empty())
    return static_cast<int>(ExitCode::kUnexpectedResult);
  if (counts_.rows > 0 && counts_.judged() == 0) return static_cast<int>(ExitCode::kNothingJudged);
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace opbyop::harness
