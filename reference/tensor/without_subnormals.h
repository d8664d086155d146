// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of a program in which this thread takes subnormal operands and results of float and double for zero.
//
//   {
//     const WithoutSubnormals fast;
//     sgemm(...);
//   }
//
// Processors of x86 need a hundred times as long for an operation on a subnormal number. Others are left as they are.
#ifndef OPBYOP_REFERENCE_TENSOR_WITHOUT_SUBNORMALS_H_
#define OPBYOP_REFERENCE_TENSOR_WITHOUT_SUBNORMALS_H_

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace opbyop::reference {

class WithoutSubnormals {
 public:
  WithoutSubnormals(const WithoutSubnormals&) = delete;
  WithoutSubnormals& operator=(const WithoutSubnormals&) = delete;
#if defined(__SSE2__)
  WithoutSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kResults | kOperands); }
  ~WithoutSubnormals() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kResults = 0x8000, kOperands = 0x0040;
  unsigned before_;
#else
  WithoutSubnormals() = default;
  ~WithoutSubnormals() {}
#endif
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_WITHOUT_SUBNORMALS_H_
