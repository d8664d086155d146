// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sets the folders that a slot's workers may write to, and whether they may use the network.
//
//   WorkerSpec spec =
//       Isolated(context.target_worker, scratch.MakeSlot("slot-0"), scratch.MakeTemporary("tmp", "slot-0"));
//   spec.supervision.network = target.network;
//
// A worker's restriction holds from its start to its end, for all of its cases. It may write to the folder of its slot,
// which only holds the current case.
#ifndef OPBYOP_HARNESS_WORKER_WORKER_ISOLATION_H_
#define OPBYOP_HARNESS_WORKER_WORKER_ISOLATION_H_

#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/worker/scratch.h"
#include "harness/worker/worker.h"
#include "manifests/targets/target.h"

namespace opbyop::harness {

// Returns the spec with `folders` (not empty) writable, and `temporary`, which is inside one of them, as $TMPDIR.
WorkerSpec Isolated(WorkerSpec spec, const std::vector<std::filesystem::path>& folders,
                    const std::filesystem::path& temporary);

// Grants a target's worker what its file asks for: `writable`, with {env:NAME} filled in, and `network`. Command line
// tools may write to the user's caches as well.
void GrantDeclared(const Target& target, WorkerSpec& spec);

// Returns the spec of a worker for a program without slots: all of the above, with a folder of this name. Make the
// folders of its requests there: scratch.Make(case, bytes, slot).
WorkerSpec RestrictedTargetWorker(const Target& target, Scratch& scratch, std::string_view slot);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_ISOLATION_H_
