// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/op_info.h"

#include "ir/vendor_dialects.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace opbyop {
namespace {

using enum OpKind;

#define GET_OpTable_DECL
#define GET_OpTable_IMPL
#include "ir/op_table.inc"

}  // namespace

llvm::ArrayRef<OpInfo> AllOps() { return OpTable; }

const OpInfo* LookUpOp(llvm::StringRef name) {
  static const auto* const kByName = [] {
    auto* map = new llvm::StringMap<const OpInfo*>();
    for (const OpInfo& info : OpTable) (*map)[info.name] = &info;
    return map;
  }();
  return kByName->lookup(name);
}

OpKind KindOf(llvm::StringRef name) {
  if (const OpInfo* info = LookUpOp(name)) return info->kind;
  const llvm::StringRef mnemonic = name.contains('.') ? name.split('.').second : name;
  for (const llvm::StringRef dialect : {"stablehlo.", "chlo."}) {
    if (const OpInfo* info = LookUpOp((dialect + mnemonic).str())) return info->kind;
  }
  return VendorKindOf(name);
}

OperandRole RoleOf(const OpInfo& info, unsigned operand, unsigned operand_count) {
  unsigned variadic = llvm::count_if(info.roles, [](char role) { return role < 'a'; });
  unsigned single = info.roles.size() - variadic;
  unsigned group = variadic == 0 || operand_count < single ? 1 : (operand_count - single) / variadic;
  for (char role : info.roles) {
    unsigned size = role < 'a' ? group : 1;
    if (operand >= size) {
      operand -= size;
      continue;
    }
    switch (role) {
      case 'i':
      case 'I':
        return OperandRole::kIndex;
      case 's':
      case 'S':
        return OperandRole::kShape;
      case 't':
      case 'T':
        return OperandRole::kToken;
      default:
        return OperandRole::kValue;
    }
  }
  return OperandRole::kValue;
}

}  // namespace opbyop
