// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs several cases through one target worker as functions of one module.
//
//   slot.RunBatch(cases, [&](CaseRecord record) { ... });   // harness/slot/slot.h
//
// The rules, which need no process:
//  - A batch that does not compile as a whole (failure, crash, timeout, memory) is cut in halves until a single case is
//    left. That case runs alone.
//  - A member whose own execution or comparison does not pass, or ends without a verdict, runs again alone. A record
//    therefore never blames a case for a fault of other members.
//  - A member's compile times are its share of the batch's.
#ifndef OPBYOP_HARNESS_SLOT_BATCH_H_
#define OPBYOP_HARNESS_SLOT_BATCH_H_

#include <cstddef>
#include <vector>

#include "harness/slot/slot_settings.h"
#include "harness/worker/worker.h"
#include "manifests/results/result.h"

namespace opbyop::harness {

// True if the case may share a module with others. A case that the baseline expects to fail may not: its batch would
// only be halved until the case is found.
bool MayShareModule(const Case& c, const SlotSettings& settings);

// Returns how many of the `waiting` cases one of `slots` slots takes at once. No slot must be idle while another has a
// long batch.
size_t BatchSize(size_t waiting, size_t slots, size_t most);

// Returns the record that each member gets from the compilation of a batch of `size` cases.
CaseRecord MemberRecord(const Answer& compiled, size_t size);

// True if the record of a member is final; false if the case must run alone.
bool IsFinalInBatch(const CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_BATCH_H_
