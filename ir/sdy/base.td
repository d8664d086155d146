// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sdy (Shardy) dialect: how a program is distributed over the devices of a mesh. Includes only what occurs in real
// exports.
#ifndef OPBYOP_IR_SDY_BASE_TD_
#define OPBYOP_IR_SDY_BASE_TD_

include "ir/op_info.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::opbyop::sdy";
  let summary = "Meshes of devices and shardings over their axes";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
   private:
    void RegisterAttributes();
    void RegisterOps();
    void RegisterBytecode();

   public:
  }];
}

#endif  // OPBYOP_IR_SDY_BASE_TD_
