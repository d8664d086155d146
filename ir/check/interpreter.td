// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops with which test programs control an evaluator.
#ifndef OPBYOP_IR_CHECK_INTERPRETER_TD_
#define OPBYOP_IR_CHECK_INTERPRETER_TD_

include "ir/stablehlo/attributes.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::opbyop::interpreter";
  let summary = "Processes, prints and probes of an evaluator";
}

class InterpreterOp<string mnemonic, string roles, list<Trait> traits = []>
    : Op<Interpreter_Dialect, mnemonic, traits>, OpInfo<"interpreter", roles> {
  let infoName = "interpreter." # mnemonic;
  let builders = !if(!empty(regions), [PlainBuilder], []);
  let skipDefaultBuilders = !empty(regions);
}

// Runs a grid of functions as concurrent processes: rows of `programs` are
// replicas, columns are partitions. Inputs and results are those of all processes.
def RunParallelOp : InterpreterOp<"run_parallel", "V",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let infoStored = 1;
  let arguments = (ins Variadic<HloValue>:$inputs, OptionalAttr<ArrayAttr>:$infeed,
                       TypedArrayAttrBase<TypedArrayAttrBase<FlatSymbolRefAttr, "list of functions">,
                                          "grid of functions">:$programs);
  let results = (outs Variadic<HloValue>:$results);
}

def PrintOp : InterpreterOp<"print", "v"> {
  let arguments = (ins AnyAxisTensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

// Writes a value to a file under a name, and returns it.
def ProbeOp : InterpreterOp<"probe", "v", [AllTypesMatch<["operand", "result"]>]> {
  let arguments = (ins AnyAxisTensor:$operand, StrAttr:$probe_id);
  let results = (outs AnyAxisTensor:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` type($operand)";
}

#endif  // OPBYOP_IR_CHECK_INTERPRETER_TD_
