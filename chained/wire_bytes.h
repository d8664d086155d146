// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes what a device receives from others in a collective of a compiled HLO program, from the op, the size of its
// result and the number of devices in a group. No profiler reports it.
//
//   WireBytes("all-reduce", 1024, 4);   // 1536: a ring passes each part on three times to add up, and three times after
#ifndef OPBYOP_CHAINED_WIRE_BYTES_H_
#define OPBYOP_CHAINED_WIRE_BYTES_H_

#include <cstdint>
#include <string_view>

namespace opbyop::chained {

// Returns the least that an implementation can move: a ring for sums, each part once for the others. 0 for an op that is
// no collective. `bytes` is the size of the result on one device.
double WireBytes(std::string_view opcode, double bytes, int64_t group);

// The number of devices in the first group of an instruction's attributes in HLO text: "replica_groups={{0,1},{2,3}}",
// "replica_groups=[4,2]<=[8]", "replica_groups=mesh['x'=4,'y'=2] {'y'}". `devices` are in the group where the text lists
// none; 0 if the form is unknown.
int64_t GroupSize(std::string_view attributes, int64_t devices);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_WIRE_BYTES_H_
