// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes an op, or several, as a case, without its id and origins.
//
//   Case c = DescribeCase(op, inputs, digest, grid);   // inputs and outputs, attributes, flops, bytes
#ifndef OPBYOP_GENERATOR_PROGRAM_DESCRIBE_CASE_H_
#define OPBYOP_GENERATOR_PROGRAM_DESCRIBE_CASE_H_

#include <memory>
#include <string_view>

#include "generator/program/canonical_hash.h"
#include "generator/program/constants.h"
#include "generator/program/op_group.h"
#include "manifests/cases/case.h"
#include "mlir/IR/Operation.h"

namespace opbyop::generator {

// `grid` is that of ProcessGrid::Of; `sharding` is set for a sharded case.
Case DescribeCase(mlir::Operation* op, const CaseInputs& inputs, const Digest& digest, const Grid& grid,
                  std::shared_ptr<const CaseSharding> sharding = nullptr);

// Describes several ops as the case of a window, a module, a layer or a segment: `word` (kWindow, ...) is its op.
Case DescribeCase(std::string_view word, const OpGroup& group, const CaseInputs& inputs, const Digest& digest,
                  const Grid& grid);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_DESCRIBE_CASE_H_
