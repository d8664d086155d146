// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several cases through one target worker as functions of one module.
//
//   slot.RunBatch(cases, [&](CaseRecord record) { ... });   // harness/slot/slot.h
//
// The rules, which need no process:
//  - A batch that does not compile whole (failure, crash, time, memory) is cut in halves until a single case is
//    left, and that runs alone.
//  - A member whose own execution or comparison ends in anything but a pass, or without a verdict, runs alone again:
//    what a record blames on a case is never the work of its neighbours.
//  - A member's compile times are its share of the batch's.
#ifndef OPBYOP_HARNESS_SLOT_BATCH_H_
#define OPBYOP_HARNESS_SLOT_BATCH_H_

#include <cstddef>
#include <vector>

#include "harness/worker/worker.h"
#include "manifests/results/result.h"

namespace opbyop::harness {

// How many of `waiting` cases one of `slots` slots takes at once, so that none idles while another has a long batch.
size_t BatchSize(size_t waiting, size_t slots, size_t most);

// What the compilation of a batch of `size` gives to each of its members.
CaseRecord MemberRecord(const Answer& compiled, size_t size);

// True where the record of a member stands; false where the case is to run alone.
bool StandsInBatch(const CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_SLOT_BATCH_H_
