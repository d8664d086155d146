// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The inputs that one case is executed and judged on, a set for each policy of the run, and what the sets make of the
// case together: rules, no processes.
//
//   JoinSet(std::move(set), "edge", record);       // `record` is now that of the case after one more set
//   const InputSetRecord* why = DecidingSet(record);
//
// A case is as bad as its worst set, and `inconclusive` or `skipped` only where no set says more.
#ifndef OPBYOP_HARNESS_INPUTS_INPUT_SET_H_
#define OPBYOP_HARNESS_INPUTS_INPUT_SET_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/policies/policy.h"
#include "manifests/results/result.h"
#include "protocol/request.h"
#include "support/expected.h"

namespace opbyop::harness {

// Where --policy is not given.
inline constexpr std::string_view kDefaultPolicies = "domain,sparse,edge,sweep";

// A policy of a run.
struct RunPolicy {
  std::string given = "domain";  // on the command line: a name or a file
  std::string name = "domain";
  std::filesystem::path file;  // empty: inputs of the kind of this name, no bound relaxed
  InputKind inputs = InputKind::kDomain;

  // What it shows of a case it shows of a smaller case of the same program as well. Not so where the inputs are made
  // for the length of a sum, which is an extent.
  bool IsShownByTwin() const { return inputs != InputKind::kSparse; }

  // As a worker is told of it.
  protocol::PolicyName named() const { return {name, file.string()}; }
};

// The policy of this name, or in this file.
Expected<RunPolicy> FindPolicy(const std::string& given);

// The policies of "domain,edge" or "domain,./mine.yaml", in order. kUsage where one is unknown or is a duplicate.
Expected<std::vector<RunPolicy>> FindPolicies(std::string_view list);

// "domain,./mine.yaml": as they were given.
std::string NamesOf(const std::vector<RunPolicy>& policies);

// What a set is called: its policy's name, or "domain#2" for the second draw of `domain`.
std::string SetName(const RunPolicy& policy, bool second_draw);

// Lays what the case did in the further draw over what it did before, with its own seed: it makes the case's status
// worse or leaves it, and the record then says how it ended without it. Times of stages stay those of the fixed seed.
void JoinFreshDraw(CaseRecord set, const std::string& name, CaseRecord& record);

// Lays what the case did on one set over what it did on those before. True where this set decides how the case ended.
bool JoinSet(CaseRecord set, const std::string& name, CaseRecord& record);

// The set that the case's status comes from; null where it came to none.
const InputSetRecord* DecidingSet(const CaseRecord& record);

// As on the command line, the policy of the set that a failed case's status comes from; empty where that is none.
std::string PolicyToRepeat(const CaseRecord& record, const std::vector<RunPolicy>& policies);

// What a case is run with again to see what its record tells of.
struct ToRepeat {
  std::string policy;                  // as PolicyToRepeat
  std::optional<uint64_t> fresh_seed;  // of the further draw, where it is that
};
ToRepeat WhatToRepeat(const CaseRecord& record, const std::vector<RunPolicy>& policies);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_INPUT_SET_H_
