// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which elements of an argument the policy `sparse` leaves nonzero, so that the sums it enters have few terms.
//
//   std::optional<SparsePattern> pattern = SparsePatternOf(use);            // a reader that sums over the argument
//   std::vector<int64_t> places = NonzeroPlaces(*pattern, CounterStream(seed));   // all others are zero
//
// An argument is cut into blocks, the elements of which meet in one sum: the columns of a right matrix, the kernel of
// an output feature, the rows that a reduction adds up. Each block gets one to fifteen nonzero elements, whose places
// are dealt out one after the other, so that over the blocks every place has its turn, the last and the first of a sum
// first.
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
  Shape shape;        // of the argument; of one dimension where its elements are read in another order
  Shape block;        // extents of a block; the last ones of a dimension may be cut short
  int64_t terms = 2;  // nonzero elements of a block on average, of 1 to 2 terms - 1
};

// The pattern of the operand that `use` is, or of an argument of `moved` elements if data movement lies between.
// Returns nullopt if the op does not add the elements up, or if zeros in the other factor serve better: zeros are put
// into the factor all of whose places have their turn, and never into a constant or computed one.
std::optional<SparsePattern> SparsePatternOf(mlir::OpOperand& use, std::optional<int64_t> moved = std::nullopt);

// How many elements of the operand that `use` is go into one element of a result at most: as many as a product, a
// reduction, a window or a transform takes up. 1 where elements are taken one by one, or moved.
int64_t MeetingOf(mlir::OpOperand& use);

// In row-major order of the blocks.
std::vector<int64_t> NonzeroPlaces(const SparsePattern& pattern, const CounterStream& stream);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_SPARSE_PATTERN_H_
