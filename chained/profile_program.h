// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a profile is of, whether its ops are run or estimated: the program as it was split, and its ops' cases.
//
//   const Model program = ProgramOf(options);
//   const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadProgram(program, options, context);
//   Expected<generator::CaseMap> map = MapCases(module->get(), program, options.manifest);
#ifndef OPBYOP_CHAINED_PROFILE_PROGRAM_H_
#define OPBYOP_CHAINED_PROFILE_PROGRAM_H_

#include <string>

#include "chained/profile_run.h"
#include "generator/split/case_map.h"
#include "manifests/cases/manifest.h"
#include "manifests/optrace/optrace.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"
#include "support/text/private_values.h"

namespace opbyop::chained {

// What is run: the model as the manifest's cases were made of it, or the file as it is.
Model ProgramOf(const ProfileOptions& options);

// Reads it. kUnsupported where it executes more ops than the options allow, every call and every known trip of a loop
// counted: each would be run and recorded.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadProgram(const Model& program, const ProfileOptions& options,
                                                        mlir::MLIRContext& context);

// With the ops in bodies of control flow, whether or not they are rows of the manifest.
Expected<generator::CaseMap> MapCases(mlir::ModuleOp module, const Model& model, const Manifest* manifest);

// The model in one piece, as one more case.
Case WholeModel(mlir::Operation* entry);

std::string TextOf(mlir::ModuleOp module);

// What is known before anything ran; the devices are left to the caller. `toolchain`: what the worker says of itself.
optrace::Header MakeHeader(const ProfileOptions& options, const RunHeader& machine, const std::string& toolchain);

// What the trace must not show.
PrivateValues PrivateValuesOf(const ProfileOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_PROFILE_PROGRAM_H_
