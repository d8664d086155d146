// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The programs of one op as a model: a module whose @main has one op for each, on arguments of its own, so that
// splitting it (generator/split/splitter.h) makes their cases.
//
//   ProgramBuilder builder(context);
//   for (const Recipe* recipe : recipes) builder.Add(*recipe, Combine(*recipe, Level::kSmoke));
//   Expected<mlir::OwningOpRef<mlir::ModuleOp>> model = builder.Finish();
//
// Result types that a recipe leaves out are those that the op infers. Every program is verified.
#ifndef OPBYOP_GENERATOR_SUITE_PROGRAM_H_
#define OPBYOP_GENERATOR_SUITE_PROGRAM_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/suite/recipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace opbyop::generator {

// An op in generic form, and what it needs around it.
struct OpText {
  std::vector<std::string> arguments;       // "%v3_0: tensor<2xf32>"
  std::vector<std::string> argument_types;  // "tensor<2xf32>"
  std::string op;                           // the constants among its operands, and the op
  std::vector<std::string> results;         // types, where the recipe states them
  std::string element;                      // of the result, where only its shape is inferred
  std::string symbols;
};

// `id` makes the names of values distinct. `covers`: what the program exercises; nullopt: the op does not say it.
OpText WriteOp(const Recipe& recipe, std::map<std::string, std::string> values, const std::string& id,
               const std::optional<std::vector<std::string>>& covers);

class ProgramBuilder {
 public:
  // The context must have this project's dialects.
  explicit ProgramBuilder(mlir::MLIRContext& context) : context_(context) {}

  void Add(const Recipe& recipe, const std::vector<Binding>& bindings);

  // kBadInput where a program is not valid, with the recipe's place, the program and what is wrong with it.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Finish();

 private:
  struct Program {
    const Recipe* recipe;
    OpText text;
  };

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Parse(const Program* begin, const Program* end);

  mlir::MLIRContext& context_;
  std::vector<Program> programs_;
};

// At commas outside of brackets and quotes, without blanks around.
std::vector<std::string> SplitList(std::string_view text);

// "$S $T" with S 2x3 and T f32 is "2x3 f32"; a name that is not bound stays as it is.
std::string Substitute(std::string_view text, const std::map<std::string, std::string>& values);

// "2x3 f32" -> "tensor<2x3xf32>", "f32" and "scalar f32" -> "tensor<f32>"; types in full as they are.
std::string TypeText(std::string_view item);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PROGRAM_H_
