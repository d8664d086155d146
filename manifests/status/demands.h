// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Further demands on a run, in addition to having no red row: `--min-pass` and `--fail-on`.
//
//   Expected<Demands> demands = ParseDemands("95%", "unsupported,inconclusive");
//   demands->Fails(Status::kUnsupported);                        // true
//   for (const std::string& why : Unmet(*demands, counts)) ...   // red if there is any
#ifndef OPBYOP_MANIFESTS_STATUS_DEMANDS_H_
#define OPBYOP_MANIFESTS_STATUS_DEMANDS_H_

#include <string>
#include <vector>

#include "manifests/status/counts.h"
#include "support/expected.h"

namespace opbyop {

struct Demands {
  std::string min_pass;         // "95%" of all rows or "1200" of them; empty: any number
  std::vector<Status> fail_on;  // statuses that also make a run red

  bool Fails(Status status) const;
  std::string FailOnText() const;          // "unsupported,inconclusive"
  std::vector<std::string> Flags() const;  // flags for `conformance`
};

// kUsage for a text that is not a number or a share, or for a status other than those of unjudged rows. An empty text
// demands nothing.
Expected<Demands> ParseDemands(const std::string& min_pass, const std::string& fail_on);

// Returns `given`, with `otherwise` for what it leaves open.
Demands Over(const Demands& given, const Demands& otherwise);

// Returns a sentence for each demand that the rows do not meet. No rows meet every demand, because an empty shard is
// not an error.
std::vector<std::string> Unmet(const Demands& demands, const Counts& counts);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_STATUS_DEMANDS_H_
