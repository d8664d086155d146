// The facts about an op that other rooms need, stated once in its record and
// turned into the table behind ir/op_info.h.
#ifndef OPBYOP_IR_OP_INFO_TD_
#define OPBYOP_IR_OP_INFO_TD_

// `roles` has one letter per ODS operand, upper case if it is variadic:
//   v value, i index (a position in another operand), s shape or size, t token.
class OpInfo<string category, string roles> {
  string infoName = "";
  string infoCategory = category;
  string infoRoles = roles;
  bit infoCommutative = 0;
}

#endif  // OPBYOP_IR_OP_INFO_TD_
