// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a run must show beside having no problem row: `--min-pass` and `--fail-on`.
//
//   Expected<Demands> demands = ParseDemands("95%", "unsupported,inconclusive");
//   demands->Fails(Status::kUnsupported);                        // true
//   for (const std::string& why : Unmet(*demands, counts)) ...   // red where there is any
#ifndef OPBYOP_MANIFESTS_STATUS_DEMANDS_H_
#define OPBYOP_MANIFESTS_STATUS_DEMANDS_H_

#include <string>
#include <vector>

#include "manifests/status/counts.h"
#include "support/expected.h"

namespace opbyop {

struct Demands {
  std::string min_pass;         // "95%" of all rows or "1200" of them; empty: any number
  std::vector<Status> fail_on;  // statuses that make a run red beside those that always do

  bool Fails(Status status) const;
  std::string FailOnText() const;          // "unsupported,inconclusive"
  std::vector<std::string> Flags() const;  // as `conformance` takes them
};

// kUsage for what is no number, no share, or no status that says nothing of the target. Empty texts demand nothing.
Expected<Demands> ParseDemands(const std::string& min_pass, const std::string& fail_on);

// What `given` leaves open is as `otherwise` has it.
Demands Over(const Demands& given, const Demands& otherwise);

// A sentence for each demand that these rows do not meet. No rows meet every demand: an empty shard is no mistake.
std::vector<std::string> Unmet(const Demands& demands, const Counts& counts);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_STATUS_DEMANDS_H_
