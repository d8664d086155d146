// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A case as a request: what every worker is told of it, whichever verb it is asked for.
//
//   Request request = MakeCaseRequest("compile", c, manifest_folder, target);
//   request.dir = scratch;
#ifndef OPBYOP_HARNESS_WORKER_CASE_REQUEST_H_
#define OPBYOP_HARNESS_WORKER_CASE_REQUEST_H_

#include <filesystem>
#include <string>

#include "manifests/cases/case.h"
#include "manifests/targets/target.h"
#include "protocol/request.h"

namespace opbyop::harness {

// With the case's program and signature and what the target declares. Left to the caller: the case's folder, and what
// is of a run (policy, seed) or of the verb.
protocol::Request MakeCaseRequest(std::string verb, const Case& c, const std::filesystem::path& manifest_folder,
                                  const Target& target);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_CASE_REQUEST_H_
