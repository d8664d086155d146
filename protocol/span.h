// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The activities of a device during an `execute`, and their times: the `spans` of a `done` message
// (docs/worker-protocol.md).
//
//   const std::string text = SpanLines({{.kind = "load", .start_ns = begin, .dur_ns = 900, .bytes = 4096}});
//   // "load 0 8123456789 900 bytes=4096\n"
//   for (const Span& span : ParseSpans(text)) ...
//
// Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
#ifndef OPBYOP_PROTOCOL_SPAN_H_
#define OPBYOP_PROTOCOL_SPAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::protocol {

struct Span {
  std::string kind;   // transfer_in, load, allocate, repeats, execute, collective, transfer_out
  int64_t index = 0;  // of the input, the output or the run
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
  int64_t bytes = 0;          // moved or allocated
  bool device_clock = false;  // measured by the device's own clock, converted to CLOCK_MONOTONIC
  // how much later the span may have started, if its start is known less exactly than its duration
  int64_t slack_ns = 0;
  // the process of a grid that did it; -1: all of them, or the only one
  int64_t process = -1;

  int64_t end_ns() const { return start_ns + dur_ns; }

  friend bool operator==(const Span&, const Span&) = default;
};

// A line for each span. Fields that say nothing are left out.
std::string SpanLines(const std::vector<Span>& spans);

// Also reads the lines of workers from before the fields had names ("execute 0 8123456789 900 0 device 40"). A line
// that is no span is left out, and so is a field of a newer worker.
std::vector<Span> ParseSpans(std::string_view lines);

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_SPAN_H_
