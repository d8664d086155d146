// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The programs of one op as a model: a module whose @main has one op for each, on arguments of its own, so that
// splitting it (generator/splitter.h) makes their cases.
//
//   ProgramBuilder builder(context);
//   for (const Recipe* recipe : recipes) builder.Add(*recipe, Combine(*recipe, Level::kSmoke));
//   Expected<mlir::OwningOpRef<mlir::ModuleOp>> model = builder.Finish();
//
// Result types that a recipe leaves out are those that the op infers. Every program is verified.
#ifndef OPBYOP_GENERATOR_SUITE_PROGRAM_H_
#define OPBYOP_GENERATOR_SUITE_PROGRAM_H_

#include <string>
#include <vector>

#include "generator/suite/recipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace opbyop::generator {

class ProgramBuilder {
 public:
  // Of a context with this project's dialects.
  explicit ProgramBuilder(mlir::MLIRContext& context) : context_(context) {}

  void Add(const Recipe& recipe, const std::vector<Binding>& bindings);

  // kBadInput where a program is not valid, with the recipe's place, the program and what is wrong with it.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Finish();

 private:
  struct Program {
    const Recipe* recipe;
    std::string arguments;  // "%v3_0: tensor<2xf32>, "
    std::string op;         // constants and the op, in generic form
    std::string symbols;
    std::string element;  // of the result, where only its shape is inferred
  };

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Parse(const Program* begin, const Program* end);

  mlir::MLIRContext& context_;
  std::vector<Program> programs_;
};

// "$S $T" with S 2x3 and T f32 is "2x3 f32"; a name that is not bound stays as it is.
std::string Substitute(std::string_view text, const std::map<std::string, std::string>& values);

// "2x3 f32" -> "tensor<2x3xf32>", "f32" and "scalar f32" -> "tensor<f32>"; types in full as they are.
std::string TypeText(std::string_view item);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PROGRAM_H_
