// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: evaluates a program that is given as text.
//
//   Tensor t = EvaluateText("func.func @main(...) ...", {a, b})[0].tensor();
#ifndef OPBYOP_REFERENCE_EVAL_EVALUATE_TEXT_H_
#define OPBYOP_REFERENCE_EVAL_EVALUATE_TEXT_H_

#include <string>
#include <vector>

#include "ir/read_module.h"
#include "mlir/IR/MLIRContext.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

inline Expected<Values> EvaluateText(const std::string& text, Values arguments = {}, EvalOptions options = {}) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, "test.mlir", context);
  if (!module) return Unexpected(module.error());
  const Expected<mlir::Operation*> entry = EntryOf(module->get());
  if (!entry) return Unexpected(entry.error());
  Evaluator evaluator(module->get(), std::move(options));
  return evaluator.CallFunction(*entry, std::move(arguments));
}

inline Tensor F32(Shape shape, const std::vector<double>& values) {
  return Tensor::Of<double>(ElementType::kF32, std::move(shape), values);
}
inline Tensor I32(Shape shape, const std::vector<int64_t>& values) {
  return Tensor::Of<int64_t>(ElementType::kI32, std::move(shape), values);
}
template <typename T>
std::vector<T> Elements(const Tensor& t) {
  return {t.data<T>().begin(), t.data<T>().end()};
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_EVALUATE_TEXT_H_
