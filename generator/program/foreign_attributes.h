// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes of dialects that are unknown here: notes of a vendor's frontend, such as `ttcore.argument_type`. They do
// not change an op's meaning, so they are not part of a case. (All attributes of an op of an unknown dialect are part
// of it.) The manifest lists them in the origins, for targets that want them (generator/split/kept_attributes.h).
//
//   ForeignAttributes foreign(module);              // removes them from the module
//   origin.attributes = foreign.Of(op, inputs);   // {{"argument 0", "ttcore.argument_type", "#ttcore..."}, ...}
#ifndef OPBYOP_GENERATOR_PROGRAM_FOREIGN_ATTRIBUTES_H_
#define OPBYOP_GENERATOR_PROGRAM_FOREIGN_ATTRIBUTES_H_

#include <vector>

#include "generator/program/constants.h"
#include "llvm/ADT/DenseMap.h"
#include "manifests/cases/case.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {

class ForeignAttributes {
 public:
  // Removes them from `module`, except those that are inert for every case (generator/program/inert_attributes.h): a
  // compiler's own IR is written with them.
  explicit ForeignAttributes(mlir::ModuleOp module);

  // Whether there are any foreign attributes.
  bool any() const { return !of_ops_.empty() || !of_arguments_.empty() || !of_results_.empty(); }

  // The attributes of the module, of the function around `op`, of the function's arguments that are inputs of the case,
  // of the function's results that are results of `op`, and of `op` itself. Inputs and results of a manual computation
  // stand for its operands and results. An argument without attributes takes those of the values that calls pass for
  // it, if every call passes an argument with the same ones.
  std::vector<PlacedAttribute> Of(mlir::Operation* op, const CaseInputs& inputs);

  // The attributes of a whole model: of the module, the function, and all its arguments and results.
  std::vector<PlacedAttribute> OfWhole(mlir::FunctionOpInterface function);

 private:
  using Value = std::pair<mlir::Operation*, unsigned>;  // a function and the index of its argument or result

  void RemoveFrom(mlir::Operation* op);
  mlir::DictionaryAttr OfArgument(mlir::FunctionOpInterface function, unsigned index);
  mlir::DictionaryAttr OfReturned(mlir::Value value, mlir::FunctionOpInterface function) const;
  void Add(const std::string& place, mlir::DictionaryAttr attributes, std::vector<PlacedAttribute>& list);
  void AddAround(mlir::FunctionOpInterface function, std::vector<PlacedAttribute>& list);

  llvm::DenseMap<mlir::Operation*, mlir::DictionaryAttr> of_ops_;
  llvm::DenseMap<Value, mlir::DictionaryAttr> of_arguments_;
  llvm::DenseMap<Value, mlir::DictionaryAttr> of_results_;
  llvm::DenseMap<Value, mlir::DictionaryAttr> passed_;  // found by OfArgument
  llvm::DenseMap<mlir::Operation*, llvm::SmallVector<mlir::Operation*>>
      calls_;  // calls and composites of each function
  llvm::DenseMap<mlir::Attribute, std::string> texts_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_FOREIGN_ATTRIBUTES_H_
