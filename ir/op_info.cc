// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/op_info.h"

#include <initializer_list>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace opbyop {
namespace {

using enum OpKind;

#define GET_OpTable_DECL
#define GET_OpTable_IMPL
#include "ir/op_table.inc"

// The kinds of ops of ttir and ttnn for which StableHLO has no op of the same name.
const llvm::StringMap<OpKind>& TenstorrentKinds() {
  static const auto* const kKinds = [] {
    auto* map = new llvm::StringMap<OpKind>();
    const auto add = [&](OpKind kind, std::initializer_list<llvm::StringRef> names) {
      for (const llvm::StringRef name : names) (*map)[name] = kind;
    };
    add(kElementwiseUnary,
        {"acos",  "asin",       "atan",        "bitwise_not", "cos",        "erf",   "erfc",        "exp",
         "expm1", "gelu",       "hardsigmoid", "isfinite",    "leaky_relu", "log1p", "logical_not", "mish",
         "neg",   "reciprocal", "relu",        "relu6",       "sigmoid",    "silu",  "sin",         "typecast"});
    add(kElementwiseBinary,
        {"bitwise_and", "bitwise_or", "bitwise_xor", "div", "eq", "ge", "gt", "le", "logical_and", "logical_left_shift",
         "logical_or", "logical_right_shift", "logical_xor", "lt", "ne", "pow", "pow_scalar", "pow_tensor"});
    add(kElementwiseTernary, {"clamp_scalar", "clamp_tensor", "where"});
    add(kDataMovement,
        {"concat", "embedding", "from_device", "permute", "repeat", "repeat_interleave", "slice_dynamic",
         "slice_static", "squeeze", "to_device", "to_dtype", "to_layout", "to_memory_config", "unsqueeze"});
    add(kTensorCreation, {"arange", "empty", "full", "ones", "zeros"});
    add(kRandom, {"dropout", "rand"});
    add(kMatmul, {"linear", "matmul"});
    add(kConvolution, {"conv2d", "conv3d", "conv_transpose2d"});
    add(kReduction, {"argmax", "avg_pool2d", "cumsum", "global_avg_pool2d", "max", "max_pool2d", "mean", "min", "prod",
                     "reduce_and", "reduce_or", "sum"});
    add(kNormalization, {"batch_norm_inference", "group_norm", "layer_norm", "rms_norm", "softmax"});
    add(kSharding, {"mesh_shard"});
    return map;
  }();
  return *kKinds;
}

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
  if (name.starts_with("ttir.") || name.starts_with("ttnn.")) return TenstorrentKinds().lookup(mnemonic);
  return kOther;
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
