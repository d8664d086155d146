// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a model of a manifest as it was split: the program that its cases come from, and the options that give the same
// cases.
//
//   Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadAsSplit(manifest.models[0], context);
//   Expected<CaseMap> map = CaseMap::Make(**module, OptionsOf(manifest.models[0]));
//
// `opbyop split` records them (ModelSplit in manifests/cases/manifest.h); whole models, chained runs and captures read
// them.
#ifndef OPBYOP_GENERATOR_SPLIT_MODEL_SPLIT_H_
#define OPBYOP_GENERATOR_SPLIT_MODEL_SPLIT_H_

#include "generator/walk/split_options.h"
#include "manifests/cases/manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/expected.h"

namespace opbyop::generator {

ModelSplit RecordOf(const SplitOptions& options, bool allow_unregistered);

// The options with which the module from ReadAsSplit was split. If the manifest does not record them, it is older than
// the walk into bodies, and control flow and composites are whole.
SplitOptions OptionsOf(const Model& model);

// The combination of two splits, the second of which split the cases of the first. nullopt if either is unknown.
std::optional<ModelSplit> Combine(const std::optional<ModelSplit>& first, const std::optional<ModelSplit>& second);

// Reads `model.source` and returns the module that contains the entry function, for the requested shapes, with the
// entry function as @main. Returns kBadInput if the file is not the one that was split (sha256).
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadAsSplit(const Model& model, mlir::MLIRContext& context);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_MODEL_SPLIT_H_
