// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which shard runs which case, so that the shards take about the same time as far as that can be estimated.
//
//   Expected<Balance> balance = FindBalance("out/last-night");
//   const std::vector<uint32_t> shard_of = AssignShards(cases, 3, *balance);   // by position in `cases`
//
// Every shard deals by itself and must come to the same: only the cases, in whatever order, their number, and the
// balance decide. The most expensive case goes first, each to the shard that has least so far.
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
  // As headers have it: "cost", "hash", or "run 20261121T101500Z-3f9a, 1463 durations 5d0c…".
  std::string name = std::string(kBalanceByCost);
  std::unordered_map<std::string, double> ms;  // by case id, of the earlier run
};

// "cost" (also the empty text): by operations and bytes. "hash": by the id alone, so that a case keeps its shard
// when others come or go. Else an earlier run, a results file or a folder with one or with shards; its cases by their
// durations, others by cost on its scale. kNoInput, or ScanRun's error, where there is no such run.
Expected<Balance> FindBalance(const std::string& text);

// Milliseconds that a case is guessed to take, by what it computes and moves; every case takes some.
double GuessedMs(const Case& c);

// The shard of each case, from 0.
std::vector<uint32_t> AssignShards(const std::vector<const Case*>& cases, uint64_t shards, const Balance& balance);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SHARD_ASSIGNMENT_H_
