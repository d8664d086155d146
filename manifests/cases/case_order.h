// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An order for work that may be interrupted: cheap cases first, so that as many as possible have run by then.
//
//   std::ranges::sort(cases, CheapestFirst());      // of Case or const Case*
#ifndef OPBYOP_MANIFESTS_CASES_CASE_ORDER_H_
#define OPBYOP_MANIFESTS_CASES_CASE_ORDER_H_

#include <tuple>

#include "manifests/cases/case.h"

namespace opbyop {

// By operations and bytes moved, then by id.
struct CheapestFirst {
  bool operator()(const Case& a, const Case& b) const {
    const int64_t cost_a = a.flops + a.bytes;
    const int64_t cost_b = b.flops + b.bytes;
    return std::tie(cost_a, a.id) < std::tie(cost_b, b.id);
  }
  bool operator()(const Case* a, const Case* b) const { return (*this)(*a, *b); }
};

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_CASE_ORDER_H_
