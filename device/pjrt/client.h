// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A plugin's client: its devices, and the executables and buffers that it creates for them.
//
//   Result<Client> client = Client::Create(plugin.api(), {{"cpu_device_count", int64_t{1}}});
//   Result<std::vector<Device>> devices = client->AddressableDevices();
//   Result<LoadedExecutable> loaded = client->Compile(artifact, SerializeCompileOptions({.device_ids = {0}}));
//   Result<Buffer> input = client->BufferFromHost({type, shape, bytes}, devices->front());
#ifndef OPBYOP_DEVICE_PJRT_CLIENT_H_
#define OPBYOP_DEVICE_PJRT_CLIENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "device/pjrt/api.h"
#include "device/pjrt/buffer.h"
#include "device/pjrt/device.h"
#include "device/pjrt/executable.h"
#include "device/pjrt/named_value.h"

namespace opbyop::pjrt {

class Client {
 public:
  static Result<Client> Create(const Api& api, const NamedValues& options);

  const Api& api() const { return api_; }
  PJRT_Client* get() const { return client_.get(); }

  Result<std::string> PlatformName() const;
  Result<std::string> PlatformVersion() const;
  Result<int> ProcessIndex() const;
  Result<std::vector<Device>> Devices() const;
  Result<std::vector<Device>> AddressableDevices() const;
  Result<std::vector<Memory>> AddressableMemories() const;
  Result<Device> LookupDevice(int id) const;

  // `program` is in the format "mlir": text, bytecode or a portable artifact. `options` is a serialized
  // xla.CompileOptionsProto.
  Result<LoadedExecutable> Compile(std::string_view program, std::string_view options) const;

  // Loads an executable that Executable::Serialize returned.
  Result<LoadedExecutable> Load(std::string_view serialized) const;

  // Returns when the bytes are no longer needed and the buffer is ready.
  Result<Buffer> BufferFromHost(
      const HostTensor& tensor, const Device& device,
      PJRT_HostBufferSemantics semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes) const;

 private:
  Client(const Api& api, PJRT_Client* client) : api_(api), client_(Own(api, client)) {}

  Api api_;
  Owned<PJRT_Client> client_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_CLIENT_H_
