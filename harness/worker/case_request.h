// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds the request for a case: the fields that are the same for every worker and verb.
//
//   Request request = MakeCaseRequest(CompileVerb{.keep = true}, c, manifest_folder, target);
//   request.dir = scratch;
#ifndef OPBYOP_HARNESS_WORKER_CASE_REQUEST_H_
#define OPBYOP_HARNESS_WORKER_CASE_REQUEST_H_

#include <filesystem>

#include "manifests/cases/case.h"
#include "manifests/targets/target.h"
#include "protocol/request.h"

namespace opbyop::harness {

// Fills in the case's program and signature and what the target declares. The caller sets the case's folder and what
// depends on the run (policy, seed).
protocol::Request MakeCaseRequest(protocol::Verb verb, const Case& c, const std::filesystem::path& manifest_folder,
                                  const Target& target);

// Adds the processes that run the case, and how the tensors of a sharded case are divided among them.
void SetGrid(const Case& c, protocol::Request& request);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_CASE_REQUEST_H_
