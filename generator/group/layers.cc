// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/layers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "generator/group/repeats.h"
#include "generator/group/shared_ops.h"
#include "generator/program/constants.h"
#include "ir/op_info.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "support/op_kind.h"

namespace opbyop::generator {
namespace {

// How many spans are tried for ops that layers share. The values that a model's layers share are few, and their spans are
// the longest; each try is a search for repeats.
constexpr size_t kMostSpans = 16;

// Whether the op is what makes several ops a layer: a product, or an op that may have one inside.
bool IsHeavy(mlir::Operation* op) {
  switch (KindOf(op->getName().getStringRef())) {
    case OpKind::kMatmul:
    case OpKind::kConvolution:
    case OpKind::kControlFlow:
    case OpKind::kComposite:
    case OpKind::kCustomCall:
      return true;
    default:
      return false;
  }
}

// How many values of the ops from `begin` on are used after or before them.
size_t ValuesPassedOn(llvm::ArrayRef<mlir::Operation*> copy) {
  const llvm::SmallPtrSet<mlir::Operation*, 32> inside(copy.begin(), copy.end());
  size_t values = 0;
  for (mlir::Operation* op : copy) {
    values += llvm::count_if(op->getResults(), [&](mlir::Value result) {
      return llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
        return !inside.contains(op->getBlock()->findAncestorOpInBlock(*user));
      });
    });
  }
  return values;
}

BlockLayers LayersWithout(std::vector<bool> is_shared, llvm::ArrayRef<mlir::Operation*> ops,
                          std::span<const int32_t> kinds, LayerNeeds needs) {
  std::vector<int32_t> sequence;
  std::vector<size_t> places;
  llvm::SmallVector<mlir::Operation*> kept;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!is_shared.empty() && is_shared[i]) continue;
    places.push_back(i);
    kept.push_back(ops[i]);
    sequence.push_back(kinds[i]);
  }
  const auto copy_at = [&](const Repeat& repeat, size_t begin) {
    return llvm::ArrayRef(kept).slice(begin, repeat.period);
  };
  RepeatRules rules{.shortest = kShortestLayer};
  if (needs == LayerNeeds::kHeavyOp) {
    rules.counts = [&](const Repeat& repeat) { return llvm::any_of(copy_at(repeat, repeat.begin), IsHeavy); };
  }
  // A layer begins where the fewest values pass from one copy to what follows.
  rules.place = [&](const Repeat& repeat) {
    size_t best = repeat.begin;
    size_t fewest = ValuesPassedOn(copy_at(repeat, best));
    for (size_t begin = repeat.begin + 1; begin <= repeat.begin + repeat.slack; ++begin) {
      const size_t values = ValuesPassedOn(copy_at(repeat, begin));
      if (values >= fewest) continue;
      best = begin;
      fewest = values;
    }
    return best;
  };
  BlockLayers found;
  for (const Repeat& repeat : FindRepeats(sequence, rules)) {
    for (size_t copy = 0; copy < repeat.copies; ++copy) {
      const auto first = places.begin() + static_cast<ptrdiff_t>(repeat.begin + copy * repeat.period);
      found.layers.push_back({{first, first + static_cast<ptrdiff_t>(repeat.period)}, copy + 1, repeat.copies});
    }
  }
  found.is_shared = std::move(is_shared);
  return found;
}

size_t OpsCovered(const BlockLayers& layers) {
  size_t ops = 0;
  for (const Layer& layer : layers.layers) ops += layer.places.size();
  return ops;
}

}  // namespace

// Ops that are repeated already are not left out.
BlockLayers FindLayers(llvm::ArrayRef<mlir::Operation*> ops, std::span<const int32_t> kinds, LayerNeeds needs) {
  BlockLayers best = LayersWithout({}, ops, kinds, needs);
  const LayerOps in_layers = OpsIn(ops, best.layers);
  for (const size_t span : LongestSpans(ops, kMostSpans)) {
    BlockLayers found = LayersWithout(SharedOps(ops, span, in_layers.all), ops, kinds, needs);
    if (OpsCovered(found) > OpsCovered(best)) best = std::move(found);
  }
  return best;
}

LayerOps OpsIn(llvm::ArrayRef<mlir::Operation*> ops, const std::vector<Layer>& layers) {
  LayerOps found;
  for (const Layer& layer : layers) {
    for (const size_t place : layer.places) found.all.insert(ops[place]);
    found.last.insert(ops[layer.places.back()]);
  }
  return found;
}

std::vector<std::vector<size_t>> SegmentsAround(llvm::ArrayRef<mlir::Operation*> ops,
                                                const std::vector<bool>& is_shared, const LayerOps& layers) {
  ConstantFolder none(0);
  std::map<size_t, std::vector<size_t>> segments;  // by the number of layers before
  llvm::DenseMap<mlir::Operation*, size_t> after;  // how many layers end before the results of an op are known
  size_t ended = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (layers.all.contains(ops[i])) {
      after[ops[i]] = ended + 1;
      if (layers.last.contains(ops[i])) ++ended;
      continue;
    }
    size_t place = ended;
    if (!is_shared.empty() && is_shared[i]) {
      place = 0;
      for (const CaseInputs::Input& input : FindInputs(ops[i], none).inputs) {
        place = std::max(place, after.lookup(input.value.getDefiningOp()));
      }
    }
    after[ops[i]] = place;
    segments[place].push_back(i);
  }
  std::vector<std::vector<size_t>> found;
  found.reserve(segments.size());
  for (auto& [place, members] : segments) found.push_back(std::move(members));
  return found;
}

}  // namespace opbyop::generator
