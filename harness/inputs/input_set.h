// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The input sets of a case: one for each policy of the run, on which the case is executed and judged. Joins the results
// of the sets to that of the case. Starts no processes.
//
//   JoinSet(std::move(set), "edge", record);       // `record` is now that of the case after one more set
//   const InputSetRecord* why = DecidingSet(record);
//
// The case has the status of its worst set. It is `inconclusive` or `skipped` only if no set gives a stronger result.
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

// The policies of a run without --policy.
inline constexpr std::string_view kDefaultPolicies = "domain,sparse,edge,sweep";

// A policy of a run.
struct RunPolicy {
  std::string given = "domain";  // on the command line: a name or a file
  std::string name = "domain";
  std::filesystem::path file;  // empty: inputs of the kind of this name, no bound relaxed
  InputKind inputs = InputKind::kDomain;

  // True if a result under this policy for a smaller case of the same program holds for a larger one too. This is not
  // so if the inputs are made for the length of a sum, which depends on an extent.
  bool IsShownByTwin() const { return inputs != InputKind::kSparse; }

  // Returns the policy as a request to a worker names it.
  protocol::PolicyName named() const { return {name, file.string()}; }
};

// Finds the policy of this name, or in this file.
Expected<RunPolicy> FindPolicy(const std::string& given);

// Returns the policies of "domain,edge" or "domain,./mine.yaml", in order. kUsage if one is unknown or duplicate.
Expected<std::vector<RunPolicy>> FindPolicies(std::string_view list);

// Returns the policies as they were given: "domain,./mine.yaml".
std::string NamesOf(const std::vector<RunPolicy>& policies);

// Returns the name of a set: that of its policy, or "domain#2" for the second draw of `domain`.
std::string SetName(const RunPolicy& policy, bool second_draw);

// Adds the result of the further draw, with its own seed, to the record of the case. The case's status stays or becomes
// worse; if worse, the record also says how the case ended without it. Times of stages stay those of the fixed seed.
void JoinFreshDraw(CaseRecord set, const std::string& name, CaseRecord& record);

// Adds the result of one set to the record of the case. True if this set decides how the case ended.
bool JoinSet(CaseRecord set, const std::string& name, CaseRecord& record);

// Returns the set that the case's status comes from; null if it comes from none.
const InputSetRecord* DecidingSet(const CaseRecord& record);

// Returns the policy of the set that a failed case's status comes from, as on the command line; empty if it comes from
// none.
std::string ReproPolicyOf(const CaseRecord& record, const std::vector<RunPolicy>& policies);

// The options that reproduce what a case's record says.
struct ReproOptions {
  std::string policy;                  // as ReproPolicyOf
  std::optional<uint64_t> fresh_seed;  // of the further draw, if the status comes from it
};
ReproOptions ReproOptionsOf(const CaseRecord& record, const std::vector<RunPolicy>& policies);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_INPUT_SET_H_
