// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/device.h"

#include <fmt/format.h>

namespace opbyop::pjrt {

Result<int> Memory::Id() const {
  auto args = Arguments<PJRT_Memory_Id_Args>();
  args.memory = memory_;
  return api_.Call(args).map([&] { return args.id; });
}

Result<std::string> Memory::Kind() const {
  auto args = Arguments<PJRT_Memory_Kind_Args>();
  args.memory = memory_;
  return api_.Call(args).map([&] { return std::string(TextOf(args.kind, args.kind_size)); });
}

Result<std::string> Memory::DebugString() const {
  auto args = Arguments<PJRT_Memory_DebugString_Args>();
  args.memory = memory_;
  return api_.Call(args).map([&] { return std::string(TextOf(args.debug_string, args.debug_string_size)); });
}

Result<int> DeviceDescription::Id() const {
  auto args = Arguments<PJRT_DeviceDescription_Id_Args>();
  args.device_description = description_;
  return api_.Call(args).map([&] { return args.id; });
}

Result<std::string> DeviceDescription::Kind() const {
  auto args = Arguments<PJRT_DeviceDescription_Kind_Args>();
  args.device_description = description_;
  return api_.Call(args).map([&] { return std::string(TextOf(args.device_kind, args.device_kind_size)); });
}

Result<std::string> DeviceDescription::DebugString() const {
  auto args = Arguments<PJRT_DeviceDescription_DebugString_Args>();
  args.device_description = description_;
  return api_.Call(args).map([&] { return std::string(TextOf(args.debug_string, args.debug_string_size)); });
}

Result<NamedValues> DeviceDescription::Attributes() const {
  auto args = Arguments<PJRT_DeviceDescription_Attributes_Args>();
  args.device_description = description_;
  return api_.Call(args).map([&] { return ReadNamedValues(args.attributes, args.num_attributes); });
}

Result<DeviceDescription> Device::Description() const {
  auto args = Arguments<PJRT_Device_GetDescription_Args>();
  args.device = device_;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.device_description == nullptr) {
    return tl::unexpected(MissingResultError("PJRT_Device_GetDescription", "description"));
  }
  return DeviceDescription(api_, args.device_description);
}

Result<bool> Device::IsAddressable() const {
  auto args = Arguments<PJRT_Device_IsAddressable_Args>();
  args.device = device_;
  return api_.Call(args).map([&] { return args.is_addressable; });
}

Result<int> Device::LocalHardwareId() const {
  auto args = Arguments<PJRT_Device_LocalHardwareId_Args>();
  args.device = device_;
  return api_.Call(args).map([&] { return args.local_hardware_id; });
}

Result<std::vector<Memory>> Device::Memories() const {
  auto args = Arguments<PJRT_Device_AddressableMemories_Args>();
  args.device = device_;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  std::vector<Memory> memories;
  for (size_t i = 0; args.memories != nullptr && i < args.num_memories; ++i) {
    if (args.memories[i] != nullptr) memories.emplace_back(api_, args.memories[i]);
  }
  return memories;
}

Result<Memory> Device::DefaultMemory() const {
  auto args = Arguments<PJRT_Device_DefaultMemory_Args>();
  args.device = device_;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.memory == nullptr) return tl::unexpected(MissingResultError("PJRT_Device_DefaultMemory", "memory"));
  return Memory(api_, args.memory);
}

Result<std::optional<int64_t>> Device::MemoryLimit() const {
  auto args = Arguments<PJRT_Device_MemoryStats_Args>();
  args.device = device_;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (!args.bytes_limit_is_set) return std::optional<int64_t>();
  return std::optional<int64_t>(args.bytes_limit);
}

}  // namespace opbyop::pjrt
