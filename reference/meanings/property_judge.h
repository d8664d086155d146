// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Judges the results of a program that is one call whose meaning is a property (reference/meanings/properties.h).
//
//   Expected<PropertyJudge> judge = PropertyJudge::For(call, definition, fit);
//   judge->Prepare(inputs);                                            // positive definite for a Cholesky factorization
//   Expected<std::vector<Comparison>> c = judge->Judge(arguments, outputs, {});   // one for each output
#ifndef OPBYOP_REFERENCE_MEANINGS_PROPERTY_JUDGE_H_
#define OPBYOP_REFERENCE_MEANINGS_PROPERTY_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifests/results/result.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/bounds/compare.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"
#include "reference/meanings/definition.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

class PropertyJudge {
 public:
  // Returns kUnsupported if the call does not have the parts of the property, or if the results of the program are not
  // those of the call.
  static Expected<PropertyJudge> For(mlir::Operation* call, const Definition& definition, const Fit& fit);

  // Changes drawn inputs that are operands of the call, so that the factorization exists.
  Expected<void> Prepare(std::vector<InputData>& inputs) const;

  // `outputs` are the device's, of the types of the program's results. The declared precision of dot_general widens the
  // limits. An error is one of the reference.
  Expected<std::vector<Comparison>> Judge(Values arguments, const std::vector<Tensor>& outputs,
                                          const Arithmetic& declared, const CompareOptions& options) const;

  // Multiplications that a judgement takes, about.
  double Work() const;

 private:
  PropertyJudge() = default;
  // The parts of element number `number` of the batch. Results are left out if `outputs` is nullptr.
  FactorParts PartsOf(const std::vector<Tensor>& operands, const std::vector<Tensor>* outputs, int64_t number) const;
  Expected<std::vector<Requirement>> RequirementsOf(Values arguments, const std::vector<Tensor>& outputs,
                                                    const Arithmetic& declared) const;

  const Property* property_ = nullptr;
  std::map<std::string, double, std::less<>> options_;
  std::vector<int64_t> batch_;
  std::vector<std::string> operands_, results_;  // names, in the order of the call
  std::vector<size_t> result_of_output_;
  std::vector<std::optional<unsigned>> argument_of_operand_;
  std::vector<ElementType> operand_types_;
  double work_ = 0;
  mlir::OwningOpRef<mlir::ModuleOp> module_;  // its entry computes the operands of the call
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_PROPERTY_JUDGE_H_
