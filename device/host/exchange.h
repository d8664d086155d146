// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exchanges between processes that run as threads of one program. Generated code calls these functions:
//
//   opbyop_exchange(own, all, bytes, groups, rows, columns)   // `all` gets the tensors of the members of the own group
//   opbyop_process()                                          // the number of the calling process
//
// `groups` is a matrix of processes, one group in each row, padded with -1.
#ifndef OPBYOP_DEVICE_HOST_EXCHANGE_H_
#define OPBYOP_DEVICE_HOST_EXCHANGE_H_

#include <llvm/ADT/StringRef.h>

namespace opbyop::host {

// Custom calls of StableHLO between opbyop-lower-collectives, which makes them, and opbyop-stablehlo-to-linalg.
// kExchangeCall takes a tensor of shape S and returns one of shape C x S, with the tensors of the C members of the
// group in its order; kGroupsAttribute is the matrix of groups. A process that is in no group gets zeros. kProcessCall
// returns the number of the process as a scalar of i32.
inline constexpr llvm::StringLiteral kExchangeCall = "opbyop.exchange";
inline constexpr llvm::StringLiteral kProcessCall = "opbyop.process";
inline constexpr llvm::StringLiteral kGroupsAttribute = "opbyop.groups";

// Symbols of the functions in generated code.
inline constexpr llvm::StringLiteral kExchangeSymbol = "opbyop_exchange";
inline constexpr llvm::StringLiteral kProcessSymbol = "opbyop_process";

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_EXCHANGE_H_
