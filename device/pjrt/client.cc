// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/client.h"

#include <utility>

#include "device/pjrt/event.h"
#include "device/pjrt/mlir_program.h"

namespace opbyop::pjrt {
namespace {

std::vector<Device> DevicesOf(const Api& api, PJRT_Device* const* list, size_t count) {
  std::vector<Device> devices;
  for (size_t i = 0; list != nullptr && i < count; ++i) {
    if (list[i] != nullptr) devices.emplace_back(api, list[i]);
  }
  return devices;
}

}  // namespace

Result<Client> Client::Create(const Api& api, const NamedValues& options) {
  const NamedValueList list(options);
  auto args = Arguments<PJRT_Client_Create_Args>();
  args.create_options = list.data();
  args.num_options = list.size();
  if (Result<void> called = api.Call(args); !called) return tl::unexpected(called.error());
  if (args.client == nullptr) return tl::unexpected(MissingResultError("PJRT_Client_Create", "client"));
  return Client(api, args.client);
}

Result<std::string> Client::PlatformName() const {
  auto args = Arguments<PJRT_Client_PlatformName_Args>();
  args.client = get();
  return api_.Call(args).map([&] { return std::string(TextOf(args.platform_name, args.platform_name_size)); });
}

Result<std::string> Client::PlatformVersion() const {
  auto args = Arguments<PJRT_Client_PlatformVersion_Args>();
  args.client = get();
  return api_.Call(args).map([&] { return std::string(TextOf(args.platform_version, args.platform_version_size)); });
}

Result<int> Client::ProcessIndex() const {
  auto args = Arguments<PJRT_Client_ProcessIndex_Args>();
  args.client = get();
  return api_.Call(args).map([&] { return args.process_index; });
}

Result<std::vector<Device>> Client::Devices() const {
  auto args = Arguments<PJRT_Client_Devices_Args>();
  args.client = get();
  return api_.Call(args).map([&] { return DevicesOf(api_, args.devices, args.num_devices); });
}

Result<std::vector<Device>> Client::AddressableDevices() const {
  auto args = Arguments<PJRT_Client_AddressableDevices_Args>();
  args.client = get();
  return api_.Call(args).map([&] { return DevicesOf(api_, args.addressable_devices, args.num_addressable_devices); });
}

Result<std::vector<Memory>> Client::AddressableMemories() const {
  auto args = Arguments<PJRT_Client_AddressableMemories_Args>();
  args.client = get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  std::vector<Memory> memories;
  for (size_t i = 0; args.addressable_memories != nullptr && i < args.num_addressable_memories; ++i) {
    if (args.addressable_memories[i] != nullptr) memories.emplace_back(api_, args.addressable_memories[i]);
  }
  return memories;
}

Result<Device> Client::LookupDevice(int id) const {
  auto args = Arguments<PJRT_Client_LookupDevice_Args>();
  args.client = get();
  args.id = id;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.device == nullptr) return tl::unexpected(MissingResultError("PJRT_Client_LookupDevice", "device"));
  return Device(api_, args.device);
}

Result<LoadedExecutable> Client::Compile(std::string_view program, std::string_view options) const {
  ArgumentBlock<PJRT_Program> code = MlirProgram(api_, program);
  auto args = Arguments<PJRT_Client_Compile_Args>();
  args.client = get();
  args.program = code.get();
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  if (Result<void> called = api_.Call(args, code); !called) return tl::unexpected(called.error());
  if (args.executable == nullptr) return tl::unexpected(MissingResultError("PJRT_Client_Compile", "executable"));
  return LoadedExecutable(api_, args.executable);
}

Result<LoadedExecutable> Client::Load(std::string_view serialized) const {
  auto args = Arguments<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = get();
  args.serialized_executable = serialized.data();
  args.serialized_executable_size = serialized.size();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.loaded_executable == nullptr) {
    return tl::unexpected(MissingResultError("PJRT_Executable_DeserializeAndLoad", "executable"));
  }
  return LoadedExecutable(api_, args.loaded_executable);
}

Result<Buffer> Client::BufferFromHost(const HostTensor& tensor, const Device& device,
                                      PJRT_HostBufferSemantics semantics) const {
  auto args = Arguments<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = get();
  args.data = tensor.bytes.data();
  args.type = tensor.type;
  args.dims = tensor.shape.data();
  args.num_dims = tensor.shape.size();
  args.host_buffer_semantics = semantics;
  args.device = device.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  Owned<PJRT_Event> event = Own(api_, args.done_with_host_buffer);
  if (args.buffer == nullptr) return tl::unexpected(MissingResultError("PJRT_Client_BufferFromHostBuffer", "buffer"));
  Buffer buffer(api_, args.buffer);
  // If there is no event, the plugin has copied the bytes during the call.
  const bool zero_copy = semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                         semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  if (event != nullptr && !zero_copy) {
    Result<void> sent = Await(api_, std::move(event), "PJRT_Client_BufferFromHostBuffer");
    if (!sent) return tl::unexpected(sent.error());
  }
  if (Result<void> ready = buffer.AwaitReady(); !ready && !ready.error().absent) return tl::unexpected(ready.error());
  return buffer;
}

}  // namespace opbyop::pjrt
