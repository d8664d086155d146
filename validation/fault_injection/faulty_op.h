// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One op about to be done wrongly: the tools that faults are made of.
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

  // The right answer for the operands as they now are, in the declared shapes: too much is cut, what is missing
  // is zero.
  Expected<reference::Values> Right();

  // The op with its float operands and results held as `type`, whose values need not be numbers of the declared
  // type then. With `stepped` every product and every partial sum is rounded to `type`, in index order; kF64
  // without it is the result before its rounding.
  Expected<reference::Values> As(reference::ElementType type, bool stepped);

  // The right answer to a question nobody asked: the op with another attribute, which is restored.
  Expected<reference::Values> With(llvm::StringRef attribute, mlir::Attribute value);
  // The same for a list of integers or booleans (`padding` too), changed in place.
  Expected<reference::Values> WithInts(llvm::StringRef attribute, size_t count, int64_t otherwise,
                                       const IntsFn& change);

  // Every real number of every float or complex operand, or of one.
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

// Part [low, high) of dimension `d`.
reference::Tensor SliceOf(const reference::Tensor& t, int64_t d, int64_t low, int64_t high);
// Elements beyond `shape` cut, missing ones zero; a tensor of another rank is read in row-major order.
reference::Tensor FitTo(const reference::Tensor& t, const reference::Shape& shape);
// Elements in the order that `places` gives: out[i] = t[places[i]], bounds dropped.
reference::Tensor Permuted(const reference::Tensor& t, const std::vector<int64_t>& places);
// Reversed along dimension `d`.
reference::Tensor Reversed(const reference::Tensor& t, int64_t d);
// Coordinate c along dimension `d` holds what was at from(c).
reference::Tensor Rearranged(const reference::Tensor& t, int64_t d, const std::function<int64_t(int64_t)>& from);
// Two dimensions exchanged where they are of one size; else the tensor as it is.
reference::Tensor Exchanged(const reference::Tensor& t, int64_t a, int64_t b);

// Rounded to `bits` significant bits, of any exponent.
double KeepBits(double v, int bits);

}  // namespace opbyop::fault_injection

#endif  // OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_OP_H_
