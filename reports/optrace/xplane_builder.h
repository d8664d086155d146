// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds one plane of an XSpace. Names and stats are interned; ids follow the order of their first use.
//
//   PlaneBuilder plane(0, "/device:TPU:0");
//   plane.AddStat("device_type_string", "TPU (conformance: host)");
//   const int64_t dot = plane.Event("%dot.0 = dot_general(...)", "dot.0", {{"symbol_id", uint64_t{1}}});
//   plane.BeginLine("XLA Ops");
//   plane.AddEvent(dot, start_ps, dur_ps, {{"group_id", int64_t{0}}});
//   plane.EndLine();
//   file.Write(plane.Finish());
//
// Wire schema: tensorflow.profiler.XSpace, proto3.
#ifndef OPBYOP_REPORTS_OPTRACE_XPLANE_BUILDER_H_
#define OPBYOP_REPORTS_OPTRACE_XPLANE_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opbyop::optrace {

using StatValue = std::variant<double, uint64_t, int64_t, std::string>;
using Stats = std::vector<std::pair<std::string, StatValue>>;

class PlaneBuilder {
 public:
  PlaneBuilder(int64_t id, const std::string& name);

  void AddStat(const std::string& name, const StatValue& value);

  // Defines a stat's name in the plane even if nothing uses it.
  void DeclareStat(const std::string& name) { StatId(name); }

  // The id of an event's metadata; events with equal `name` and `display` share it.
  int64_t Event(const std::string& name, const std::string& display = "", const Stats& stats = {});

  void BeginLine(const std::string& name);
  void AddEvent(int64_t event, int64_t start_ps, int64_t dur_ps, const Stats& stats = {});
  void EndLine();

  // The plane's bytes as a field of XSpace.
  std::string Finish();

 private:
  int64_t StatId(const std::string& name);
  std::string Encode(const std::pair<std::string, StatValue>& stat);

  std::string plane_;
  std::string line_;
  int64_t lines_ = 0;
  std::map<std::string, int64_t> stat_ids_;
  std::map<std::pair<std::string, std::string>, int64_t> event_ids_;
};

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_XPLANE_BUILDER_H_
