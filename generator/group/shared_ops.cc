// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/shared_ops.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Block.h"

namespace opbyop::generator {
namespace {

// For each op the places in `ops` of those that use a result of it, in rising order. A use in a region is one by the op
// of the block that has the region.
std::vector<std::vector<size_t>> UsesOf(llvm::ArrayRef<mlir::Operation*> ops) {
  llvm::DenseMap<mlir::Operation*, size_t> place;
  for (size_t i = 0; i < ops.size(); ++i) place[ops[i]] = i;
  std::vector<std::vector<size_t>> uses(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    for (mlir::Operation* user : ops[i]->getUsers()) {
      const auto found = place.find(ops[i]->getBlock()->findAncestorOpInBlock(*user));
      if (found != place.end()) uses[i].push_back(found->second);
    }
    std::ranges::sort(uses[i]);
  }
  return uses;
}

size_t SpanOf(const std::vector<size_t>& uses) { return uses.empty() ? 0 : uses.back() - uses.front(); }

}  // namespace

std::vector<size_t> LongestSpans(llvm::ArrayRef<mlir::Operation*> ops, size_t most) {
  std::set<size_t, std::greater<>> spans;
  for (const std::vector<size_t>& uses : UsesOf(ops)) {
    if (SpanOf(uses) > 0) spans.insert(SpanOf(uses));
    if (spans.size() > most) spans.erase(std::prev(spans.end()));
  }
  return {spans.begin(), spans.end()};
}

std::vector<bool> SharedOps(llvm::ArrayRef<mlir::Operation*> ops, size_t span,
                            const llvm::DenseSet<mlir::Operation*>& never) {
  const std::vector<std::vector<size_t>> uses = UsesOf(ops);
  std::vector<bool> is_shared(ops.size());
  for (size_t i = ops.size(); i-- > 0;) {
    if (never.contains(ops[i])) continue;
    const bool serves_shared =
        !uses[i].empty() && std::ranges::all_of(uses[i], [&](size_t use) { return is_shared[use]; });
    is_shared[i] = serves_shared || SpanOf(uses[i]) >= std::max<size_t>(span, 1);
  }
  return is_shared;
}

}  // namespace opbyop::generator
