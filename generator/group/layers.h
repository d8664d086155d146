// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the layers of a block, and divides what is around them.
//
//   const BlockLayers found = FindLayers(ops, kinds, LayerNeeds::kHeavyOp);
//   for (const Layer& layer : found.layers) Use(layer.places, layer.number);         // places in `ops`
//   SegmentsAround(ops, found.is_shared, OpsIn(ops, found.layers));                  // the other ops, between layers
//
// A layer is one copy of what the block repeats without a gap. Ops that several layers share are left out if more is
// repeated without them, for they are written where the first layer needs them.
#ifndef OPBYOP_GENERATOR_GROUP_LAYERS_H_
#define OPBYOP_GENERATOR_GROUP_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

// A repeat of fewer ops is no layer.
inline constexpr size_t kShortestLayer = 4;

// kHeavyOp: at least a product, a convolution, or an op that may have one inside.
enum class LayerNeeds { kAnyOp, kHeavyOp };

struct Layer {
  std::vector<size_t> places;  // rising
  size_t number = 1;           // among the copies of the same ops, from 1 on
  size_t copies = 1;
};

struct BlockLayers {
  std::vector<Layer> layers;
  std::vector<bool> is_shared;  // of each op whether layers share it; empty: none is
};

// `ops` are of one block, in its order; `kinds` has a number for each that is equal for ops that are the same.
BlockLayers FindLayers(llvm::ArrayRef<mlir::Operation*> ops, std::span<const int32_t> kinds, LayerNeeds needs);

struct LayerOps {
  llvm::DenseSet<mlir::Operation*> all;   // those in a layer, and the loops whose body is one
  llvm::DenseSet<mlir::Operation*> last;  // with which a layer ends
};

LayerOps OpsIn(llvm::ArrayRef<mlir::Operation*> ops, const std::vector<Layer>& layers);

// The places of the ops that are in no layer, divided where a layer ends. An op that layers share stands where its
// operands are known, for instance before the first layer.
std::vector<std::vector<size_t>> SegmentsAround(llvm::ArrayRef<mlir::Operation*> ops,
                                                const std::vector<bool>& is_shared, const LayerOps& layers);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_GROUP_LAYERS_H_
