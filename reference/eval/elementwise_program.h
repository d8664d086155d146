// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognises a program that applies one function to each element. Such a program can be tested with many combinations
// of values at once, one per element.
//
//   std::optional<ElementwiseProgram> program = ElementwiseProgramOf(entry);   // for an add: {"stablehlo.add", {0, 1}}
#ifndef OPBYOP_REFERENCE_EVAL_ELEMENTWISE_PROGRAM_H_
#define OPBYOP_REFERENCE_EVAL_ELEMENTWISE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Operation.h"

namespace opbyop::reference {

struct ElementwiseProgram {
  std::string function;  // name of the op that computes, or of the CHLO op that a composite or custom call stands for
  std::vector<unsigned> arguments;  // numbers of the arguments that are its operands, element by element
  int64_t elements = 0;             // elements of the result
  bool orders_nan = false;          // a comparison in total order, which distinguishes the codes for NaN
};

// The one op of a function besides constants and those for which `is_given` is true. nullptr if there are none or
// several.
mlir::Operation* OnlyOpOf(mlir::Operation* entry, llvm::function_ref<bool(mlir::Operation&)> is_given = {});

// Describes a program that consists of constants and one op that is evaluated element by element (IsElementwise) on
// plain tensors. Returns nullopt for any other program. bitcast_convert is such an op too; if it joins elements, an
// element of the result takes several of the argument.
std::optional<ElementwiseProgram> ElementwiseProgramOf(mlir::Operation* entry);

// The name under which the tables list an op: the CHLO op's for composites and custom calls that stand for one, and the
// plain op's for CHLO's broadcasting forms.
std::string NativeNameOf(mlir::Operation* op);
// An attribute of such an op; composites and custom calls have those of the op they stand for in a dictionary. Null if
// there is none.
mlir::Attribute NativeAttributeOf(mlir::Operation* op, llvm::StringRef name);
// True for a composite that stands for an op of CHLO, which the evaluator knows.
bool IsNativeComposite(mlir::Operation* op);

// True if the value is a constant, possibly broadcast or converted.
bool IsConstantChain(mlir::Value value);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_ELEMENTWISE_PROGRAM_H_
