// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/locate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "commands/locate/records.h"
#include "commands/locate/tree_page.h"
#include "generator/program/program_text.h"
#include "generator/split/model_list.h"
#include "generator/split/whole_models.h"
#include "harness/run/repro_command.h"
#include "ir/cut_loop.h"
#include "ir/read_module.h"
#include "llvm/ADT/StringRef.h"
#include "manifests/cases/find_row.h"
#include "manifests/targets/find_target.h"
#include "mlir/IR/MLIRContext.h"
#include "reduction/judge.h"
#include "reduction/program_folder.h"
#include "reduction/reducer.h"
#include "support/files/file.h"
#include "support/files/file_lock.h"
#include "support/files/program_identity.h"
#include "support/files/project_folder.h"
#include "support/files/sha256.h"
#include "support/text/count_text.h"

namespace opbyop::locate {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;
using reduction::Judge;

// The model in one piece, as a case.
struct Subject {
  Model model;
  Case c;
  std::string text;
};

Expected<Subject> ReadModel(const LocateOptions& options) {
  const std::vector<generator::ModelSource> sources = generator::ListModels({options.model});
  if (sources.size() != 1) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} holds {} models: name the file of one", options.model, sources.size()));
  }
  const generator::ModelSource& source = sources.front();
  if (source.error) return Unexpected(*source.error);
  Subject subject;
  subject.model = {.name = source.name,
                   .source = source.file.generic_string(),
                   .frontend = source.frontend,
                   .section = source.section,
                   .entry = options.entry,
                   .shapes = options.shapes};
  Expected<generator::WholeModel> whole =
      generator::LoadWholeModel(Manifest(), subject.model, source, generator::Locations::kKeep);
  if (!whole) return Unexpected(whole.error());
  subject.c = std::move(whole->c);
  subject.text = std::move(whole->text);
  return subject;
}

std::map<std::string, std::string> FactsOf(const Subject& subject, const LocateOptions& options, const Judge& judge) {
  const Expected<std::string> target = ReadFile(judge.target().path);
  return {{"model", subject.c.hash},
          {"target", judge.target().name},
          {"target file", target ? Sha256Hex(*target) : ""},
          {"toolchain", judge.toolchain()},
          {"programs", ProgramIdentity(ProgramFolder() / "opbyop-worker")},
          {"policy", options.policy},
          {"seed", std::to_string(options.seed)}};
}

// Judges programs, each once: the records know the verdicts of earlier runs.
class Judged {
 public:
  Judged(Judge& judge, Records& records, const LocateOptions& options, Clock::time_point deadline)
      : judge_(judge), records_(records), options_(options), deadline_(deadline) {}

  Expected<Verdict> operator()(const Program& program, const std::string& op, const std::string& where) {
    const std::string digest = reduction::DigestOf(program, op);
    if (const Verdict* known = records_.Find(digest)) return *known;
    if (options_.stop() || Clock::now() >= deadline_) {
      return MakeError(ExitCode::kPartial,
                       fmt::format("not finished: {} judged so far; the same command goes on from there",
                                   CountText(records_.size(), "program")));
    }
    options_.say(fmt::format("{} judged; {}", CountText(records_.size(), "program"), where));
    judge_.set_op(op);
    const Clock::time_point begin = Clock::now();
    const Expected<CaseRecord> record = judge_.Run(program);
    if (!record) return Unexpected(record.error());
    Verdict verdict = VerdictOf(*record);
    // An interruption may have ended the worker too.
    if (options_.stop()) return MakeError(ExitCode::kPartial, "interrupted; the same command goes on from here");
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    const Expected<void> added = records_.Add(digest, where, verdict, reduction::SizeOf(program).ops, took.count());
    if (!added) return Unexpected(added.error());
    return verdict;
  }

  Expected<ThreeWays> Measure(const Program& program, const std::string& op, const std::string& where) {
    const std::string digest = reduction::DigestOf(program, op);
    if (const ThreeWays* known = records_.FindWays(digest)) return *known;
    if (auto why = TooLargeToMeasure(program)) return ThreeWays{.unmeasured = std::move(*why)};
    options_.say(fmt::format("comparing {} with its exact results", where));
    judge_.set_op(op);
    const Clock::time_point begin = Clock::now();
    const Expected<std::vector<reference::InputData>> outputs = judge_.Outputs(program);
    ThreeWays ways = outputs ? MeasureThreeWays(program, *outputs) : ThreeWays{.unmeasured = outputs.error().message};
    if (options_.stop()) return MakeError(ExitCode::kPartial, "interrupted; the same command goes on from here");
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (const auto added = records_.AddWays(digest, where, ways, took.count()); !added)
      return Unexpected(added.error());
    return ways;
  }

