// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes the differences between the deciding facts of two runs (RunHeader::decides).
//
//   // "its stages is 'parse, lower', this run's is 'parse, check, lower'"
//   RunDifferences(old.decides, header.decides);
#ifndef OPBYOP_MANIFESTS_RUNS_RUN_DIFFERENCES_H_
#define OPBYOP_MANIFESTS_RUNS_RUN_DIFFERENCES_H_

#include <map>
#include <string>

namespace opbyop {

// Returns the first few differences, the most important ones first; empty if there is none.
std::string RunDifferences(const std::map<std::string, std::string>& then,
                           const std::map<std::string, std::string>& now);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_RUN_DIFFERENCES_H_
