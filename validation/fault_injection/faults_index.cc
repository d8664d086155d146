// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indices that are clamped, wrapped, dropped, or read wrongly.
#include <algorithm>

#include "ir/stablehlo/stablehlo.h"
#include "reference/eval/movement.h"
#include "reference/tensor/index_map.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Tensor;
using reference::Values;

// Applies f(index, extent of its dimension, extent of the slice) to every index of gather or scatter.
using IndexFn = int64_t (*)(int64_t v, int64_t extent, int64_t slice);

int64_t ComponentOf(const Tensor& indices, int64_t index_vector_dim, int64_t i) {
  if (index_vector_dim >= indices.rank()) return 0;
  const int64_t stride = reference::StridesOf(indices.shape())[static_cast<size_t>(index_vector_dim)];
  return i / stride % indices.dim(index_vector_dim);
}

OpFault GatherIndices(IndexFn f) {
  return [f](FaultyOp& faulty) {
    auto gather = llvm::dyn_cast<stablehlo::GatherOp>(faulty.op());
    if (!gather) return faulty.Right();
    const auto numbers = gather.getDimensionNumbers();
    Tensor& indices = faulty.in(1);
    for (int64_t i = 0; i < indices.size(); ++i) {
      const int64_t c = ComponentOf(indices, numbers.getIndexVectorDim(), i);
      const auto d = static_cast<size_t>(numbers.getStartIndexMap()[static_cast<size_t>(c)]);
      int64_t& v = indices.Mutable<int64_t>()[static_cast<size_t>(i)];
      v = f(v, faulty.in(0).shape()[d], gather.getSliceSizes()[d]);
    }
    return faulty.Right();
  };
}

OpFault ScatterIndices(IndexFn f) {
  return [f](FaultyOp& faulty) {
    auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(faulty.op());
    if (!scatter || faulty.size() != 3) return faulty.Right();
    const auto numbers = scatter.getScatterDimensionNumbers();
    Tensor& indices = faulty.in(1);
    for (int64_t i = 0; i < indices.size(); ++i) {
      const int64_t c = ComponentOf(indices, numbers.getIndexVectorDim(), i);
      const auto d = static_cast<size_t>(numbers.getScatterDimsToOperandDims()[static_cast<size_t>(c)]);
      int64_t& v = indices.Mutable<int64_t>()[static_cast<size_t>(i)];
      v = f(v, faulty.in(0).shape()[d], 1);
    }
    return faulty.Right();
  };
}

int64_t Wrapped(int64_t v, int64_t extent, int64_t) { return extent == 0 ? v : (v % extent + extent) % extent; }
int64_t PythonNegative(int64_t v, int64_t extent, int64_t) { return v < 0 && v >= -extent ? v + extent : v; }
int64_t OneLess(int64_t v, int64_t, int64_t) { return std::max<int64_t>(v - 1, 0); }
int64_t Clamped(int64_t v, int64_t extent, int64_t) {
  return std::clamp<int64_t>(v, 0, std::max<int64_t>(extent - 1, 0));
}

int64_t LowHalf(int64_t v, int64_t, int64_t) { return static_cast<int16_t>(v); }
int64_t LastLeftOut(int64_t v, int64_t extent, int64_t slice) {
  return std::min(v, std::max<int64_t>(extent - slice - 1, 0));
}

// Slices out of bounds are filled with zeros instead of being moved inside.
Expected<Values> GatherFills(FaultyOp& faulty) {
  auto gather = llvm::dyn_cast<stablehlo::GatherOp>(faulty.op());
  Expected<Values> results = faulty.Right();
  if (!gather || !results) return results;
  const auto numbers = gather.getDimensionNumbers();
  // One slice per index vector; for results with the batch dimensions first.
  const Tensor indices = faulty.in(1);
  const reference::IndexMap map{numbers.getStartIndexMap(), numbers.getOperandBatchingDims(),
                                numbers.getStartIndicesBatchingDims(), numbers.getIndexVectorDim()};
  const int64_t vectors = reference::SizeOf(map.BatchShape(indices.shape()));
  Tensor& t = (*results)[0].tensor();
  if (vectors == 0 || t.kind() == reference::ElementKind::kComplex) return results;
  const int64_t slice = t.size() / vectors;
  int64_t n = 0;
  std::vector<bool> outside(static_cast<size_t>(vectors));
  map.ForEach(indices, faulty.in(0).shape(), [&](const reference::Shape&, const reference::Shape& start) {
    for (size_t d = 0; d < start.size(); ++d) {
      const int64_t last = faulty.in(0).shape()[d] - gather.getSliceSizes()[d];
      if (start[d] < 0 || start[d] > last) outside[static_cast<size_t>(n)] = true;
    }
    ++n;
  });
  EachIndexed(t, [&](double v, int64_t i) { return outside[static_cast<size_t>(i / slice)] ? 0 : v; });
  return results;
}

// Changes the start indices of dynamic_slice and dynamic_update_slice, which are the operands from `first` on.
OpFault Starts(size_t first, bool update, IndexFn f) {
  return [=](FaultyOp& faulty) {
    for (size_t d = 0; first + d < faulty.size(); ++d) {
      const int64_t extent = faulty.in(0).shape()[d];
      const int64_t slice = update ? faulty.in(1).shape()[d] : faulty.context().Ints("slice_sizes")[d];
      EachInteger(faulty.in(first + d), [&](int64_t v) { return f(v, extent, slice); });
    }
    return faulty.Right();
  };
}

