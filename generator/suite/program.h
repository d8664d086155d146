// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds the programs of one op as a model: @main of the module has one op for each program, on arguments of its own.
// Splitting it (generator/split/splitter.h) makes the cases.
//
//   ProgramBuilder builder(context);
//   for (const Recipe* recipe : recipes) builder.Add(*recipe, Combine(*recipe, Level::kSmoke));
//   Expected<mlir::OwningOpRef<mlir::ModuleOp>> model = builder.Finish();
//
// Result types that a recipe leaves out are inferred by the op. Every program is verified.
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

// An op in generic form, with its arguments, operands and result types.
struct OpText {
  std::vector<std::string> arguments;       // "%v3_0: tensor<2xf32>"
  std::vector<std::string> argument_types;  // "tensor<2xf32>"
  std::string op;                           // the constants among its operands, and the op
  std::vector<std::string> results;         // result types, if the recipe states them
  std::string element;                      // element type of the result, if only its shape is inferred
  std::string symbols;
};

// `id` makes the names of values unique. `covers` lists what the program exercises; nullopt: the op gets no such
// attribute.
OpText WriteOp(const Recipe& recipe, std::map<std::string, std::string> values, const std::string& id,
               const std::optional<std::vector<std::string>>& covers);

class ProgramBuilder {
 public:
  // The context must have this project's dialects.
  explicit ProgramBuilder(mlir::MLIRContext& context) : context_(context) {}

  void Add(const Recipe& recipe, const std::vector<Binding>& bindings);

  // Returns kBadInput if a program is invalid, with the recipe's position, the program and its error.
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

// Splits at commas outside of brackets and quotes, and trims blanks.
std::vector<std::string> SplitList(std::string_view text);

// With S 2x3 and T f32, "$S $T" becomes "2x3 f32". A name that is not bound is left as it is.
std::string Substitute(std::string_view text, const std::map<std::string, std::string>& values);

// Expands "2x3 f32" to "tensor<2x3xf32>", "f32" and "scalar f32" to "tensor<f32>". Full types are unchanged.
std::string TypeText(std::string_view item);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_PROGRAM_H_
