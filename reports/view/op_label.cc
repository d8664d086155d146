// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/op_label.h"

namespace opbyop::reports {

std::string_view KindLabel(OpKind kind) {
  switch (kind) {
    case OpKind::kElementwiseUnary:
      return "Eltwise unary";
    case OpKind::kElementwiseBinary:
      return "Eltwise binary";
    case OpKind::kElementwiseTernary:
      return "Eltwise ternary";
    case OpKind::kDataMovement:
    case OpKind::kBroadcast:
      return "Data movement";
    case OpKind::kTensorCreation:
      return "Tensor creation";
    case OpKind::kMatmul:
      return "Matmul";
    case OpKind::kConvolution:
      return "Convolution";
    case OpKind::kReduction:
      return "Reduction";
    case OpKind::kNormalization:
      return "Normalization";
    case OpKind::kLinearAlgebra:
      return "Linear algebra";
    case OpKind::kRandom:
      return "Random";
    case OpKind::kControlFlow:
      return "Control flow";
    case OpKind::kCollective:
      return "Collective";
    case OpKind::kSharding:
      return "Sharding";
    case OpKind::kComposite:
      return "Composite";
    case OpKind::kCustomCall:
      return "Custom call";
    case OpKind::kCheck:
      return "Check";
    case OpKind::kOther:
      return "Other";
  }
  return "Other";
}

std::string OpLabel(const Case& c) { return c.target.empty() ? c.op : c.op + " @" + c.target; }

}  // namespace opbyop::reports
