// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes one op, or several, as a program of their own: the content of the file of a case.
//
//   CaseWriter writer(module);   // defines the symbols that ops name
//   std::string text = writer.Write(op, inputs, {id, {"origin: bert, 12 ops"}});
//
//   // case: add_1x768_f32_1a2b3c4d
//   // origin: bert, 12 ops
//   module attributes {opbyop.case = "add_1x768_f32_1a2b3c4d"} {
//     func.func @main(%arg0: tensor<1x768xf32>) -> tensor<1x768xf32> {
//       %cst = stablehlo.constant dense<1.0> : tensor<1x768xf32>
//       %0 = stablehlo.add %arg0, %cst : tensor<1x768xf32>
//       return %0 : tensor<1x768xf32>
//     }
//   }
//
// Run-time operands and captured values are arguments, in order, each value once. Folded constants come before the op;
// functions that the op names come after @main, under new names. All results are returned. If the op depends on the
// number of replicas and partitions, the module states them. Every compiler can read the text
// (generator/program/program_text.h). A program of several ops is a model like any other: it has no `opbyop.case`.
#ifndef OPBYOP_GENERATOR_PROGRAM_CASE_WRITER_H_
#define OPBYOP_GENERATOR_PROGRAM_CASE_WRITER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generator/program/constants.h"
#include "generator/program/module_wrapper.h"
#include "generator/program/process_grid.h"
#include "manifests/cases/case.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop::generator {

// An attribute on the module of a per-op file, whose value is the case id. The folded ops of such a module are part of
// the case and are not ops of a model, so splitting a per-op file gives its case again.
inline constexpr std::string_view kCaseAttribute = "opbyop.case";

struct CaseHeader {
  std::string id;
  std::vector<std::string> notes;  // each is one comment line
};

// Returns the text of a per-op file: header comment, then `module` as ProgramText. Resource blobs of `module` become
// constants in it.
std::string CaseText(mlir::ModuleOp module, const CaseHeader& header);

class CaseWriter {
 public:
  explicit CaseWriter(mlir::ModuleOp module);

  // `attributes` are added to the program: those that a target keeps. They were printed from the source's module.
  std::string Write(const OpGroup& group, const CaseInputs& inputs, const CaseHeader& header,
                    std::span<const PlacedAttribute> attributes = {});

 private:
  mlir::OwningOpRef<mlir::ModuleOp> Build(const OpGroup& group, const CaseInputs& inputs, std::string_view id);

  mlir::ModuleOp source_;
  mlir::SymbolTable symbols_;
  ProcessGrid grid_;
  ModuleWrapper wrapper_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_CASE_WRITER_H_