  std::chrono::seconds left() const {
    return std::max(std::chrono::seconds(1),
                    std::chrono::duration_cast<std::chrono::seconds>(deadline_ - Clock::now()));
  }

 private:
  Judge& judge_;
  Records& records_;
  const LocateOptions& options_;
  Clock::time_point deadline_;
};

Expected<Program> ReadProgram(const Subject& subject, mlir::MLIRContext& context) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(subject.text, subject.model.source, context);
  if (!module) return Unexpected(module.error());
  Program program{std::move(*module), std::nullopt};
  if (!program.main() || !program.main().getBody().hasOneBlock()) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: {}: the entry is no function of one block", subject.model.source));
  }
  return program;
}

// The text without the module around it, unless that has attributes: a short program is shorter without it.
std::string ShortText(const Program& program) {
  std::string whole = generator::ProgramText(program.module.get(), generator::Locations::kDrop);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(whole).rtrim().split(lines, '\n');
  if (!program.module.get()->getDiscardableAttrs().empty() || !lines.front().starts_with("module") ||
      lines.back() != "}")
    return whole;
  std::string text;
  for (llvm::StringRef line : llvm::ArrayRef(lines).drop_front().drop_back()) {
    line.consume_front("  ");
    text += line.str() + "\n";
  }
  return text;
}

struct JudgedModel {
  Program program;
  Verdict verdict;
  std::string note;  // in what it is not the model itself; may be empty
};

// The model on drawn inputs, with few trips of its loop if it has one and fails in these too: all take many times as
// long.
Expected<JudgedModel> JudgeOnDrawnInputs(Program program, const std::string& name, Judged& judged) {
  const std::string whole(kWholeModel);
  if (Expected<CutLoop> cut = CutLoopTo(program.module.get(), kFewTrips)) {
    Program shorter{std::move(cut->module), std::nullopt};
    const std::string trips = fmt::format("{} of the {} trips of its loop", kFewTrips, cut->was);
    Expected<Verdict> verdict = judged(shorter, whole, fmt::format("{} with {}", name, trips));
    if (!verdict) return Unexpected(verdict.error());
    if (IsFailure(verdict->status)) {
      return JudgedModel{std::move(shorter), std::move(*verdict), fmt::format("it fails with {} already", trips)};
    }
  }
  Expected<Verdict> verdict = judged(program, whole, name);
  if (!verdict) return Unexpected(verdict.error());
  return JudgedModel{std::move(program), std::move(*verdict), ""};
}

// The model, failing on fixed inputs, with its calls replaced by what they call.
Expected<JudgedModel> FailOnFixedInputs(Program given, const Subject& subject, const LocateOptions& options,
                                        const fs::path& folder, Judge& judge, Judged& judged) {
  Expected<JudgedModel> model = JudgeOnDrawnInputs(std::move(given), subject.model.name, judged);
  if (!model) return model;
  Program& program = model->program;
  const Verdict& drawn = model->verdict;
  if (!IsFailure(drawn.status)) {
    return MakeError(ExitCode::kNothingToDo,
                     fmt::format("{}: ends as {} here under `{}`: there is no failure to locate{}", subject.model.name,
                                 ToString(drawn.status), options.policy,
                                 drawn.diagnostic.empty() ? "" : " (" + drawn.diagnostic + ")"));
  }
  if (judge.target().device.own_inputs) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: {} draws its inputs itself, so no values can be put in at a cut",
                                 judge.target().name));
  }
  const std::string whole(kWholeModel);
  judge.set_op(whole);
  Expected<std::vector<reference::InputData>> inputs = judge.Draw(program);
  if (!inputs) return Unexpected(inputs.error());
  program.inputs = std::move(*inputs);
  Expected<harness::RunPolicy> fixed = reduction::FixedInputs(judge.policies().front(), folder / "policy.yaml");
  if (!fixed) return Unexpected(fixed.error());
  judge.Narrow(std::move(*fixed), options.seed);
  if (!OpenCalls(program)) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: {}: is not valid without its calls", subject.model.source));
  }
  Expected<Verdict> verdict = judged(program, whole, subject.model.name + " on fixed inputs");
  if (!verdict) return Unexpected(verdict.error());
  if (!IsFailure(verdict->status) || verdict->stage != drawn.stage) {
    return MakeError(ExitCode::kNothingToDo,
                     fmt::format("{}: ended as {}, but as {} on the same values from a file and with its calls in "
                                 "place: the failure is not steady, or it is one of calls",
                                 subject.model.name, drawn.Text(), verdict->Text()));
  }
  model->verdict = std::move(*verdict);
  return model;
}

}  // namespace

