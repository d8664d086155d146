// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program that is one function of each element: its arguments may hold every combination of values, one per element.
//
//   std::optional<ElementwiseProgram> program = ElementwiseProgramOf(entry);   // of an add: {"stablehlo.add", {0, 1}}
#ifndef OPBYOP_REFERENCE_EVAL_ELEMENTWISE_PROGRAM_H_
#define OPBYOP_REFERENCE_EVAL_ELEMENTWISE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlir/IR/Operation.h"

namespace opbyop::reference {

struct ElementwiseProgram {
  std::string
      function;  // the op that computes; of a composite or custom call that stands for a CHLO op, this one's name
  std::vector<unsigned> arguments;  // of as many elements as the function has, by number: element i of each meets in it
  int64_t elements = 0;             // of the result
  bool orders_nan = false;          // a comparison in total order, in which every code for NaN has its place
};

// Describes a program whose only op beside constants is evaluated element by element (IsElementwise) on plain tensors.
// bitcast_convert is such an op too; if it joins elements, an element of the result takes several of the argument.
std::optional<ElementwiseProgram> ElementwiseProgramOf(mlir::Operation* entry);

// The name under which the tables know an op: CHLO's for composites and custom calls that stand for one, that of the
// op itself for CHLO's broadcasting ones.
std::string NativeNameOf(mlir::Operation* op);

// A constant, perhaps broadcast or converted.
bool IsConstantChain(mlir::Value value);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ELEMENTWISE_PROGRAM_H_
