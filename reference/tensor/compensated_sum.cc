// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/compensated_sum.h"

#include "reference/tensor/clones.h"

namespace opbyop::reference {

OPBYOP_CLONES double CompensatedDot(const double* a, std::span<const int64_t> a_places, const double* b,
                                    std::span<const int64_t> b_places) {
  CompensatedSum sum;
  for (size_t p = 0; p < a_places.size(); ++p) sum.AddProduct(a[a_places[p]], b[b_places[p]]);
  return sum.Value();
}

}  // namespace opbyop::reference
