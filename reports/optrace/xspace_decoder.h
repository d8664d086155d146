// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads an XSpace for tests, directly from the wire format, without the code that wrote it.
//
//   XSpace space = DecodeXSpace(bytes);
//   space.planes[0].lines[2].events[0].stats.at("group_id").kind == StatKind::kInt64
#ifndef OPBYOP_REPORTS_OPTRACE_XSPACE_DECODER_H_
#define OPBYOP_REPORTS_OPTRACE_XSPACE_DECODER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::optrace {

// The field of XStat that held a value.
enum class StatKind { kDouble = 2, kUint64 = 3, kInt64 = 4, kString = 5 };

struct XStat {
  StatKind kind = StatKind::kString;
  double number = 0;
  std::string text;
};

struct XEvent {
  std::string name;  // of its metadata; "?" if the id is not known
  std::string display;
  int64_t metadata = 0;
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  std::map<std::string, XStat> stats;           // of the event
  std::map<std::string, XStat> metadata_stats;  // of its metadata
};

struct XLine {
  std::string name;
  int64_t timestamp_ns = 0;
  std::vector<XEvent> events;
};

struct XPlane {
  std::string name;
  std::vector<XLine> lines;
  std::map<std::string, XStat> stats;
  std::vector<std::string> stat_names;
  std::vector<std::string> event_names;
  std::vector<std::string> errors;  // undefined ids, keys that differ from their values, unknown fields
};

struct XSpace {
  std::vector<XPlane> planes;
  std::vector<std::string> warnings;
};

XSpace DecodeXSpace(std::string_view bytes);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_XSPACE_DECODER_H_
