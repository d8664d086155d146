// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Assigns cases to shards so that the shards take about the same time, as far as that can be estimated.
//
//   Expected<Balance> balance = FindBalance("out/last-night");
//   const std::vector<uint32_t> shard_of = AssignShards(cases, 3, *balance);   // by position in `cases`
//
// Every shard computes the assignment by itself, and all must get the same result: it depends only on the cases (not on
// their order), the number of shards and the balance. Cases are assigned in order of falling cost, each to the shard
// with the least cost so far.
#ifndef OPBYOP_HARNESS_RUN_SHARD_ASSIGNMENT_H_
#define OPBYOP_HARNESS_RUN_SHARD_ASSIGNMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/results/results_file.h"
#include "support/expected.h"

namespace opbyop::harness {

inline constexpr std::string_view kBalanceByCost = "cost";
inline constexpr std::string_view kBalanceByHash = "hash";

struct Balance {
  // The value that headers have: "cost", "hash", or "run 20261121T101500Z-3f9a, 1463 durations 5d0c…".
  std::string name = std::string(kBalanceByCost);
  std::unordered_map<std::string, double> ms;  // by case id, of the earlier run
};

// "cost" or empty: by operations and bytes. "hash": by the id alone, so that a case keeps its shard when others are
// added or removed. Otherwise an earlier run: a results file, or a folder with one or with shards. Its cases count with
// their durations, others with their cost on the same scale. kNoInput, or ScanRun's error, if there is no such run.
Expected<Balance> FindBalance(const std::string& text);

// Returns the milliseconds of each case: its duration in the balance, or its estimate (case_cost.h) on the same scale.
std::vector<double> ExpectedMs(const std::vector<const Case*>& cases, const Balance& balance);

// Returns the shard of each case, from 0.
std::vector<uint32_t> AssignShards(const std::vector<const Case*>& cases, uint64_t shards, const Balance& balance);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SHARD_ASSIGNMENT_H_
