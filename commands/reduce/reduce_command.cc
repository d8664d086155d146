// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/reduce/reduce_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "generator/split/whole_models.h"
#include "harness/run/kept_cases.h"
#include "harness/run/repro_command.h"
#include "ir/read_module.h"
#include "manifests/cases/find_row.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/results_file.h"
#include "manifests/targets/find_target.h"
#include "mlir/IR/MLIRContext.h"
#include "reduction/program_folder.h"
#include "reference/inputs/captured.h"
#include "support/files/file_lock.h"

namespace opbyop::reduction {
namespace {

namespace fs = std::filesystem;

// The program to reduce, whether a row or a model was named.
struct Subject {
  Manifest manifest;
  Case c;
  Model model;
};

const Model* FindModel(const Manifest& manifest, const std::string& name) {
  const auto found = std::ranges::find(manifest.models, name, &Model::name);
  return found == manifest.models.end() ? nullptr : &*found;
}

// Writes the whole model into `folder`, as one case.
Expected<Subject> WholeModel(Manifest manifest, const Model& named, const fs::path& folder) {
  manifest.models = {named};
  std::erase_if(manifest.cases, [&](const Case& c) {
    return std::ranges::find(c.origins, named.name, &Origin::model) == c.origins.end();
  });
  const Expected<fs::path> written = generator::WriteWholeModels(manifest, folder);
  if (!written) return Unexpected(written.error());
  Expected<Manifest> whole = LoadManifest(*written);
  if (!whole) return Unexpected(whole.error());
  Subject subject{std::move(*whole), {}, named};
  subject.c = subject.manifest.cases.front();
  return subject;
}

Expected<Subject> FindSubject(const ReduceOptions& options, const Target& target) {
  Expected<Manifest> manifest = harness::LoadCases(options.run / "manifest.yaml", target);
  if (!manifest) return Unexpected(manifest.error());
  const Expected<Row> row = FindRow(*manifest, options.row);
  const Model* model = FindModel(*manifest, row ? row->model : options.row);
  if (!row && model != nullptr && !manifest->is_whole()) {
    return WholeModel(*manifest, *model, options.output / "whole");
  }
  if (!row && model != nullptr && !manifest->cases.empty()) {
    const auto found = std::ranges::find(manifest->cases, model->name, &Case::target);
    if (found != manifest->cases.end()) return Subject{*manifest, *found, *model};
  }
  if (!row) return Unexpected(row.error());
  if (model == nullptr) return MakeError(ExitCode::kBadInput, fmt::format("{}: its model is not listed", options.row));
  if (!model->stage.empty()) {
    return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: {} is IR of {}: only StableHLO programs are "
                                                         "reduced; reduce the row of the op that it was made from",
                                                         options.row, model->stage));
  }
  return Subject{*manifest, *row->c, *model};
}

struct Conditions {
  std::vector<harness::RunPolicy> policies;
  uint64_t seed = 0;
  std::optional<uint64_t> fresh_seed;
};

// The conditions of the row's run, if they are known.
Expected<Conditions> ConditionsOf(const ReduceOptions& options, const Target& target, bool is_whole) {
  std::string names = options.chained ? "captured" : options.policy;
  Conditions conditions;
  const Expected<RunHeader> header = LoadRunHeader(options.run / "results.jsonl");
  const bool known = header && header->target == target.name && (header->mode == "whole") == is_whole;
  if (names.empty() && known) names = header->policy;
  if (names.empty()) names = harness::kDefaultPolicies;
  conditions.seed = options.seed.value_or(known ? header->seed : 0);
  if (known && !options.seed) conditions.fresh_seed = header->fresh_seed;
  Expected<std::vector<harness::RunPolicy>> policies = harness::FindPolicies(names);
  if (!policies) return Unexpected(policies.error());
  conditions.policies = std::move(*policies);
  return conditions;
}

// Uses the operands that `opbyop capture` stored for the row if a policy of the run uses them, because the row may fail
// only on those. Or uses the operands that the device itself computed in a chained run.
Expected<void> TakeCapturedOperands(const Subject& subject, const ReduceOptions& options,
                                    const std::vector<harness::RunPolicy>& policies, Program& program) {
  const bool captured = std::ranges::any_of(
      policies, [](const harness::RunPolicy& policy) { return policy.inputs == InputKind::kCaptured; });
  if (!captured || subject.c.is_whole_model()) return {};
  const fs::path folder =
      options.chained ? options.run / "chained" / subject.model.name / "wrong" : subject.manifest.path.parent_path();
  const Expected<reference::CapturedIndex> index = reference::CapturedIndex::Load(folder);
  if (!index) return Unexpected(index.error());
  const std::vector<std::string>* names = index->Find(subject.c.id);
  if (names == nullptr && options.chained) {
    return MakeError(ExitCode::kNothingToDo,
                     fmt::format("{}: the chained run in {} has no operands with which it failed; was it run with "
                                 "`opbyop run {} --mode=chained`?",
                                 options.row, folder.string(), options.run.string()));
  }
  if (names == nullptr) return {};
  Expected<std::vector<reference::InputData>> inputs = index->Inputs(program.module.get(), *names);
  if (!inputs) return Unexpected(inputs.error());
  program.inputs = std::move(*inputs);
  return {};
}

