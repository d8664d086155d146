// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kind of an op. The op's ODS record states it (ir/op_info.h); the splitter writes it into the manifest for rooms
// that link no MLIR.
//
//   c.kind = KindOf("stablehlo.tanh");     // OpKind::kElementwiseUnary
//   std::string word(ToString(c.kind));    // "elementwise_unary"
#ifndef OPBYOP_SUPPORT_OP_KIND_H_
#define OPBYOP_SUPPORT_OP_KIND_H_

#include <optional>
#include <string_view>

namespace opbyop {

enum class OpKind {
  kOther,  // of a dialect that is not part of this project
  kElementwiseUnary,
  kElementwiseBinary,
  kElementwiseTernary,
  kDataMovement,
  kBroadcast,
  kTensorCreation,
  kMatmul,
  kConvolution,
  kReduction,
  kNormalization,
  kLinearAlgebra,
  kRandom,
  kControlFlow,
  kCollective,
  kSharding,  // states the placement of tensors and computes nothing
  kComposite,
  kCustomCall,
  kCheck,  // used only in test programs
};

// The word that manifests use: "elementwise_unary", "other".
std::string_view ToString(OpKind kind);
std::optional<OpKind> ParseOpKind(std::string_view word);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_OP_KIND_H_
