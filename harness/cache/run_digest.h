// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What decides the results of a run: two runs of the same digest judge a case alike, so that one may go on with the
// records of the other.
//
//   header.decides = DecidingFactsOf(run);
//   header.digest = DigestOf(header.decides);
//
// Names of files and folders of this machine are no part of it.
#ifndef OPBYOP_HARNESS_CACHE_RUN_DIGEST_H_
#define OPBYOP_HARNESS_CACHE_RUN_DIGEST_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/inputs/input_set.h"
#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"
#include "protocol/worker_server.h"

namespace opbyop::harness {

struct DecidingParts {
  const Manifest* manifest = nullptr;
  const Target* target = nullptr;         // as it is run: batch as --batch says
  const Target* second_target = nullptr;  // of --differential; may be null
  std::vector<std::string> stages;
  std::vector<RunPolicy> policies;
  uint64_t seed = 0;
  protocol::Repeat repeat;
  int retries = 1;
  std::string toolchain;                   // version text
  std::vector<std::string> target_worker;  // command lines as they are started
  std::vector<std::string> reference_worker;
  std::string half;               // of a bundle: "compile", or the digest of what was compiled; empty: of none
  std::filesystem::path project;  // where device/ lies, with the sources of workers that are scripts
};

// By name: every value of the target file ("target.stages.lower.timeout_s") and of the policy files, the stages in
// order, the builds of this program, of the reference and of the target's worker, and of the environment what the
// target file names or compilers are known to read.
std::map<std::string, std::string> DecidingFactsOf(const DecidingParts& parts);

std::string DigestOf(const std::map<std::string, std::string>& decides);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CACHE_RUN_DIGEST_H_
