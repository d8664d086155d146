// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Facts about an op that other rooms need. They are stated once, in the op's
// record, and become the table behind ir/op_info.h.
#ifndef OPBYOP_IR_OP_INFO_TD_
#define OPBYOP_IR_OP_INFO_TD_

include "mlir/IR/OpBase.td"

// The one builder of an op without regions, from its types, operands and attributes: the base class of each dialect's ops
// has it. The builders that ODS gives an op by default would be a quarter of all code of the dialects. A record has them,
// with `builders = []` and `skipDefaultBuilders = 0`, if this project makes its op.
def PlainBuilder : OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
                                  CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attributes), [{
  $_state.addTypes(types);
  $_state.addOperands(operands);
  $_state.addAttributes(attributes);
}]>;

// `roles` has one letter per ODS operand, upper case if it is variadic:
//   v value, i index (a position in another operand), s shape or size, t token.
class OpInfo<string category, string roles> {
  string infoName = "";
  string infoCategory = category;
  string infoRoles = roles;
  bit infoCommutative = 0;

  // OpKind of support/op_kind.h. If the category does not determine it, the record must set it: no op may have kOther.
  string infoKind = !cond(
      !or(!eq(category, "elementwise"), !eq(category, "chlo"), !eq(category, "quantization")):
          !cond(!eq(roles, "v"): "kElementwiseUnary",
                !eq(roles, "vv"): "kElementwiseBinary",
                !eq(roles, "vvv"): "kElementwiseTernary",
                true: "kOther"),
      !or(!eq(category, "data movement"), !eq(category, "dynamism")): "kDataMovement",
      !or(!eq(category, "control flow"), !eq(category, "extensibility")): "kControlFlow",
      !eq(category, "contraction"): "kReduction",
      !eq(category, "distribution"): "kCollective",
      !eq(category, "sharding"): "kSharding",
      !or(!eq(category, "check"), !eq(category, "interpreter")): "kCheck",
      true: "kOther");

  // The op takes and gives quantized elements in stored form, and does not compute with their expressed values.
  bit infoStored = !or(!eq(category, "data movement"), !eq(category, "dynamism"), !eq(category, "control flow"),
                       !eq(category, "extensibility"), !eq(category, "distribution"), !eq(category, "sharding"),
                       !eq(category, "quantization"));
}

#endif  // OPBYOP_IR_OP_INFO_TD_
