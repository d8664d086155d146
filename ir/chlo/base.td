// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Definitions that all records of CHLO ops share. Tensors may be unranked.
#ifndef OPBYOP_IR_CHLO_BASE_TD_
#define OPBYOP_IR_CHLO_BASE_TD_

include "ir/chlo/enums.td"

class ChloOp<string mnemonic, string roles, list<Trait> traits = [Pure]>
    : Op<Chlo_Dialect, mnemonic, traits>, OpInfo<"chlo", roles> {
  let infoName = "chlo." # mnemonic;
  let builders = !if(!empty(regions), [PlainBuilder], []);
  let skipDefaultBuilders = !empty(regions);
}

def AnyChlo : TensorOf<kAnyAxis>;
def IntChlo : TensorOf<[PredElement, IntElement]>;
def PredChlo : TensorOf<[PredElement]>;
def FloatChlo : TensorOf<[FloatElement]>;
def ComplexChlo : TensorOf<[ComplexElement]>;
def FloatOrComplexChlo : TensorOf<[FloatElement, ComplexElement]>;

#endif  // OPBYOP_IR_CHLO_BASE_TD_
