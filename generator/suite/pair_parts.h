// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops that pairs are made of: those of the suite, and the same ops for other shapes.
//
//   Expected<PairParts> parts = PairParts::Make(context, suite, rules, Level::kSmoke);
//   for (const PairPart& part : parts->Of("stablehlo.add")) Take(part.result(), part.operand(0));
//   std::optional<PairPart> fits = parts->WithOperand("stablehlo.transpose", type);
#ifndef OPBYOP_GENERATOR_SUITE_PAIR_PARTS_H_
#define OPBYOP_GENERATOR_SUITE_PAIR_PARTS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/suite/combine.h"
#include "generator/suite/pair_rules.h"
#include "generator/suite/recipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop::generator {

// An op in a module of its parts' owner. Its operands are constants, or arguments of @main that only it uses.
struct PairPart {
  mlir::Operation* op = nullptr;

  std::string name() const { return op->getName().getStringRef().str(); }
  // Whether the operand is an argument, so that a result of another op can take its place.
  bool IsOpen(unsigned operand) const;
};

// Null if the value is no tensor.
mlir::RankedTensorType TensorOf(mlir::Value value);

// The type of a tensor's elements as text, "f32"; that of other values as a whole: "!stablehlo.token".
std::string ElementText(mlir::Type type);

class PairParts {
 public:
  // The context must have this project's dialects, and outlive the parts. Returns kBadInput if a recipe is invalid.
  static Expected<PairParts> Make(mlir::MLIRContext& context, const Suite& suite, const PairRules& rules, Level level);

  // Names of all ops, sorted.
  std::vector<std::string> Ops() const;
  // Those with tensors of a modest size, in order of the recipes. Empty if there is no such op.
  const std::vector<PairPart>& Of(const std::string& op) const;

  // The same elementwise op on tensors of another shape; nullopt if the op is of another kind, or if it then is invalid.
  std::optional<PairPart> Reshaped(const PairPart& part, llvm::ArrayRef<int64_t> shape);
  static bool CanReshape(const PairPart& part);

  // The op with that result or that first operand, by PairRules::before and after; nullopt if there is none.
  std::optional<PairPart> WithResult(const std::string& op, mlir::Type type);
  std::optional<PairPart> WithOperand(const std::string& op, mlir::Type type);

  // The module that holds the functions which parts name.
  mlir::ModuleOp module() const { return modules_.front().get(); }

 private:
  PairParts(mlir::MLIRContext& context, const PairRules& rules) : context_(&context), rules_(&rules) {}
  std::optional<PairPart> Shaped(const std::map<std::string, Recipe>& recipes, const std::string& op, mlir::Type type);

  mlir::MLIRContext* context_;
  const PairRules* rules_;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules_;
  std::map<std::string, std::vector<PairPart>> parts_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PAIR_PARTS_H_