nlohmann::json SizeJson(const ProgramSize& size) {
  return {{"ops", size.ops}, {"elements", size.elements}, {"lines", size.lines}};
}

std::string FactsOf(const Reduction& reduction, const std::string& row, const Judge& judge, const std::string& repro) {
  const nlohmann::json json = {{"schema", kReductionSchema},
                               {"row", row},
                               {"target", judge.target().name},
                               {"toolchain", judge.toolchain()},
                               {"status", ToString(reduction.ending.status)},
                               {"stage", reduction.ending.stage},
                               {"cause", reduction.ending.cause},
                               {"diagnostic", reduction.record.diagnostic},
                               {"op", reduction.op},
                               {"policy", reduction.policy},
                               {"seed", judge.seed()},
                               {"inputs_fixed", reduction.program.inputs.has_value()},
                               {"flaky", reduction.flaky},
                               {"fresh", reduction.fresh},
                               {"complete", reduction.complete},
                               {"from", SizeJson(reduction.from)},
                               {"to", SizeJson(reduction.to)},
                               {"candidates", reduction.candidates},
                               {"invalid", reduction.invalid},
                               {"repro", repro}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

Expected<ReducedRow> ReduceRow(const ReduceOptions& options) {
  const Expected<Target> target = FindTarget(options.target, options.output);
  if (!target) return Unexpected(target.error());
  Expected<Subject> subject = FindSubject(options, *target);
  if (!subject) return Unexpected(subject.error());
  Expected<Conditions> conditions = ConditionsOf(options, *target, subject->c.is_whole_model());
  if (!conditions) return Unexpected(conditions.error());

  std::error_code error;
  fs::create_directories(options.output, error);
  const Expected<FileLock> lock = FileLock::Take(options.output / ".reduce.lock", FileLock::Mode::kExclusive);
  if (!lock && lock.error().code == ExitCode::kUsage) {
    return MakeError(
        ExitCode::kUsage,
        fmt::format("{} is being written by another `opbyop reduce`: give another folder", options.output.string()));
  }
  if (!lock) return Unexpected(lock.error());

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Program program;
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      ReadModule(subject->manifest.path.parent_path() / subject->c.file, context);
  if (!module) return Unexpected(module.error());
  program.module = std::move(*module);
  if (!program.main() || !program.main().getBody().hasOneBlock()) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("unsupported: {}: @main is no function of one block", subject->c.file));
  }

  if (options.chained && subject->c.is_whole_model()) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} is a model: of a chained run, only single rows can be reduced", options.row));
  }
  if (const Expected<void> taken = TakeCapturedOperands(*subject, options, conditions->policies, program); !taken) {
    return Unexpected(taken.error());
  }

  ReducedRow done;
  done.row = RowName({&subject->c, subject->model.name});
  Expected<std::unique_ptr<Judge>> judge =
      Judge::Start(*target, subject->c, std::move(conditions->policies), conditions->seed, conditions->fresh_seed);
  if (!judge) return Unexpected(judge.error());
  const fs::path reduced = options.output / kReducedFolder;
  const Expected<void> kept =
      WriteProgramFolder(options.output / kOriginalFolder, program, subject->c, subject->model, {});
  if (!kept) return Unexpected(kept.error());

  ReducerOptions how;
  how.time_limit = options.time_limit;
  how.policy_file = options.output / "policy.yaml";
  how.stop = options.stop;
  how.say = options.say;
  how.keep = [&](const Reduction& best) {
    const harness::ReproCommand repro(
        {.manifest = reduced / "manifest.yaml", .target = options.target, .seed = (*judge)->seed()});
    done.repro = repro.Of(done.row, {best.policy, std::nullopt});
    return WriteProgramFolder(reduced, best.program, (*judge)->c(), subject->model,
                              {{"reduction.json", FactsOf(best, done.row, **judge, done.repro)}});
  };
  Expected<Reduction> reduction = Reducer(**judge, std::move(how)).Reduce(std::move(program));
  if (!reduction) return Unexpected(reduction.error());
  done.program = reduced / "cases" / (subject->c.id + ".mlir");
  done.reduction = std::move(*reduction);
  // The module must be destroyed before its context.
  done.reduction.program = {};
  return done;
}

}  // namespace opbyop::reduction
