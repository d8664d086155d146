// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the instructions of a compiled program in the trace of a profiler (an XSpace): which engine, stream or thread
// executed each, and when.
//
//   Expected<std::vector<InstructionEvent>> events = ReadInstructions(bytes);
//   events->front().track;       // "XLA Ops" of a TPU, "Stream #14" of a GPU, a thread of XLA's CPU client
//   events->front().name;        // "fusion.3"
//
// On a device's plane they are the events of the lines `XLA Ops` and `Async XLA Ops`, or, where there are none, the
// events of any line that have the stat `hlo_op`; on the host's plane, where XLA's CPU client puts its threads, those
// with that stat. If the trace has executions (executions.h), only the instructions of the last one are read. The bytes
// are untrusted: they are read or refused.
#ifndef OPBYOP_SUPPORT_XSPACE_INSTRUCTIONS_H_
#define OPBYOP_SUPPORT_XSPACE_INSTRUCTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::xspace {

struct InstructionEvent {
  int64_t device = 0;  // the number of its plane, or the stat `device_ordinal`
  std::string track;
  std::string name;       // the stat `hlo_op`, or the event's name
  std::string category;   // the stat `hlo_category`; may be empty
  std::string framework;  // the stat `tf_op`, the name that the program gives the op; may be empty
  int64_t start_ps = 0;   // since the first instruction
  int64_t duration_ps = 0;
  double bytes = 0;  // the stat `bytes_accessed`; 0: unknown

  friend bool operator==(const InstructionEvent&, const InstructionEvent&) = default;
};

// Sorted by start, and of two that start together the longer first. Empty if the trace has no instructions. Returns
// kBadInput if the bytes are no XSpace, or if an instruction has no time.
Expected<std::vector<InstructionEvent>> ReadInstructions(std::string_view bytes);

}  // namespace opbyop::xspace

#endif  // OPBYOP_SUPPORT_XSPACE_INSTRUCTIONS_H_
