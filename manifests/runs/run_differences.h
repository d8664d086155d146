// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In what two runs differ, by what decides their results (RunHeader::decides).
//
//   RunDifferences(old.decides, header.decides);   // "its stages is 'parse, lower', this run's is 'parse, check,
//   lower'"
#ifndef OPBYOP_MANIFESTS_RUNS_RUN_DIFFERENCES_H_
#define OPBYOP_MANIFESTS_RUNS_RUN_DIFFERENCES_H_

#include <map>
#include <string>

namespace opbyop {

// The first few, those that say most before details; empty where there is none.
std::string RunDifferences(const std::map<std::string, std::string>& then,
                           const std::map<std::string, std::string>& now);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_RUN_DIFFERENCES_H_
