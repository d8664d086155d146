// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The devices of a client, their memories, and their descriptions.
//
//   for (const Device& device : *client.AddressableDevices()) print(*device.Kind(), *device.Id());
//
// Devices and memories are views: they live as long as their client.
#ifndef OPBYOP_DEVICE_PJRT_DEVICE_H_
#define OPBYOP_DEVICE_PJRT_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/pjrt/api.h"
#include "device/pjrt/named_value.h"

namespace opbyop::pjrt {

class Memory {
 public:
  Memory(const Api& api, PJRT_Memory* memory) : api_(api), memory_(memory) {}

  PJRT_Memory* get() const { return memory_; }
  Result<int> Id() const;
  Result<std::string> Kind() const;  // "device", "pinned_host", "unpinned_host"
  Result<std::string> DebugString() const;

 private:
  Api api_;
  PJRT_Memory* memory_;
};

// Describes a device, which may be absent (device/pjrt/topology.h).
class DeviceDescription {
 public:
  DeviceDescription(const Api& api, PJRT_DeviceDescription* description) : api_(api), description_(description) {}

  Result<int> Id() const;
  Result<std::string> Kind() const;  // "TPU v5 lite"
  Result<std::string> DebugString() const;
  Result<NamedValues> Attributes() const;

 private:
  Api api_;
  PJRT_DeviceDescription* description_;
};

class Device {
 public:
  Device(const Api& api, PJRT_Device* device) : api_(api), device_(device) {}

  PJRT_Device* get() const { return device_; }
  Result<DeviceDescription> Description() const;
  Result<bool> IsAddressable() const;
  Result<int> LocalHardwareId() const;
  Result<std::vector<Memory>> Memories() const;
  Result<Memory> DefaultMemory() const;

  // The limit in bytes of the device's own memory, or nullopt if the device states none.
  Result<std::optional<int64_t>> MemoryLimit() const;

 private:
  Api api_;
  PJRT_Device* device_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_DEVICE_H_
