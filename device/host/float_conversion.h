// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions between 16-bit floats and wider ones. LLVM leaves them to a runtime library, which this process may not
// have (libgcc 12 does not support bfloat16).
#ifndef OPBYOP_DEVICE_HOST_FLOAT_CONVERSION_H_
#define OPBYOP_DEVICE_HOST_FLOAT_CONVERSION_H_

#include <span>

namespace opbyop::host {

struct FloatConversion {
  const char* symbol;  // "__truncsfbf2"
  void* function;
};

std::span<const FloatConversion> FloatConversions();

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_FLOAT_CONVERSION_H_
