// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a sharded program in the form that GSPMD reads: XLA refuses a program with attributes of Shardy if that does
// not partition it.
//
//   ToGspmdForm(module);
//   // %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]>  becomes
//   // %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
#ifndef OPBYOP_GENERATOR_SHARD_GSPMD_FORM_H_
#define OPBYOP_GENERATOR_SHARD_GSPMD_FORM_H_

#include "mlir/IR/BuiltinOps.h"

namespace opbyop::generator {

// Constraints become custom calls. The attributes of Shardy on functions and ops are dropped: the worker that compiles
// the program states the shardings of @main. A manual computation, for which GSPMD has no form, stays with its meshes.
void ToGspmdForm(mlir::ModuleOp module);

// The same for a compiler that divides nothing: constraints are dropped, too.
void DropShardings(mlir::ModuleOp module);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SHARD_GSPMD_FORM_H_
