// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model of a manifest as it was split: the program whose ops its cases are, and the options that make the same cases.
//
//   Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadAsSplit(manifest.models[0], context);
//   Expected<CaseMap> map = CaseMap::Make(**module, OptionsOf(manifest.models[0]));
//
// `opbyop split` records it (ModelSplit in manifests/cases/manifest.h); whole models, chained runs and captures read
// it.
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

// How the module that ReadAsSplit gives was split. A manifest that does not say how it was made counts as one of
// `./dev nightly`.
SplitOptions OptionsOf(const Model& model);

// What two splits, the second of the first one's cases, make together; nullopt where either is not known.
std::optional<ModelSplit> Combine(const std::optional<ModelSplit>& first, const std::optional<ModelSplit>& second);

// Reads `model.source`: the module that holds the entry function, for the shapes that were asked for, with the entry
// function as @main. kBadInput where the file is not the one that was split (sha256).
Expected<mlir::OwningOpRef<mlir::ModuleOp>> ReadAsSplit(const Model& model, mlir::MLIRContext& context);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_MODEL_SPLIT_H_
