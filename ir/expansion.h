// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits the size of attributes, types and locations when they are written out in full. In memory they share equal
// parts, so a kilobyte of text can define one that takes too long to print, to hash or to compare:
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

// The greatest number of parts that an attribute, a type or a location may have. If the file has more bytes, their
// number is the limit.
inline constexpr int64_t kMostParts = 1'000'000;

// Returns kBadInput if one exceeds the limit; the message names its operation. Takes time proportional to the shared
// form in memory. The module need not be valid.
Expected<void> CheckExpansion(mlir::ModuleOp module, std::string_view file, int64_t file_bytes);

}  // namespace opbyop

#endif  // OPBYOP_IR_EXPANSION_H_
