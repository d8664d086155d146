// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The check and interpreter dialects: ops with which test programs state expected
// values and run several processes.
#ifndef OPBYOP_IR_CHECK_CHECK_TD_
#define OPBYOP_IR_CHECK_CHECK_TD_

include "ir/stablehlo/base.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::opbyop::check";
  let summary = "Expectations about values";
}

class CheckOp<string mnemonic, string roles, list<Trait> traits = []>
    : Op<Check_Dialect, mnemonic, traits>, OpInfo<"check", roles> {
  let infoName = "check." # mnemonic;
  let builders = !if(!empty(regions), [PlainBuilder], []);
  let skipDefaultBuilders = !empty(regions);
}
class CheckConstOp<string mnemonic> : CheckOp<mnemonic, "v", [AllTypesMatch<["lhs", "value"]>]>;

def ExpectEqConstOp : CheckConstOp<"expect_eq_const"> {
  let arguments = (ins AnyAxisTensor:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

def ExpectAlmostEqConstOp : CheckConstOp<"expect_almost_eq_const"> {
  let arguments = (ins AnyAxisTensor:$lhs, ElementsAttr:$value,
                       OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` $value (`,` `tolerance` `=` $tolerance^)? attr-dict";
}

class CheckPairOp<string mnemonic> : CheckOp<mnemonic, "vv", [SameTypeOperands]>;

def ExpectEqOp : CheckPairOp<"expect_eq"> {
  let arguments = (ins AnyAxisTensor:$lhs, AnyAxisTensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def ExpectAlmostEqOp : CheckPairOp<"expect_almost_eq"> {
  let arguments = (ins AnyAxisTensor:$lhs, AnyAxisTensor:$rhs, OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)
  }];
}

def ExpectCloseOp : CheckOp<"expect_close", "vv"> {
  let arguments = (ins AnyAxisTensor:$actual, AnyAxisTensor:$expected,
                       I64Attr:$max_ulp_difference,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected `,` `max_ulp_difference` `=` $max_ulp_difference
    (`,` `min_ulp_difference` `=` $min_ulp_difference^)?
    attr-dict `:` type($actual) `,` type($expected)
  }];
}

// Compares with the value that interpreter.probe of that name wrote in its n-th
// execution.
def ExpectSerializedEqOp : CheckOp<"expect_serialized_eq", "v"> {
  let arguments = (ins AnyAxisTensor:$expected, StrAttr:$probe_id, OptionalAttr<I64Attr>:$iter);
  let assemblyFormat = [{
    $expected `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iter^)? attr-dict `:` type($expected)
  }];
}

#endif  // OPBYOP_IR_CHECK_CHECK_TD_
