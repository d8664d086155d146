// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a slot's workers may write, and whether they may use the network.
//
//   WorkerSpec spec = Isolated(context.target_worker, scratch.MakeSlot("slot-0"), scratch.MakeTemporary("tmp",
//   "slot-0")); spec.supervision.network = target.network;
//
// A worker's restriction holds from its start to its end while its cases come and go: what is writable is the folder of
// its slot, in which there is no case but the current one.
#ifndef OPBYOP_HARNESS_WORKER_WORKER_ISOLATION_H_
#define OPBYOP_HARNESS_WORKER_WORKER_ISOLATION_H_

#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/worker/scratch.h"
#include "harness/worker/worker.h"
#include "manifests/targets/target.h"

namespace opbyop::harness {

// The spec with `folders` (not empty) writable, and `temporary`, which lies in one of them, as $TMPDIR.
WorkerSpec Isolated(WorkerSpec spec, const std::vector<std::filesystem::path>& folders,
                    const std::filesystem::path& temporary);

// Lets a target's worker have what its file asks for: `writable`, {env:NAME} filled in, and `network`. Command line
// tools may write to the user's caches as well.
void GrantDeclared(const Target& target, WorkerSpec& spec);

// The worker of a program that asks it without slots: with all of the above, in a folder of this name. The folders of
// its requests are made there: scratch.Make(case, bytes, slot).
WorkerSpec RestrictedTargetWorker(const Target& target, Scratch& scratch, std::string_view slot);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_WORKER_ISOLATION_H_
