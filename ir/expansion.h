// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How large the parts of a module are once they are written out. Attributes, types and locations share what they have
// in common, so that a kilobyte of text can hold one that nobody has the time to print, to hash or to compare:
//
//   !t1 = tuple<!t0, !t0>
//   !t2 = tuple<!t1, !t1>     // forty of these lines make a type of 10^12 elements
//
//   if (Expected<void> done = CheckExpansion(*module, name, bytes.size()); !done) return Unexpected(done.error());
#ifndef OPBYOP_IR_EXPANSION_H_
#define OPBYOP_IR_EXPANSION_H_

#include <cstdint>
#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

// What an attribute, a type or a location may consist of, if the file is not larger.
inline constexpr int64_t kMostParts = 1'000'000;

// kBadInput where one has more parts than that, and more than the file has bytes; the message names its operation.
// Takes time in proportion to what is in memory. The module need not be valid.
Expected<void> CheckExpansion(mlir::ModuleOp module, std::string_view file, int64_t file_bytes);

}  // namespace opbyop

#endif  // OPBYOP_IR_EXPANSION_H_
