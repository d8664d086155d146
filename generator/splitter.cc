// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/splitter.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <unordered_set>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "generator/canonical_hash.h"
#include "generator/case_writer.h"
#include "generator/describe_case.h"
#include "generator/origins.h"
#include "generator/program_cases.h"
#include "support/sha256.h"

namespace opbyop::generator {
namespace {

// "12 ops of bert, Bert/layer/0: dot_general"
std::string DescribeOrigin(const Origin& origin) {
  std::string path;
  for (const std::string& module : origin.module_path) path += module + "/";
  std::string text = fmt::format("origin: {}", origin.model);
  if (!path.empty() || !origin.framework_op.empty()) text += fmt::format(", {}{}", path, origin.framework_op);
  if (!origin.regions.empty()) text += fmt::format(", inside {}", fmt::join(origin.regions, "/"));
  return text;
}

// What one model holds, before it is known which of its cases are new.
struct Analysis {
  ProgramCases program;
  std::vector<std::pair<int32_t, Origin>> origins;  // by place in the program's cases
};

Expected<Analysis> Analyse(mlir::ModuleOp module, const SplitOptions& options, const std::string& model) {
  Expected<ProgramCases> program = FindCases(module, options, FoldedParts::kDropped);
  if (!program) return Unexpected(program.error());
  OriginTable table(program->walk);
  for (size_t i = 0; i < program->case_of.size(); ++i) table.Count(program->case_of[i], program->walk.ops[i]);
  std::vector<std::pair<int32_t, Origin>> origins = table.Take(model);
  return Analysis{std::move(*program), std::move(origins)};
}

// Of the checksum that stands for the end of a name.
constexpr size_t kDigestLength = 8;

// A case that this model is the first to have.
struct Fresh {
  int32_t index;
  mlir::Operation* op;
  CaseHeader header;
};

}  // namespace

struct Splitter::State {
  SplitOptions options;
  CaseSink sink;

  std::mutex mutex;
  std::condition_variable turned;
  size_t turn = 0;
  std::vector<Model> models;
  std::vector<Case> cases;
  std::vector<IdParts> ids;
  llvm::DenseMap<Digest, int32_t> index;
  std::unordered_set<std::string> handed_out;

  std::unique_lock<std::mutex> AwaitTurn(size_t own) {
    std::unique_lock<std::mutex> lock(mutex);
    turned.wait(lock, [&] { return turn == own; });
    return lock;
  }

  void EndTurn(std::unique_lock<std::mutex> lock, Model model) {
    models.push_back(std::move(model));
    ++turn;
    lock.unlock();
    turned.notify_all();
  }

  // A model that is left out. Its name is among the others whatever is wrong with it: cut where it is too long.
  void EndWithout(std::unique_lock<std::mutex> lock, Model model) {
    model.ops = 0;
    if (FaultOf(model)) {
      const std::string digest = Sha256Hex(model.name).substr(0, kDigestLength);
      model.name = fmt::format("{}_{}", model.name.substr(0, kLongestName - kDigestLength - 1), digest);
    }
    EndTurn(std::move(lock), std::move(model));
  }

  // Unique among those handed out; the final ids are made when all cases are known.
  std::string ProvisionalId(const IdParts& parts) {
    std::string id = MakeIds({parts}, options.id_digits)[0];
    if (handed_out.insert(id).second) return id;
    id = parts.stem + "_" + parts.hash;
    handed_out.insert(id);
    return id;
  }

  static void MergeElided(Case& c, const std::set<int64_t>& more) {
    std::set<int64_t> all(c.elided_constants.begin(), c.elided_constants.end());
    all.insert(more.begin(), more.end());
    c.elided_constants.assign(all.begin(), all.end());
  }

  // What a suite says that its op exercises.
  static void MergeCovers(Case& c, mlir::Operation* op) {
    const auto list = op->getAttrOfType<mlir::ArrayAttr>(kCoversAttribute);
    if (!list) return;
    std::set<std::string> all(c.covers.begin(), c.covers.end());
    for (mlir::StringAttr id : list.getAsRange<mlir::StringAttr>()) all.insert(id.str());
    c.covers.assign(all.begin(), all.end());
  }

