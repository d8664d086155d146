// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An op that a fault computes wrongly, and the tools with which faults do so.
//
//   [](FaultyOp& faulty) { return faulty.As(ElementType::kBf16, true); }             // accumulate in bf16
//   [](FaultyOp& faulty) { return faulty.WithInts("window_strides", [](auto& v) { v.assign(v.size(), 1); }); }
//   [](FaultyOp& faulty) { faulty.EachOperand(Truncate); return faulty.Right(); }
#ifndef OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_OP_H_
#define OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_OP_H_

#include <functional>
#include <string_view>
#include <vector>

#include "mlir/IR/Attributes.h"
#include "reference/eval/evaluator.h"

namespace opbyop::fault_injection {

using RealFn = std::function<double(double)>;
using IntsFn = std::function<void(std::vector<int64_t>&)>;

class FaultyOp {
 public:
  explicit FaultyOp(reference::OpContext& context) : context_(context) {}

  reference::OpContext& context() { return context_; }
  size_t size() const { return context_.size(); }
  reference::Tensor& in(size_t i) { return context_.operands[i].tensor(); }
  mlir::Operation* op() { return context_.op; }

  // The right answer for the current operands, in the declared shapes: larger results are cut, missing elements are
  // zero.
  Expected<reference::Values> Right();

  // Computes the op with its float operands and results held as `type`; the values need not be numbers of the declared
  // type then. With `stepped` every product and every partial sum is rounded to `type`, in index order. kF64 without
  // `stepped` is the result before its rounding.
  Expected<reference::Values> As(reference::ElementType type, bool stepped);

  // The right answer for another op: this one with a changed attribute, which is restored.
  Expected<reference::Values> With(llvm::StringRef attribute, mlir::Attribute value);
  // The same for a list of integers or booleans (`padding` too), changed in place.
  Expected<reference::Values> WithInts(llvm::StringRef attribute, size_t count, int64_t otherwise,
                                       const IntsFn& change);

  // Changes every real number of every float or complex operand, or of one operand.
  void EachOperand(const RealFn& f);
  void EachOf(size_t operand, const RealFn& f);

 private:
  Expected<reference::Values> Evaluate(reference::Evaluator& evaluator);

  reference::OpContext& context_;
};

// Applies f to every real number of a tensor and rounds to its type; other tensors stay.
void EachReal(reference::Tensor& t, const RealFn& f);
void EachReal(reference::Values& values, const RealFn& f);
// The same without rounding.
void EachRealRaw(reference::Tensor& t, const RealFn& f);
// Applies f to (element, index); rounds or wraps to the type.
void EachIndexed(reference::Tensor& t, const std::function<double(double, int64_t)>& f);
void EachInteger(reference::Tensor& t, const std::function<int64_t(int64_t)>& f);

// The part [low, high) of dimension `d`.
reference::Tensor SliceOf(const reference::Tensor& t, int64_t d, int64_t low, int64_t high);
// Cuts elements beyond `shape` and sets missing ones to zero; a tensor of another rank is read in row-major order.
reference::Tensor FitTo(const reference::Tensor& t, const reference::Shape& shape);
// Reorders elements by `places`: out[i] = t[places[i]]. Drops bounds.
reference::Tensor Permuted(const reference::Tensor& t, const std::vector<int64_t>& places);
// The elements moved by one place, in row-major order.
reference::Tensor Rotated(const reference::Tensor& t);
// Reverses along dimension `d`.
reference::Tensor Reversed(const reference::Tensor& t, int64_t d);
// Moves coordinate from(c) of dimension `d` to c.
reference::Tensor Rearranged(const reference::Tensor& t, int64_t d, const std::function<int64_t(int64_t)>& from);
// Exchanges two dimensions if they have the same size; otherwise returns the tensor unchanged.
reference::Tensor Exchanged(const reference::Tensor& t, int64_t a, int64_t b);

// Rounds to `bits` significant bits, with any exponent.
double KeepBits(double v, int bits);

}  // namespace opbyop::fault_injection

#endif  // OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_OP_H_
