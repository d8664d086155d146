// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the devices of a sharded model spend their time: computing, in collectives, in both at once, idle.
//
//   for (const DeviceTime& each : DevicesInOnePiece(trace)) fmt::print("{}: {}\n", each.device, each.compute_ps);
//   page["devices"] = DeviceData(trace);
#ifndef OPBYOP_REPORTS_OPTRACE_DEVICE_VIEW_H_
#define OPBYOP_REPORTS_OPTRACE_DEVICE_VIEW_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "manifests/optrace/optrace.h"

namespace opbyop::optrace {

// The times of one device. Those in which several things happen at once count once.
struct DeviceTime {
  int64_t device = 0;
  int64_t compute_ps = 0;
  int64_t collective_ps = 0;  // moving data, and waiting for the others
  int64_t both_ps = 0;        // a part of both of the above
  int64_t idle_ps = 0;        // of the time in which any device is at work
  double wire_bytes = 0;      // that it got from others, computed from the tensors and groups of the collectives
};

// Returns those of the ops of one pass over the model, run one by one: the spans of Section::kDevices. Empty if there are none.
std::vector<DeviceTime> DevicesInChain(const Trace& trace);

// Returns those of the model in one piece: its instructions. Empty if there are none.
std::vector<DeviceTime> DevicesInOnePiece(const Trace& trace);

// The place of the device that computes longest, for which the others wait in their collectives.
size_t SlowestOf(const std::vector<DeviceTime>& devices);

// Null if no part of the trace has several devices. The frontend's src/profile/devices.tsx has the fields.
nlohmann::json DeviceData(const Trace& trace);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_DEVICE_VIEW_H_
