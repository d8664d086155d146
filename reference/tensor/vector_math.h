// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions of many f32 numbers at once: the numbers that the function in f64 gives, rounded to f32, in a fraction of
// its time.
//
//   const VectorFunction* tanh = FindVectorFunction("stablehlo.tanh");   // nullptr: this machine has none
//   MapToF32(*tanh, {x}, {}, n, out, [&](int64_t i) { return std::tanh(x[i]); });
//
// libmvec, glibc's vectors of f64, is within four ULPs of f64. That decides how nearly every result is rounded to f32.
// An element whose interval contains a middle of two neighbours, or that is no ordinary number, is computed one by one.
// The results therefore do not depend on the library, on the processor or on the order.
#ifndef OPBYOP_REFERENCE_TENSOR_VECTOR_MATH_H_
#define OPBYOP_REFERENCE_TENSOR_VECTOR_MATH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace opbyop::reference {

struct VectorFunction {
  std::string_view op;
  int operands = 1;
  // Sets out[i] to the function of x[i], or of x[i] and y[i], within `relative` times its modulus plus `absolute`, or to
  // NaN if that is not known. `count` is a multiple of 4 and at most kVectorBlock.
  void (*approximate)(const double* x, const double* y, size_t count, double* out) = nullptr;
  double relative = 0x1p-47;
  double absolute = 0;
};

inline constexpr size_t kVectorBlock = 512;

// Returns nullptr if the op has no such function, or if this machine has no AVX2 or no libmvec. The library is loaded
// by the first call.
const VectorFunction* FindVectorFunction(std::string_view op);
// All functions that this machine has.
std::span<const VectorFunction> VectorFunctions();

// The numbers to which a function is applied: one per element, or the same for all.
struct VectorOperand {
  const double* values = nullptr;
  bool same = false;
};

// Sets out[i], for i < count, to exact(i) rounded to f32. Calls `exact` only where the vector function is too near the
// middle of two neighbours. `out` must not overlap the operands.
void MapToF32(const VectorFunction& function, VectorOperand x, VectorOperand y, int64_t count, double* out,
              llvm::function_ref<double(int64_t)> exact);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_VECTOR_MATH_H_
