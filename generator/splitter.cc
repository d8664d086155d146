#include "generator/splitter.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
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
#include "generator/walk.h"

namespace opbyop::generator {
namespace {

// In a per-op file, ops that are folded in front of the op under test are not ops of a model. An op of such a
// file that is returned is the one under test, whatever it is; those in its regions and callees are its own.
bool IsFoldedPart(const ReachedOp& reached) {
  mlir::Operation* op = reached.op;
  if (reached.function != 0 || reached.region != WalkedRegion::kNone || !IsChainOp(op)) return false;
  return llvm::none_of(op->getUsers(),
                       [](mlir::Operation* user) { return user->getName().getStringRef() == "func.return"; });
}

void DropFoldedParts(mlir::ModuleOp module, Walk& walk) {
  if (!module->hasAttr(kCaseAttribute)) return;
  ConstantFolder folder(std::numeric_limits<int64_t>::max());
  llvm::erase_if(walk.ops, [&](const ReachedOp& reached) {
    return IsFoldedPart(reached) && folder.CanFold(reached.op->getResult(0));
  });
}

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
  struct Distinct {
    Digest digest;
    mlir::Operation* op;       // the first of its kind
    std::set<int64_t> elided;  // arguments that are, anywhere in the model, constants without elements
  };

  mlir::ModuleOp module;
  int64_t ops = 0;
  std::vector<Distinct> cases;                      // in order of first execution
  std::vector<std::pair<int32_t, Origin>> origins;  // by place in `cases`
};

void AddElided(const CaseInputs& inputs, std::set<int64_t>& elided) {
  for (const CaseInputs::Input& input : inputs.inputs) {
    mlir::Operation* source = input.folded ? nullptr : input.value.getDefiningOp();
    if (source != nullptr && IsElided(source)) elided.insert(input.argument);
  }
}

Expected<Analysis> Analyse(mlir::ModuleOp outer, const SplitOptions& options, const std::string& model) {
  Expected<mlir::ModuleOp> module = FindEntryModule(outer, options.entry);
  if (!module) return Unexpected(module.error());
  Expected<Walk> walk = WalkProgram(*module, options.entry, options.walk);
  if (!walk) return Unexpected(walk.error());
  DropFoldedParts(*module, *walk);
  Analysis analysis{.module = *module, .ops = walk->TotalOps()};
  CanonicalHasher hasher(*module);
  ConstantFolder folder(options.fold_limit, options.vary_constants);
  OriginTable table(*walk);
  llvm::DenseMap<Digest, int32_t> index;
  for (const ReachedOp& reached : walk->ops) {
    const CaseInputs inputs = FindInputs(reached.op, folder);
    Expected<Digest> digest = hasher.HashCase(reached.op, inputs);
    if (!digest) return Unexpected(digest.error());
    auto [it, is_new] = index.try_emplace(*digest, static_cast<int32_t>(analysis.cases.size()));
    if (is_new) analysis.cases.push_back({*digest, reached.op, {}});
    AddElided(inputs, analysis.cases[it->second].elided);
    table.Count(it->second, reached);
  }
  analysis.origins = table.Take(model);
  return analysis;
}

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

  // Enters the cases and origins of a model; returns the new ones.
  std::vector<Fresh> Enter(Analysis& analysis) {
    std::vector<Fresh> fresh;
    std::vector<int32_t> places;
    ConstantFolder folder(options.fold_limit, options.vary_constants);
    for (const Analysis::Distinct& distinct : analysis.cases) {
      auto [it, is_new] = index.try_emplace(distinct.digest, static_cast<int32_t>(cases.size()));
      places.push_back(it->second);
      if (!is_new) MergeElided(cases[it->second], distinct.elided);
      if (!is_new) continue;
      Case& c = cases.emplace_back(DescribeCase(distinct.op, FindInputs(distinct.op, folder), distinct.digest));
      ids.push_back({CaseIdStem(c.op, c.target, c.inputs, c.outputs), c.hash});
      c.id = ProvisionalId(ids.back());
      MergeElided(c, distinct.elided);
      fresh.push_back({it->second, distinct.op, {c.id, {}}});
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
  Expected<Analysis> analysis = Analyse(module, state_->options, model.name);
  if (!analysis) {
    model.error = analysis.error().message;
    AddUnreadable(turn, model);
    return Added{.error = model.error};
  }
  model.ops = analysis->ops;
  std::unique_lock<std::mutex> lock = state_->AwaitTurn(turn);
  std::vector<Fresh> fresh = state_->Enter(*analysis);
  Added added{.ops = model.ops, .new_cases = fresh.size()};
  state_->EndTurn(std::move(lock), std::move(model));

  ConstantFolder folder(state_->options.fold_limit, state_->options.vary_constants);
  CaseWriter writer(analysis->module);
  for (const Fresh& f : fresh) {
    std::string text = writer.Write(f.op, FindInputs(f.op, folder), f.header);
    if (Expected<void> done = state_->sink(f.header.id, text); !done) return Unexpected(done.error());
  }
  return added;
}

void Splitter::AddUnreadable(size_t turn, Model model) {
  model.ops = 0;
  state_->EndTurn(state_->AwaitTurn(turn), std::move(model));
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
