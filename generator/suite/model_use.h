// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts what models exercise of a suite: with which element types an op of a model is under a constraint, and which
// combinations of element types and ranks no case of the suite has.
//
//   Expected<std::vector<CaseText>> models = CasesOfModels(CommittedModels());
//   const ModelUse use = UseOfModels(*models, *cases);
//   use.at("dot_general").types_of.at("C13")   // {"bf16", "f32"}
#ifndef OPBYOP_GENERATOR_SUITE_MODEL_USE_H_
#define OPBYOP_GENERATOR_SUITE_MODEL_USE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/suite/coverage.h"
#include "support/expected.h"

namespace opbyop::generator {

// The folders of the committed models, in the source tree.
std::vector<std::string> CommittedModels();

// A case of a model: its program, and the first model that has it.
struct CaseText {
  std::string text;
  std::string model;
};

// Reads and splits the models of these folders. An error names the model that cannot be read.
Expected<std::vector<CaseText>> CasesOfModels(const std::vector<std::string>& folders);

// A case of a model exercises the constraints that all cases of the suite exercise which have the same op, and the same
// element types and ranks of operands and results. If the suite has none, those that all cases of the op exercise.
ModelUse UseOfModels(const std::vector<CaseText>& models, const SuiteCases& cases);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_MODEL_USE_H_
