// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program that is profiled, by running it or by estimates: the model as it was split, and the cases of its ops.
//
//   const Model program = ProgramOf(options);
//   const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadProgram(program, options, context);
//   auto map = MapCases(module->get(), program, options.manifest, options.target, Shards::kSharded);
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
#include "protocol/hello.h"
#include "support/expected.h"
#include "support/text/private_values.h"

namespace opbyop::chained {

// The program to run: the model as it was split for the manifest, or the file as it is.
Model ProgramOf(const ProfileOptions& options);

// Reads the program. Returns kUnsupported if it executes more ops than the options allow; every call and every known
// trip of a loop counts, as each is run and recorded.
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadProgram(const Model& program, const ProfileOptions& options,
                                                        mlir::MLIRContext& context);

// Maps ops to cases, with the attributes that the target keeps. Includes the ops in bodies of control flow, whether or
// not they are rows of the manifest. `shards` says what becomes of a sharded program's ops unless the split decided it.
Expected<generator::CaseMap> MapCases(mlir::ModuleOp module, const Model& model, const Manifest* manifest,
                                      const Target& target, Shards shards);

// Why a worker cannot run a program on the devices that its shardings name, as the rest of a sentence; empty if it can,
// or if the program names only one.
std::string WhyNotDivided(mlir::ModuleOp module, const Model& model, const protocol::Hello& hello);

// The whole model as one case, divided as the program says.
Case WholeModel(const generator::CaseMap& map);

std::string TextOf(mlir::ModuleOp module);

// The header as far as it is known before the run; the caller adds the devices. `toolchain` is the version that the
// worker reports.
optrace::Header MakeHeader(const ProfileOptions& options, const RunHeader& machine, const std::string& toolchain);

// The values that must not appear in the trace.
PrivateValues PrivateValuesOf(const ProfileOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_PROFILE_PROGRAM_H_
