// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the elements of an argument that the policy `sparse` leaves nonzero, so that sums of them have few terms.
//
//   std::optional<SparsePattern> pattern = SparsePatternOf(use);   // `use`: an op that sums over the argument
//   std::vector<int64_t> places = NonzeroPlaces(*pattern, CounterStream(seed));   // all others are zero
//
// An argument is cut into blocks. The elements of a block go into one sum: a column of a right matrix, the kernel of an
// output feature, a row that a reduction adds up. Each block gets one to fifteen nonzero elements. Their places
// continue from block to block through a random order, so that over all blocks every place of a sum is used. The last
// and the first place of a sum come first.
#ifndef OPBYOP_REFERENCE_INPUTS_SPARSE_PATTERN_H_
#define OPBYOP_REFERENCE_INPUTS_SPARSE_PATTERN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/IR/Value.h"
#include "reference/tensor/counter_stream.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reference {

struct SparsePattern {
  Shape shape;        // shape of the argument; one dimension if its elements are read in another order
  Shape block;        // extents of a block; the last block of a dimension may be cut short
  int64_t terms = 2;  // average number of nonzero elements in a block; a block has 1 to 2 * terms - 1
};

// Returns the pattern of the operand `use`. If its elements are moved on the way from the argument, `moved` is the
// number of elements of the argument. Returns nullopt if the op does not add the elements up, or if zeros in the other
// factor cover more places of a sum. Zeros are never put into a constant or computed factor.
std::optional<SparsePattern> SparsePatternOf(mlir::OpOperand& use, std::optional<int64_t> moved = std::nullopt);

// Returns the greatest number of elements of the operand `use` that go into one element of a result: those of a
// product, a reduction, a window or a transform. 1 if elements are taken one by one, or moved.
int64_t ElementsPerResult(mlir::OpOperand& use);

// Returns the places of the nonzero elements, in row-major order of the blocks.
std::vector<int64_t> NonzeroPlaces(const SparsePattern& pattern, const CounterStream& stream);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_SPARSE_PATTERN_H_
