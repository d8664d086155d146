// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/canonical_groups.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "generator/program/process_grid.h"
#include "ir/replica_groups.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::generator {
namespace {

constexpr llvm::StringLiteral kGroups = "replica_groups";
constexpr llvm::StringLiteral kPairs = "source_target_pairs";
constexpr llvm::StringLiteral kChannel = "channel_handle";

// A list of rows of one length; -1 pads shorter ones.
mlir::DenseIntElementsAttr ToAttribute(mlir::MLIRContext* context, const IdGroups& rows, size_t width) {
  std::vector<int64_t> ids;
  for (const std::vector<int64_t>& row : rows) {
    ids.insert(ids.end(), row.begin(), row.end());
    ids.resize(ids.size() + width - row.size(), -1);
  }
  const auto type = mlir::RankedTensorType::get({static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)},
                                                mlir::IntegerType::get(context, 64));
  return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(ids));
}

void CanonicalizeGroupsOf(mlir::Operation* op, const Grid& grid) {
  Expected<IdGroups> groups = ReplicaGroupsOf(op);
  if (!groups) return;
  for (std::vector<int64_t>& group : *groups) std::erase_if(group, [](int64_t id) { return id < 0; });
  std::erase_if(*groups, [](const auto& group) { return group.empty(); });
  if (groups->empty()) {
    std::vector<int64_t>& all = groups->emplace_back(static_cast<size_t>(IdsInGrid(op, grid)));
    std::iota(all.begin(), all.end(), int64_t{0});
  }
  std::ranges::sort(*groups);
  const size_t width = std::ranges::max(*groups, {}, &std::vector<int64_t>::size).size();
  op->setAttr(kGroups, ToAttribute(op->getContext(), *groups, width));
}

}  // namespace

void CanonicalizeGroups(mlir::ModuleOp module) {
  ProcessGrid processes(module);
  module->walk([&](mlir::Operation* op) {
    if (!op->hasAttr(kGroups) && !op->hasAttr(kPairs)) return;
    const Grid grid = processes.Of(op);
    if (grid == Grid()) return;
    if (op->hasAttr(kGroups)) CanonicalizeGroupsOf(op, grid);
    if (IdGroups pairs = RowsOf(op, kPairs); !pairs.empty()) {
      std::ranges::sort(pairs);
      op->setAttr(kPairs, ToAttribute(op->getContext(), pairs, pairs.front().size()));
    }
    if (const auto channel = op->getAttrOfType<stablehlo::ChannelHandleAttr>(kChannel)) {
      if (channel.getHandle() > 0) {
        op->setAttr(kChannel, stablehlo::ChannelHandleAttr::get(op->getContext(), 1, 1));
      } else {
        op->removeAttr(kChannel);
      }
    }
  });
}

}  // namespace opbyop::generator
