// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/op_kind.h"

#include <algorithm>
#include <array>

namespace opbyop {
namespace {

// In the order of the enumeration.
constexpr auto kWords = std::to_array<std::string_view>({
    "other",
    "elementwise_unary",
    "elementwise_binary",
    "elementwise_ternary",
    "data_movement",
    "broadcast",
    "tensor_creation",
    "matmul",
    "convolution",
    "reduction",
    "normalization",
    "linear_algebra",
    "random",
    "control_flow",
    "collective",
    "sharding",
    "composite",
    "custom_call",
    "check",
});

static_assert(kWords.size() == static_cast<size_t>(OpKind::kCheck) + 1);

}  // namespace

std::string_view ToString(OpKind kind) { return kWords[static_cast<size_t>(kind)]; }

std::optional<OpKind> ParseOpKind(std::string_view word) {
  const auto* found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<OpKind>(found - kWords.begin());
}

}  // namespace opbyop
