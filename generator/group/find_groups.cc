// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/find_groups.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "generator/group/layers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "manifests/cases/case.h"
#include "mlir/IR/RegionKindInterface.h"

namespace opbyop::generator {
namespace {

using OpSet = llvm::SmallPtrSet<mlir::Operation*, 32>;

bool IsUsedOutside(mlir::Value value, const OpSet& ops, mlir::Block& block) {
  return llvm::any_of(value.getUsers(),
                      [&](mlir::Operation* user) { return !ops.contains(block.findAncestorOpInBlock(*user)); });
}

}  // namespace

GroupFinder::GroupFinder(const Walk& walk, std::span<const int32_t> case_of,
                         std::function<const std::vector<std::string>&(int32_t)> path_of, ConstantFolder& folder)
    : walk_(walk), case_of_(case_of), path_of_(std::move(path_of)) {
  for (size_t i = 0; i < walk.ops.size(); ++i) {
    mlir::Operation* op = walk.ops[i].op;
    if (op->getNumResults() == 1 && folder.CanFold(op->getResult(0))) continue;
    // In a graph region an op may use the results of later ones.
    if (!mlir::mayHaveSSADominance(*op->getParentRegion())) continue;
    blocks_[op->getBlock()].push_back(static_cast<int32_t>(i));
    index_[op] = static_cast<int32_t>(i);
  }
}

std::vector<FoundGroup> GroupFinder::Find(Granularity granularity) {
  switch (granularity.kind) {
    case Granularity::Kind::kWindow:
      return Windows(granularity.number);
    case Granularity::Kind::kModule:
      return Modules(granularity.number);
    case Granularity::Kind::kLayer:
      return Layers();
    case Granularity::Kind::kOp:
    case Granularity::Kind::kModel:
      return {};
  }
  return {};
}

std::optional<FoundGroup> GroupFinder::MakeGroup(std::string_view word, const Members& members) const {
  if (members.size() < 2) return std::nullopt;
  llvm::SmallVector<mlir::Operation*> ops;
  for (const int32_t member : members) ops.push_back(OpAt(member));
  const OpSet set(ops.begin(), ops.end());
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Operation* op : ops) {
    for (mlir::Value result : op->getResults()) {
      // A window is there for its last op, so that all results of that one are returned, as in the op's own case.
      const bool is_last_of_window = word == kWindow && op == ops.back();
      if (is_last_of_window || IsUsedOutside(result, set, *op->getBlock())) results.push_back(result);
    }
  }
  // Without a result there is nothing to judge.
  if (results.empty()) return std::nullopt;
  return FoundGroup{word, OpGroup(ops, results), members, word == kWindow};
}

// The op and the producers that are reached first along its operands, in the order of their block.
GroupFinder::Members GroupFinder::WindowOf(int32_t last, int64_t ops) const {
  Members members = {last};
  std::deque<mlir::Operation*> open = {OpAt(last)};
  llvm::SmallPtrSet<mlir::Operation*, 8> seen = {open.front()};
  mlir::Block* const block = open.front()->getBlock();
  ConstantFolder none(0);
  while (!open.empty()) {
    mlir::Operation* op = open.front();
    open.pop_front();
    for (const CaseInputs::Input& input : FindInputs(op, none).inputs) {
      mlir::Operation* producer = input.value.getDefiningOp();
      const auto found = index_.find(producer);
      if (producer == nullptr || found == index_.end() || producer->getBlock() != block) continue;
      if (!seen.insert(producer).second) continue;
      members.push_back(found->second);
      if (static_cast<int64_t>(members.size()) == ops) {
        std::ranges::sort(members);
        return members;
      }
      open.push_back(producer);
    }
  }
  std::ranges::sort(members);
  return members;
}

std::vector<FoundGroup> GroupFinder::Windows(int64_t ops) const {
  std::vector<FoundGroup> groups;
  if (ops < 2) return groups;
  for (const auto& [block, members] : blocks_) {
    for (const int32_t member : members) {
      if (auto group = MakeGroup(kWindow, WindowOf(member, ops))) groups.push_back(std::move(*group));
    }
  }
  return groups;
}

