// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table behind ir/op_info.h: one row per op record of this project's
// dialects.
include "ir/check/check.td"
include "ir/check/interpreter.td"
include "ir/chlo/broadcast.td"
include "ir/chlo/ops.td"
include "ir/sdy/ops.td"
include "ir/stablehlo/contraction.td"
include "ir/stablehlo/control_flow.td"
include "ir/stablehlo/data_movement.td"
include "ir/stablehlo/distribution.td"
include "ir/stablehlo/dynamism.td"
include "ir/stablehlo/elementwise_binary.td"
include "ir/stablehlo/elementwise_unary.td"
include "ir/stablehlo/misc.td"
include "llvm/TableGen/SearchableTable.td"

def OpTable : GenericTable {
  let FilterClass = "OpInfo";
  let Fields = ["infoName", "infoCategory", "infoKind", "infoRoles", "infoCommutative", "infoStored"];
  string TypeOf_infoKind = "code";
}
