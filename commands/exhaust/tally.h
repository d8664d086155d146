// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The results of a function for some of its values. Tallies of parts can be added.
//
//   Tally tally;
//   tally.Add(judge.Judge(...));
//   Comparison comparison = tally.ToComparison("f32");
//   std::string line = ToJson(tally).dump();
#ifndef OPBYOP_COMMANDS_EXHAUST_TALLY_H_
#define OPBYOP_COMMANDS_EXHAUST_TALLY_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "manifests/results/result.h"

namespace opbyop::exhaustive {

// One value of the argument, with its result.
struct Point {
  uint64_t code = 0;  // bit pattern of the argument
  std::string argument;
  std::string got;
  std::string expected;
  double bound_ratio = 0;
};

struct Tally {
  int64_t values = 0;     // judged
  int64_t open = 0;       // values that the specification leaves open, or that the reference cannot judge: not judged
  int64_t unbounded = 0;  // those of `values` for which any result is right
  int64_t mismatches = 0;
  int64_t nan_mismatches = 0;
  int64_t inf_mismatches = 0;
  double max_abs = 0;
  double max_rel = 0;
  double max_ulp = 0;
  double bound_ratio = 0;
  std::string rule;            // "ulp<=3"
  std::optional<Point> first;  // of the mismatches, by bit pattern
  std::vector<Point> worst;    // of the mismatches, at most 5, worst first

  void Add(const Tally& part);
  // Elements are counted in values of the argument, and an element's index is its bit pattern.
  Comparison ToComparison(std::string_view dtype) const;
};

// "0x3f800000 (1.0): got 2.0, expected 2.7182817"; `bits` is the size of the pattern.
std::string Describe(const Point& point, int bits);

nlohmann::json ToJson(const Tally& tally);
// Reads a tally. Throws json::exception.
Tally TallyOf(const nlohmann::json& json);

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_TALLY_H_
