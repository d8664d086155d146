// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Control flow, tokens, composites and other ops that concern order and structure.
#ifndef OPBYOP_IR_STABLEHLO_CONTROL_FLOW_TD_
#define OPBYOP_IR_STABLEHLO_CONTROL_FLOW_TD_

include "ir/stablehlo/attributes.td"

class ControlOp<string mnemonic, string roles, list<Trait> traits>
    : HloOp<mnemonic, "control flow", roles, traits>;

def ReturnOp : ControlOp<"return", "V", [Pure, Terminator]> {
  let builders = [];
  let skipDefaultBuilders = 0;
  let arguments = (ins Variadic<HloValue>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def AfterAllOp : ControlOp<"after_all", "T", [Pure]> {
  let arguments = (ins Variadic<TokenType>:$inputs);
  let results = (outs TokenType:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:`
    custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}

def IfOp : ControlOp<"if", "v",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, InfersTypes]> {
  let arguments = (ins ScalarPred:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<TensorOrToken>:$results);
}

def CaseOp : ControlOp<"case", "v",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, InfersTypes]> {
  let arguments = (ins ScalarI32:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<TensorOrToken>:$results);
}

def WhileOp : ControlOp<"while", "V",
    [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">, InfersOperands,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<HloValue>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<HloValue>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def OptimizationBarrierOp : ControlOp<"optimization_barrier", "V", [Pure, InfersOperands]> {
  let arguments = (ins Variadic<AnyTypeOf<[AnyHloTensor, TokenType]>>:$operand);
  let results = (outs Variadic<AnyTypeOf<[AnyHloTensor, TokenType]>>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
}

def CompositeOp : ControlOp<"composite", "V",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let infoKind = "kComposite";
  let arguments = (ins Variadic<HloValue>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<HloValue>:$results);
  let assemblyFormat = [{
    $name $inputs (`(` $composite_regions^ `)`)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif  // OPBYOP_IR_STABLEHLO_CONTROL_FLOW_TD_
