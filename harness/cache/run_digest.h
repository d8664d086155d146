// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The digest of all that decides the results of a run. Two runs with the same digest judge a case in the same way, so
// one may take over the records of the other.
//
//   header.decides = DecidingFactsOf(run);
//   header.digest = DigestOf(header.decides);
//
// Names of files and folders of this machine are not part of the digest.
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
  const Target* target = nullptr;         // as it is run: with the batch size of --batch
  const Target* second_target = nullptr;  // from --differential; may be null
  std::vector<std::string> stages;
  std::vector<RunPolicy> policies;
  uint64_t seed = 0;
  protocol::Repeat repeat;
  int executions = 1;  // of a program of several devices
  int retries = 1;
  std::string toolchain;                   // version text
  int64_t devices = 1;                     // of the target's worker
  std::vector<std::string> target_worker;  // command lines as they are started
  std::vector<std::string> reference_worker;
  // For a bundle: "compile", or the digest of what was compiled. Empty: the run makes or uses no bundle.
  std::string half;
  // The folder with device/, which holds the sources of workers that are scripts.
  std::filesystem::path project;
};

// Returns the facts by name: every value of the target file ("target.stages.lower.timeout_s") and of the policy files,
// the stages in order, the builds of this program, of the reference and of the target's worker, and those environment
// variables that the target file names or that compilers are known to read.
std::map<std::string, std::string> DecidingFactsOf(const DecidingParts& parts);

std::string DigestOf(const std::map<std::string, std::string>& decides);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CACHE_RUN_DIGEST_H_
