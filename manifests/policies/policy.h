// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads manifests/policies/NAME.yaml: how inputs are generated, and which derived bounds are relaxed.
//
//   schema: opbyop-policy/1
//   name: domain
//   inputs: domain
//   relax:
//     - {op: stablehlo.tanh, dtype: bf16, target: "*", factor: 2, reason: "table lookup, issue 12"}
//
// The bounds come from the reference (docs/numerics.md). A relaxation multiplies a bound and always has a reason.
// Reports show that it was used.
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

// A bound may only be widened, and by at most this factor.
inline constexpr double kLargestFactor = 1e9;

struct Relaxation {
  std::string op = "*";      // glob
  std::string dtype = "*";   // glob
  std::string target = "*";  // glob
  double factor = 1;         // the bound is multiplied by it; 1 to kLargestFactor
  std::string reason;        // required
};

struct Policy {
  std::string name;  // letters, digits, '-', '_' and '.': also the name of the folder of kept tensors
  InputKind inputs = InputKind::kDomain;
  std::vector<Relaxation> relax;

  // The product of all matching factors, and their reasons joined by "; ". {1, ""} if nothing matches.
  struct Applied {
    double factor = 1;
    std::string reason;
  };
  Applied For(std::string_view op, std::string_view dtype, std::string_view target) const;
};

Expected<Policy> LoadPolicy(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_POLICIES_POLICY_H_