  // The cases of a model that no model before it has, in the order of the program. An error where one of them may not
  // stand in a manifest.
  Expected<std::vector<Case>> Describe(const Analysis& analysis, const std::string& model) const {
    std::vector<Case> described;
    ConstantFolder folder(options.fold_limit, options.vary_constants);
    for (const ProgramCases::Distinct& distinct : analysis.program.cases) {
      if (index.contains(distinct.digest)) continue;
      Case c = DescribeCase(distinct.op, FindInputs(distinct.op, folder), distinct.digest);
      c.id = MakeIds({{CaseIdStem(c.op, c.target, c.inputs, c.outputs), c.hash}}, options.id_digits)[0];
      c.file = fmt::format("cases/{}.mlir", c.id);
      c.origins = {{.model = model, .count = 1}};  // no count is more than that of the model's ops
      if (const auto fault = FaultOf(c)) return MakeError(ExitCode::kBadInput, *fault);
      c.origins.clear();
      described.push_back(std::move(c));
    }
    return described;
  }

  // Enters the cases and origins of a model, of which `described` are new; returns these.
  std::vector<Fresh> Enter(Analysis& analysis, std::vector<Case> described) {
    std::vector<Fresh> fresh;
    std::vector<int32_t> places;
    auto next = described.begin();
    for (const ProgramCases::Distinct& distinct : analysis.program.cases) {
      auto [it, is_new] = index.try_emplace(distinct.digest, static_cast<int32_t>(cases.size()));
      places.push_back(it->second);
      if (!is_new) MergeElided(cases[it->second], distinct.elided);
      if (!is_new) continue;
      Case& c = cases.emplace_back(std::move(*next++));
      ids.push_back({CaseIdStem(c.op, c.target, c.inputs, c.outputs), c.hash});
      c.id = ProvisionalId(ids.back());
      MergeElided(c, distinct.elided);
      fresh.push_back({it->second, distinct.op, {c.id, {}}});
    }
    for (size_t i = 0; i < analysis.program.case_of.size(); ++i) {
      MergeCovers(cases[places[analysis.program.case_of[i]]], analysis.program.walk.ops[i].op);
    }
    for (auto& [place, origin] : analysis.origins) cases[places[place]].origins.push_back(std::move(origin));
    for (Fresh& f : fresh) {
      const Origin& origin = cases[f.index].origins.front();
      f.header.notes.push_back(DescribeOrigin(origin));
      if (!origin.locations.empty()) f.header.notes.push_back("location: " + origin.locations.front());
    }
    return fresh;
  }
};

Splitter::Splitter(SplitOptions options, CaseSink sink) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->sink = std::move(sink);
}

Splitter::~Splitter() = default;

Expected<Splitter::Added> Splitter::Add(size_t turn, mlir::ModuleOp module, Model model) {
  const auto refuse = [&](std::unique_lock<std::mutex> lock, std::string why) {
    model.error = std::move(why);
    Added added{.error = model.error};
    state_->EndWithout(std::move(lock), std::move(model));
    return added;
  };
  Expected<Analysis> analysis = Analyse(module, state_->options, model.name);
  if (!analysis) return refuse(state_->AwaitTurn(turn), analysis.error().message);
  model.ops = analysis->program.walk.TotalOps();
  std::unique_lock<std::mutex> lock = state_->AwaitTurn(turn);
  if (const auto fault = FaultOf(model)) return refuse(std::move(lock), *fault);
  Expected<std::vector<Case>> described = state_->Describe(*analysis, model.name);
  if (!described) return refuse(std::move(lock), described.error().message);
  std::vector<Fresh> fresh = state_->Enter(*analysis, std::move(*described));
  Added added{.ops = model.ops, .new_cases = fresh.size()};
  state_->EndTurn(std::move(lock), std::move(model));

  ConstantFolder folder(state_->options.fold_limit, state_->options.vary_constants);
  CaseWriter writer(analysis->program.module);
  for (const Fresh& f : fresh) {
    std::string text = writer.Write(f.op, FindInputs(f.op, folder), f.header);
    if (Expected<void> done = state_->sink(f.header.id, text); !done) return Unexpected(done.error());
  }
  return added;
}

void Splitter::AddUnreadable(size_t turn, Model model) {
  state_->EndWithout(state_->AwaitTurn(turn), std::move(model));
}

SplitResult Splitter::Finish() {
  SplitResult result;
  std::vector<std::string> ids = MakeIds(state_->ids, state_->options.id_digits);
  for (size_t i = 0; i < ids.size(); ++i) {
    Case& c = state_->cases[i];
    if (c.id != ids[i]) result.renamed.push_back({c.id, ids[i]});
    c.id = ids[i];
    c.file = fmt::format("cases/{}.mlir", c.id);
  }
  result.manifest.models = std::move(state_->models);
  result.manifest.cases = std::move(state_->cases);
  std::sort(result.manifest.cases.begin(), result.manifest.cases.end(),
            [](const Case& a, const Case& b) { return a.id < b.id; });
  return result;
}

}  // namespace opbyop::generator
