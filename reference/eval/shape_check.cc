// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/shape_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/eval/estimate.h"
#include "support/countable.h"

namespace opbyop::reference {

Expected<void> CheckShape(const OpContext& context, const Shape& shape) {
  const auto negative = std::ranges::find_if(shape, [](int64_t extent) { return extent < 0; });
  if (negative != shape.end()) {
    return context.Fail(ExitCode::kBadInput, fmt::format("a shape with the extent {}", *negative));
  }
  double bytes = sizeof(double);
  for (const int64_t extent : shape) bytes *= static_cast<double>(extent);
  const double memory = LimitsOfMachine().bytes;
  if (IsCountable(shape) && bytes <= memory) return {};
  return context.Fail(ExitCode::kBadInput, fmt::format("a result of {:.1f} GB, this machine has {:.1f} GB of memory",
                                                       bytes / 1e9, memory / 1e9));
}

Expected<Shape> ShapeAt(const OpContext& context, size_t operand) {
  Shape shape = context.in(operand).Integers();
  if (const Expected<void> fits = CheckShape(context, shape); !fits) return Unexpected(fits.error());
  return shape;
}

}  // namespace opbyop::reference
