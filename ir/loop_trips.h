// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How often the body of a stablehlo.while runs, as far as its text tells.
//
//   std::optional<int64_t> trips = TripsOf(loop);   // 32 for `i = 0; while (i < 32) i += 1`
#ifndef OPBYOP_IR_LOOP_TRIPS_H_
#define OPBYOP_IR_LOOP_TRIPS_H_

#include <cstdint>
#include <optional>

#include "mlir/IR/Operation.h"

namespace opbyop {

// The number of trips of a loop that counts by a constant from a constant to a constant. Returns nullopt for any other
// loop, and for any other op.
std::optional<int64_t> TripsOf(mlir::Operation& loop);

// The two constants that a loop's condition compares: the initial value of a counter, and its limit. Returns nullopt if
// one of them is no constant. The steps of the counter may be unknown.
struct CountedRange {
  int64_t from = 0;
  int64_t to = 0;
};
std::optional<CountedRange> CountedRangeOf(mlir::Operation& loop);

}  // namespace opbyop

#endif  // OPBYOP_IR_LOOP_TRIPS_H_
