// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// manifests/policies/NAME.yaml: how inputs are generated and where the derived bounds are relaxed.
//
//   schema: opbyop-policy/1
//   name: domain
//   inputs: domain
//   relax:
//     - {op: stablehlo.tanh, dtype: bf16, target: "*", factor: 2, reason: "table lookup, issue 12"}
//
// Bounds come from the reference (docs/numerics.md); a relaxation multiplies one, always with a reason, and
// reports show that it was used.
#ifndef OPBYOP_MANIFESTS_POLICIES_POLICY_H_
#define OPBYOP_MANIFESTS_POLICIES_POLICY_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kPolicySchema = "opbyop-policy/1";

// How run-time inputs are drawn (docs/numerics.md).
enum class InputKind { kDomain, kSparse, kExactInt, kEdge, kSweep, kCaptured };

std::string_view ToString(InputKind kind);
Expected<InputKind> ParseInputKind(std::string_view text);

// A bound is only widened, and beyond this it is none.
inline constexpr double kLargestFactor = 1e9;

struct Relaxation {
  std::string op = "*";      // glob
  std::string dtype = "*";   // glob
  std::string target = "*";  // glob
  double factor = 1;         // the bound is multiplied by it; 1 to kLargestFactor
  std::string reason;        // required
};

struct Policy {
  std::string name;  // letters, digits, '-', '_' and '.': kept tensors lie in a folder of this name
  InputKind inputs = InputKind::kDomain;
  std::vector<Relaxation> relax;

  // The product of all matching factors and, joined by "; ", their reasons. {1, ""} where nothing matches.
  struct Applied {
    double factor = 1;
    std::string reason;
  };
  Applied For(std::string_view op, std::string_view dtype, std::string_view target) const;
};

Expected<Policy> LoadPolicy(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_POLICIES_POLICY_H_
