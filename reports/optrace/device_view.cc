// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/device_view.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/optrace/compiled_view.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

struct Activity {
  int64_t start_ps;
  int64_t end_ps;
  bool collective;
};
using Activities = std::vector<Activity>;

// The time in which any of the activities goes on.
int64_t TimeOf(Activities activities) {
  std::ranges::sort(activities, {}, &Activity::start_ps);
  int64_t time = 0, end = 0;
  for (const Activity& each : activities) {
    time += std::max<int64_t>(0, each.end_ps - std::max(end, each.start_ps));
    end = std::max(end, each.end_ps);
  }
  return time;
}

// Adds the times of one execution on several devices. `by_device` has what each of them did.
void AddExecution(const std::map<int64_t, Activities>& by_device, std::map<int64_t, DeviceTime>& devices) {
  Activities all;
  for (const auto& [_, own] : by_device) all.insert(all.end(), own.begin(), own.end());
  const int64_t whole = TimeOf(std::move(all));
  for (const auto& [device, own] : by_device) {
    Activities collectives, computations;
    for (const Activity& each : own) (each.collective ? collectives : computations).push_back(each);
    const int64_t busy = TimeOf(own), in_collectives = TimeOf(std::move(collectives));
    const int64_t computes = TimeOf(std::move(computations));
    DeviceTime& time = devices[device];
    time.device = device;
    time.compute_ps += computes;
    time.collective_ps += in_collectives;
    time.both_ps += computes + in_collectives - busy;
    time.idle_ps += whole - busy;
  }
}

std::vector<DeviceTime> ListOf(const std::map<int64_t, DeviceTime>& devices) {
  std::vector<DeviceTime> list;
  list.reserve(devices.size());
  for (const auto& [_, device] : devices) list.push_back(device);
  return list;
}

json ToJson(const std::vector<DeviceTime>& devices) {
  json rows = json::array();
  if (devices.size() < 2) return rows;
  const size_t slowest = SlowestOf(devices);
  for (size_t i = 0; i < devices.size(); ++i) {
    const DeviceTime& each = devices[i];
    rows.push_back({{"device", each.device},
                    {"compute", each.compute_ps},
                    {"collective", each.collective_ps},
                    {"both", each.both_ps},
                    {"idle", each.idle_ps},
                    {"wire", each.wire_bytes},
                    {"slowest", i == slowest}});
  }
  return rows;
}

}  // namespace

std::vector<DeviceTime> DevicesInChain(const Trace& trace) {
  std::map<int64_t, std::map<int64_t, Activities>> by_execution;  // of an op, by device
  std::map<int64_t, DeviceTime> devices;
  for (const Span& span : trace.spans) {
    if (span.section != Section::kDevices || span.iteration != 0) continue;
    const bool collective = span.name == kCollectiveName;
    by_execution[span.flow][span.device].push_back({span.start_ps, span.end_ps(), collective});
    devices[span.device].wire_bytes += span.bytes;
  }
  for (const auto& [_, by_device] : by_execution) AddExecution(by_device, devices);
  return ListOf(devices);
}

std::vector<DeviceTime> DevicesInOnePiece(const Trace& trace) {
  const std::vector<int64_t> self = SelfTimes(trace.instructions);
  std::map<int64_t, Activities> by_device;
  std::map<int64_t, DeviceTime> devices;
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const Instruction& each = trace.instructions[i];
    devices[each.device].wire_bytes += each.wire_bytes;
    if (self[i] < each.dur_ps) continue;  // it runs in those that it contains
    by_device[each.device].push_back({each.start_ps, each.start_ps + each.dur_ps, IsCollective(each.category)});
  }
  AddExecution(by_device, devices);
  return ListOf(devices);
}

size_t SlowestOf(const std::vector<DeviceTime>& devices) {
  return static_cast<size_t>(std::ranges::max_element(devices, {}, &DeviceTime::compute_ps) - devices.begin());
}

json DeviceData(const Trace& trace) {
  json chain = ToJson(DevicesInChain(trace));
  json whole = ToJson(DevicesInOnePiece(trace));
  if (chain.empty() && whole.empty()) return nullptr;
  return {{"chain", std::move(chain)}, {"whole", std::move(whole)}};
}

}  // namespace opbyop::optrace
