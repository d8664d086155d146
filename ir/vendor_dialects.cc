// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vendor_dialects.h"

#include <initializer_list>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace opbyop {
namespace {

// Tenstorrent's: ttir and ttnn compute, ttcore and tt describe the device and how arguments are used.
constexpr llvm::StringLiteral kAttributesOf[] = {"tt.", "ttcore."};

struct Part {
  llvm::StringLiteral op;
  VendorPart part;
};
constexpr Part kParts[] = {
    {"ttcore.device", VendorPart::kBesideFunctions}, {"ttcore.device_module", VendorPart::kAroundModule},
    {"ttir.constant", VendorPart::kConstant},        {"ttir.empty", VendorPart::kConstant},
    {"ttnn.deallocate", VendorPart::kHousekeeping},  {"ttnn.get_device", VendorPart::kConstant},
};

// The kinds of the ops of ttir and ttnn, by their names without the dialect.
const llvm::StringMap<OpKind>& Kinds() {
  using enum OpKind;
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

VendorPart VendorPartOf(llvm::StringRef op) {
  const Part* found = llvm::find_if(kParts, [&](const Part& part) { return part.op == op; });
  return found == std::end(kParts) ? VendorPart::kComputes : found->part;
}

OpKind VendorKindOf(llvm::StringRef op) {
  const auto [dialect, mnemonic] = op.split('.');
  return dialect == "ttir" || dialect == "ttnn" ? Kinds().lookup(mnemonic) : OpKind::kOther;
}

bool IsVendorAttribute(llvm::StringRef attribute) {
  return llvm::any_of(kAttributesOf, [&](llvm::StringRef dialect) { return attribute.starts_with(dialect); });
}

}  // namespace opbyop