Expected<LocatedModel> LocateInModel(const LocateOptions& options) {
  const Clock::time_point deadline = Clock::now() + options.time_limit;
  Expected<Subject> subject = ReadModel(options);
  if (!subject) return Unexpected(subject.error());
  const fs::path folder = options.output.empty() ? fs::path("out/locate") / subject->model.name : options.output;
  const Expected<Target> target = FindTarget(options.target, folder);
  if (!target) return Unexpected(target.error());
  Expected<std::vector<harness::RunPolicy>> policies = harness::FindPolicies(options.policy);
  if (!policies) return Unexpected(policies.error());
  if (policies->size() != 1 || policies->front().inputs == InputKind::kCaptured) {
    return MakeError(ExitCode::kUsage, fmt::format("--policy {}: name one policy that draws inputs", options.policy));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  const Expected<FileLock> lock = FileLock::Take(folder / ".locate.lock", FileLock::Mode::kExclusive);
  if (!lock) return Unexpected(lock.error());

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<Program> program = ReadProgram(*subject, context);
  if (!program) return Unexpected(program.error());
  Expected<std::unique_ptr<Judge>> judge = Judge::Start(*target, subject->c, std::move(*policies), options.seed);
  if (!judge) return Unexpected(judge.error());
  Expected<std::unique_ptr<Records>> records =
      Records::Open(folder / "locate.jsonl", FactsOf(*subject, options, **judge), options.fresh);
  if (!records) return Unexpected(records.error());
  Judged judged(**judge, **records, options, deadline);

  Expected<JudgedModel> failing = FailOnFixedInputs(std::move(*program), *subject, options, folder, **judge, judged);
  if (!failing) return Unexpected(failing.error());
  const auto measure = [&](const Program& program, const std::string& op, const std::string& where) {
    return judged.Measure(program, op, where);
  };
  Expected<Located> located =
      Search(std::ref(judged), measure).Run(std::move(failing->program), subject->model.name, failing->verdict);
  if (!located) return Unexpected(located.error());
  if (!failing->note.empty()) located->tree.notes.insert(located->tree.notes.begin(), failing->note);

  LocatedModel done{.tree = std::move(located->tree), .cause = located->cause, .judged = (*records)->size()};
  const nlohmann::json tree = {{"schema", kTreeSchema}, {"target", target->name}, {"tree", ToJson(done.tree)}};
  const std::string text = tree.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (const auto written = WriteFile(folder / "locate.json", text); !written) return Unexpected(written.error());

  (*judge)->set_op(located->op);
  const fs::path reduced = folder / "reduced";
  const auto keep = [&](const Program& best, const std::string& policy) -> Expected<void> {
    const harness::ReproCommand repro(
        {.manifest = reduced / "manifest.yaml", .target = options.target, .seed = (*judge)->seed()});
    done.repro = repro.Of(RowName({&(*judge)->c(), subject->model.name}), {policy, std::nullopt});
    const std::string text = ShortText(best);
    reduction::ProgramSize size = reduction::SizeOf(best);
    size.lines = std::ranges::count(text, '\n');
    done.size = size.Text();
    done.program = folder / "located.mlir";
    if (Expected<void> written = WriteFile(done.program, text); !written) return written;
    return WriteProgramFolder(reduced, best, (*judge)->c(), subject->model, {});
  };
  const Expected<void> kept = keep(located->program, (*judge)->policies().front().given);
  if (!kept) return Unexpected(kept.error());
  reduction::ReducerOptions how;
  how.time_limit = judged.left();
  how.policy_file = folder / "policy.yaml";
  how.stop = options.stop;
  how.say = options.say;
  how.keep = [&](const reduction::Reduction& best) { return keep(best.program, best.policy); };
  const auto reduction = reduction::Reducer(**judge, std::move(how)).Reduce(std::move(located->program));
  // A failure that is not steady stays as it was located.
  if (!reduction && reduction.error().code != ExitCode::kNothingToDo) return Unexpected(reduction.error());
  const Expected<std::string> best = ReadFile(done.program);
  if (!best) return Unexpected(best.error());
  done.page = folder / "locate.html";
  const Expected<void> shown = WriteFile(done.page, TreePage({done.tree, target->name, *best, done.repro}));
  if (!shown) return Unexpected(shown.error());
  return done;
}

}  // namespace opbyop::locate
