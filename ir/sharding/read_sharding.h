// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads how a program states the division of a tensor: attributes of Shardy, whose axes have names. Texts of
// `mhlo.sharding` are read by support/sharding/sharding_text.h.
//
//   // x: 2 devices, y: 4 devices; tensor<16x8xf32> with [{"x"}, {"y"}]
//   Expected<Sharding> s = ReadSharding(attribute, 2, op);   // {{{.stride = 4, .size = 2}}, {{.stride = 1, .size = 4}}}
#ifndef OPBYOP_IR_SHARDING_READ_SHARDING_H_
#define OPBYOP_IR_SHARDING_READ_SHARDING_H_

#include <cstddef>

#include "ir/sdy/sdy.h"
#include "mlir/IR/Operation.h"
#include "support/expected.h"
#include "support/sharding/axes.h"

namespace opbyop {

// Reads the sharding of a tensor of `rank` dimensions; `op` is any op that sees the mesh. Returns kUnsupported for a mesh
// or an axis that is unknown or too large.
Expected<Sharding> ReadSharding(sdy::TensorShardingAttr sharding, size_t rank, mlir::Operation* op);

// Whether the op only says how its operand is divided: an sdy.sharding_constraint or a custom call @Sharding.
bool StatesSharding(mlir::Operation* op);

}  // namespace opbyop

#endif  // OPBYOP_IR_SHARDING_READ_SHARDING_H_