// The ops that follow each other in one module.
std::vector<FoundGroup> GroupFinder::Modules(int64_t depth) const {
  std::vector<FoundGroup> groups;
  for (const auto& [block, members] : blocks_) {
    Members run;
    std::vector<std::string> module;
    const auto end = [&] {
      if (auto group = module.empty() ? std::nullopt : MakeGroup(kModule, run)) groups.push_back(std::move(*group));
      run.clear();
    };
    for (const int32_t member : members) {
      std::vector<std::string> path = path_of_(member);
      if (depth > 0 && static_cast<int64_t>(path.size()) > depth) path.resize(static_cast<size_t>(depth));
      if (path != module) end();
      module = std::move(path);
      run.push_back(member);
    }
    end();
  }
  return groups;
}

std::vector<FoundGroup> GroupFinder::Layers() const {
  std::vector<FoundGroup> groups;
  llvm::DenseSet<mlir::Block*> bodies;  // of loops that are layers
  for (const auto& [block, members] : blocks_) {
    for (const int32_t member : members) {
      if (const Members* body = LoopBodyOf(member)) bodies.insert(OpAt(body->front())->getBlock());
    }
  }
  for (const auto& [block, members] : blocks_) AddLayersOf(members, bodies.contains(block), groups);
  return groups;
}

// The body of a loop that is a layer, or nullptr.
const GroupFinder::Members* GroupFinder::LoopBodyOf(int32_t member) const {
  mlir::Operation* op = OpAt(member);
  constexpr unsigned kBody = 1;
  const bool is_loop = op->getName().getStringRef() == "stablehlo.while" && op->getNumRegions() > kBody;
  if (!is_loop || op->getRegion(kBody).empty()) return nullptr;
  const auto body = blocks_.find(&op->getRegion(kBody).front());
  return body == blocks_.end() || body->second.size() < kShortestLayer ? nullptr : &body->second;
}

// Adds what the block repeats and the bodies of its loops, and the segments around these. The body of a loop is a layer as
// a whole: only the loops in it are layers too.
void GroupFinder::AddLayersOf(const Members& block, bool is_layer_itself, std::vector<FoundGroup>& groups) const {
  llvm::SmallVector<mlir::Operation*> ops;
  std::vector<int32_t> kinds;
  for (const int32_t member : block) {
    ops.push_back(OpAt(member));
    kinds.push_back(case_of_[static_cast<size_t>(member)]);
  }
  const auto members_at = [&](const std::vector<size_t>& places) {
    Members members;
    for (const size_t place : places) members.push_back(block[place]);
    return members;
  };
  const BlockLayers found = is_layer_itself ? BlockLayers() : FindLayers(ops, kinds, LayerNeeds::kHeavyOp);
  std::vector<std::pair<std::string_view, Members>> parts;
  LayerOps layers = OpsIn(ops, found.layers);
  parts.reserve(found.layers.size());
  for (const Layer& layer : found.layers) parts.emplace_back(kLayer, members_at(layer.places));
  for (const int32_t member : block) {
    const Members* body = LoopBodyOf(member);
    if (body == nullptr) continue;
    parts.emplace_back(kLayer, *body);
    layers.all.insert(OpAt(member));
    layers.last.insert(OpAt(member));
  }
  if (parts.empty()) return;
  if (!is_layer_itself) {
    for (const std::vector<size_t>& segment : SegmentsAround(ops, found.is_shared, layers)) {
      parts.emplace_back(kSegment, members_at(segment));
    }
  }
  std::ranges::sort(parts, {}, [](const auto& part) { return part.second.front(); });
  for (const auto& [word, members] : parts) {
    if (auto group = MakeGroup(word, members)) groups.push_back(std::move(*group));
  }
}

}  // namespace opbyop::generator