// An update that does not fit is dropped instead of being moved inside.
Expected<Values> UpdateDropped(FaultyOp& faulty) {
  for (size_t d = 0; 2 + d < faulty.size(); ++d) {
    const int64_t v = faulty.in(2 + d).IntegerAt(0);
    if (v < 0 || v > faulty.in(0).shape()[d] - faulty.in(1).shape()[d]) return Values{faulty.in(0)};
  }
  return faulty.Right();
}

// The region returns the update: of several updates of one element the last one wins.
Expected<Values> LastUpdateWins(FaultyOp& faulty) {
  if (faulty.size() != 3) return faulty.Right();
  mlir::Block& body = faulty.op()->getRegion(0).front();
  const mlir::Value was = body.back().getOperand(0);
  body.back().setOperand(0, body.getArgument(1));
  Expected<Values> results = faulty.Right();
  body.back().setOperand(0, was);
  return results;
}

}  // namespace

void AddIndexFaults(std::vector<Fault>& faults) {
  const OpFaults op(faults);
  op("gather_wraps", "indices out of bounds wrap around instead of being clamped", "stablehlo.gather",
     GatherIndices(&Wrapped));
  op("gather_negative_from_end", "negative indices count from the end", "stablehlo.gather",
     GatherIndices(&PythonNegative));
  op("gather_fills_zero", "slices out of bounds are zero", "stablehlo.gather", &GatherFills);
  op("gather_off_by_one", "indices are one too small", "stablehlo.gather", GatherIndices(&OneLess));
  op("gather_index_i16", "indices are read as integers of 16 bits", "stablehlo.gather", GatherIndices(&LowHalf));
  op("gather_last_left_out", "the last slice cannot be reached", "stablehlo.gather", GatherIndices(&LastLeftOut));
  op("gather_one_index", "every slice is that of the first index", "stablehlo.gather", [](FaultyOp& faulty) {
    const auto numbers = llvm::cast<stablehlo::GatherOp>(faulty.op()).getDimensionNumbers();
    Tensor& indices = faulty.in(1);
    for (int64_t d = 0; d < indices.rank(); ++d) {
      if (d != numbers.getIndexVectorDim()) indices = Rearranged(indices, d, [](int64_t) { return 0; });
    }
    return faulty.Right();
  });
  op("gather_components_swapped", "the two components of an index exchanged", "stablehlo.gather", [](FaultyOp& faulty) {
    const auto numbers = llvm::cast<stablehlo::GatherOp>(faulty.op()).getDimensionNumbers();
    const int64_t d = numbers.getIndexVectorDim();
    if (numbers.getStartIndexMap().size() == 2 && d < faulty.in(1).rank()) faulty.in(1) = Reversed(faulty.in(1), d);
    return faulty.Right();
  });
  op("scatter_clamps", "updates out of bounds are clamped instead of dropped", "stablehlo.scatter",
     ScatterIndices(&Clamped));
  op("scatter_wraps", "updates out of bounds wrap around", "stablehlo.scatter", ScatterIndices(&PythonNegative));
  op("scatter_duplicates_lost", "of several updates of one place only the last counts", "stablehlo.scatter",
     &LastUpdateWins);
  op("scatter_operand_ignored", "updates are combined with 0 instead of the operand", "stablehlo.scatter",
     [](FaultyOp& faulty) {
       faulty.in(0) = Tensor::Zeros(faulty.in(0).type(), faulty.in(0).shape());
       return faulty.Right();
     });
  op("dynamic_slice_wraps", "start indices wrap around instead of being clamped", "stablehlo.dynamic_slice",
     Starts(1, false, &Wrapped));
  op("dynamic_slice_clamps_to_extent", "start indices are clamped to the extent, not to where the slice fits",
     "stablehlo.dynamic_slice", [](FaultyOp& faulty) {
       const std::vector<int64_t> sizes = faulty.context().Ints("slice_sizes");
       Tensor x = faulty.in(0);
       std::vector<int64_t> high(sizes.begin(), sizes.end());
       for (size_t d = 0; d < sizes.size(); ++d) {
         const int64_t extent = x.shape()[d];
         EachInteger(faulty.in(1 + d), [&](int64_t v) { return std::clamp<int64_t>(v, 0, extent - 1); });
       }
       const std::vector<int64_t> zeros(sizes.size(), 0);
       faulty.in(0) = reference::Pad(x, Tensor::Zeros(x.type(), {}), zeros, high, zeros);
       return faulty.Right();
     });
  op("dynamic_slice_off_by_one", "slices start one element early", "stablehlo.dynamic_slice",
     Starts(1, false, &OneLess));
  op("dynamic_update_slice_dropped", "an update that does not fit is dropped", "stablehlo.dynamic_update_slice",
     &UpdateDropped);
  op("dynamic_update_slice_off_by_one", "updates start one element early", "stablehlo.dynamic_update_slice",
     Starts(2, true, &OneLess));
}

}  // namespace opbyop::fault_injection
