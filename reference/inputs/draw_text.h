// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: generates the inputs of a program that is given as text.
#ifndef OPBYOP_REFERENCE_INPUTS_DRAW_TEXT_H_
#define OPBYOP_REFERENCE_INPUTS_DRAW_TEXT_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/inputs/inputs.h"

namespace opbyop::reference {

inline std::vector<Tensor> DrawText(const std::string& text, InputKind kind, uint64_t seed = 1) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ReadModuleFromBytes(text, "test.mlir", context);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  std::vector<Tensor> tensors;
  const auto inputs = MakeInputs(module->get(), kind, SeedOf("case", seed));
  EXPECT_TRUE(inputs.has_value()) << (inputs ? "" : inputs.error().message);
  for (const InputData& input : *inputs) tensors.push_back(*TensorFromBytes(input.type, input.shape, input.bytes));
  return tensors;
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_DRAW_TEXT_H_
