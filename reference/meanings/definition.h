// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function that says what a call means, and how it fits a call (reference/meanings/meanings.h).
//
//   if (const std::optional<Fit> fit = FitOf(definition, op)) {
//     Expected<FuncOp> function = Instantiate(definition, op, *fit, "opbyop.meaning.0.trsm");
//   }
#ifndef OPBYOP_REFERENCE_MEANINGS_DEFINITION_H_
#define OPBYOP_REFERENCE_MEANINGS_DEFINITION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reference/meanings/properties.h"
#include "support/expected.h"

namespace opbyop::reference {

struct Definition {
  mlir::func::FuncOp function;
  const Property* property = nullptr;  // judges the results instead of computing them

  // The types of the operands that a call has. Further arguments are attributes of the call.
  std::vector<mlir::Type> OperandTypes() const;
};

// How a definition fits a call of other types.
struct Fit {
  llvm::DenseMap<mlir::Type, mlir::Type> elements;  // element types of the definition -> those of the call
  std::vector<int64_t> batch;                       // dimensions before those of the definition

  bool is_exact = false;  // the definition has the very types of the call
};

// Reads a function; nullopt if it only helps others. kBadInput if it cannot be used.
Expected<std::optional<Definition>> ReadDefinition(mlir::func::FuncOp function);

// The names that the definition is for.
std::vector<std::string> TargetsOf(const Definition& definition);

// Whether the types and attributes of a call are among those that the definition is for.
std::optional<Fit> FitOf(const Definition& definition, mlir::Operation* op);

// Returns a copy of the function for the element types of the call, with the attributes of the call as constants. It is
// in no module yet.
Expected<mlir::func::FuncOp> Instantiate(const Definition& definition, mlir::Operation* op, const Fit& fit,
                                         const std::string& name);

// Returns the options of a property for a call, or what the call lacks.
Expected<std::map<std::string, double, std::less<>>> OptionsOf(const Definition& definition, mlir::Operation* op);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_DEFINITION_H_
