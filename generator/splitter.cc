#include "generator/splitter.h"

#include <algorithm>
#include <numeric>

#include "fmt/format.h"
#include "generator/canonical_hash.h"
#include "generator/case_writer.h"
#include "generator/cost.h"
#include "generator/origins.h"
#include "generator/signature.h"
#include "generator/walk.h"

namespace opbyop {
namespace {

// In a per-op file, ops that are folded in front of the op under test are not ops of a model. An op of such a
// file that is returned is the one under test, whatever it is.
bool IsFoldedPart(mlir::Operation* op) {
  if (!IsChainOp(op)) return false;
  return llvm::none_of(op->getUsers(),
                       [](mlir::Operation* user) { return user->getName().getStringRef() == "func.return"; });
}

void DropFoldedParts(mlir::ModuleOp module, Walk& walk) {
  if (!module->hasAttr(kCaseAttribute)) return;
  ConstantFolder folder(std::numeric_limits<int64_t>::max());
  llvm::erase_if(walk.ops, [&](const ReachedOp& reached) {
    return IsFoldedPart(reached.op) && folder.CanFold(reached.op->getResult(0));
  });
}

std::vector<TensorType> ArgumentTypes(const CaseInputs& inputs) {
  std::vector<TensorType> types;
  for (const CaseInputs::Input& input : inputs.inputs) {
    if (!input.folded) types.push_back(ToTensorType(input.value.getType()));
  }
  return types;
}

// "12 ops of bert, Bert/layer/0: dot_general"
std::string DescribeOrigin(const Origin& origin) {
  std::string path;
  for (const std::string& module : origin.module_path) path += module + "/";
  std::string text = fmt::format("origin: {}", origin.model);
  if (!path.empty() || !origin.framework_op.empty()) text += fmt::format(", {}{}", path, origin.framework_op);
  return text;
}

}  // namespace

struct Splitter::State {
  SplitOptions options;
  CaseSink sink;
  std::vector<Model> models;
  std::vector<Case> cases;
  std::vector<IdParts> ids;
  llvm::DenseMap<Digest, int32_t> index;

  struct Hashed {
    ReachedOp reached;
    Digest digest;
  };

  Expected<std::vector<Hashed>> Hash(mlir::ModuleOp module, const Walk& walk) {
    CanonicalHasher hasher(module);
    ConstantFolder folder(options.fold_limit);
    std::vector<Hashed> hashed;
    hashed.reserve(walk.ops.size());
    for (const ReachedOp& reached : walk.ops) {
      Expected<Digest> digest = hasher.HashCase(reached.op, FindInputs(reached.op, folder));
      if (!digest) return Unexpected(digest.error());
      hashed.push_back({reached, *digest});
    }
    return hashed;
  }

  // The case without origins; its text goes to the sink with those.
  Case Describe(mlir::Operation* op, const CaseInputs& inputs, const Digest& digest) {
    Case c;
    c.op = op->getName().getStringRef().str();
    c.target = TargetOf(op);
    c.hash = digest.Hex();
    c.inputs = ArgumentTypes(inputs);
    c.outputs = ToTensorTypes(op->getResultTypes());
    c.attributes = AttributeTexts(op);
    c.flops = EstimateFlops(op);
    c.bytes = BytesMoved(c.inputs, c.outputs);
    c.no_runtime_input = c.inputs.empty();
    return c;
  }
};

Splitter::Splitter(SplitOptions options, CaseSink sink) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->sink = std::move(sink);
}

Splitter::~Splitter() = default;

Expected<void> Splitter::Add(mlir::ModuleOp outer, Model model) {
  auto fail = [&](const Error& error) -> Expected<void> {
    model.error = error.message;
    AddUnreadable(std::move(model));
    return {};
  };
  Expected<mlir::ModuleOp> module = FindEntryModule(outer, state_->options.entry);
  if (!module) return fail(module.error());
  Expected<Walk> walk = WalkProgram(*module, state_->options.entry);
  if (!walk) return fail(walk.error());
  DropFoldedParts(*module, *walk);
  // All hashes before the first case: an error leaves nothing behind.
  Expected<std::vector<State::Hashed>> hashed = state_->Hash(*module, *walk);
  if (!hashed) return fail(hashed.error());

  OriginTable table(*walk);
  struct Fresh {
    int32_t index;
    mlir::Operation* op;
  };
  std::vector<Fresh> fresh;
  ConstantFolder folder(state_->options.fold_limit);
  for (const State::Hashed& entry : *hashed) {
    auto [it, is_new] = state_->index.try_emplace(entry.digest, static_cast<int32_t>(state_->cases.size()));
    if (is_new) {
      CaseInputs inputs = FindInputs(entry.reached.op, folder);
      Case& c = state_->cases.emplace_back(state_->Describe(entry.reached.op, inputs, entry.digest));
      state_->ids.push_back({CaseIdStem(c.op, c.target, c.inputs, c.outputs), c.hash});
      fresh.push_back({it->second, entry.reached.op});
    }
    table.Count(it->second, entry.reached);
  }
  for (auto& [index, origin] : table.Take(model.name)) state_->cases[index].origins.push_back(std::move(origin));

  for (const Fresh& f : fresh) {
    Case& c = state_->cases[f.index];
    const Origin& origin = c.origins.front();
    c.id = MakeIds({state_->ids[f.index]}, state_->options.id_digits)[0];
    CaseHeader header{c.id, {DescribeOrigin(origin)}};
    if (!origin.locations.empty()) header.notes.push_back("location: " + origin.locations.front());
    std::string text = WriteCase(*module, f.op, FindInputs(f.op, folder), header);
    if (Expected<void> done = state_->sink(c.hash, std::move(text)); !done) return done;
  }
  model.ops = walk->TotalOps();
  state_->models.push_back(std::move(model));
  return {};
}

void Splitter::AddUnreadable(Model model) {
  model.ops = 0;
  state_->models.push_back(std::move(model));
}

const std::vector<Model>& Splitter::models() const { return state_->models; }

size_t Splitter::case_count() const { return state_->cases.size(); }

SplitResult Splitter::Finish() {
  SplitResult result;
  std::vector<std::string> ids = MakeIds(state_->ids, state_->options.id_digits);
  for (size_t i = 0; i < ids.size(); ++i) {
    Case& c = state_->cases[i];
    if (c.id != ids[i]) result.renamed.push_back({c.hash, c.id, ids[i]});
    c.id = ids[i];
    c.file = fmt::format("cases/{}.mlir", c.id);
  }
  result.manifest.models = std::move(state_->models);
  result.manifest.cases = std::move(state_->cases);
  std::sort(result.manifest.cases.begin(), result.manifest.cases.end(),
            [](const Case& a, const Case& b) { return a.id < b.id; });
  return result;
}

}  // namespace opbyop
