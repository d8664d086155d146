// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Devices that are named but absent: a plugin can compile for them nevertheless.
//
//   Result<Topology> topology = Topology::Create(plugin.api(), "v5e:2x2", {});
//   Result<Executable> compiled = topology->Compile(artifact, SerializeCompileOptions({.device_ids = {0}}));
#ifndef OPBYOP_DEVICE_PJRT_TOPOLOGY_H_
#define OPBYOP_DEVICE_PJRT_TOPOLOGY_H_

#include <string>
#include <string_view>
#include <vector>

#include "device/pjrt/api.h"
#include "device/pjrt/device.h"
#include "device/pjrt/executable.h"
#include "device/pjrt/named_value.h"

namespace opbyop::pjrt {

class Topology {
 public:
  static Result<Topology> Create(const Api& api, std::string_view name, const NamedValues& options);

  Result<std::string> PlatformName() const;
  Result<std::string> PlatformVersion() const;
  Result<std::vector<DeviceDescription>> Devices() const;

  // Compiles as Client::Compile does, but loads nothing.
  Result<Executable> Compile(std::string_view program, std::string_view options) const;

 private:
  Topology(const Api& api, PJRT_TopologyDescription* topology) : api_(api), topology_(Own(api, topology)) {}

  Api api_;
  Owned<PJRT_TopologyDescription> topology_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_TOPOLOGY_H_
