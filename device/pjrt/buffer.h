// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tensor on a device.
//
//   Result<Buffer> buffer = client.BufferFromHost({type, shape, bytes}, device);
//   Result<size_t> size = buffer->HostBytes();
//   std::vector<std::byte> copy(*size);
//   Result<void> done = buffer->CopyToHost(copy);   // row-major, whatever layout it has on the device
#ifndef OPBYOP_DEVICE_PJRT_BUFFER_H_
#define OPBYOP_DEVICE_PJRT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "device/pjrt/api.h"

namespace opbyop::pjrt {

// A dense tensor in host memory, row-major.
struct HostTensor {
  PJRT_Buffer_Type type = PJRT_Buffer_Type_INVALID;
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes;
};

// The order of the dimensions, fastest first, and the number of levels of tiles.
struct Layout {
  std::vector<int64_t> minor_to_major;
  size_t tiles = 0;

  bool is_row_major() const;
};

class Buffer {
 public:
  Buffer(const Api& api, PJRT_Buffer* buffer) : api_(api), buffer_(Own(api, buffer)) {}

  PJRT_Buffer* get() const { return buffer_.get(); }

  Result<int> Type() const;  // a PJRT_Buffer_Type, or any other number that the plugin returned

  // The shape without the padding of dynamic dimensions, if the plugin reports it.
  Result<std::vector<int64_t>> Shape() const;

  // The layout as an order of dimensions. Strides are converted to the order that has them.
  Result<Layout> DeviceLayout() const;
  Result<size_t> DeviceBytes() const;
  Result<bool> IsDeleted() const;

  // Frees the memory; afterwards the buffer can only say that it is deleted.
  Result<void> Delete() const;

  // Returns when the computation of the buffer is done, with its error if it failed.
  Result<void> AwaitReady() const;

  // The number of bytes that CopyToHost needs.
  Result<size_t> HostBytes() const;

  // If a plugin supports only the device's own layout, the elements are reordered here.
  Result<void> CopyToHost(std::span<std::byte> bytes) const;

  // The device and the memory that hold the buffer.
  Result<PJRT_Device*> Device() const;
  Result<PJRT_Memory*> Memory() const;

  Result<Buffer> CopyToDevice(PJRT_Device* device) const;
  Result<Buffer> CopyToMemory(PJRT_Memory* memory) const;

 private:
  Result<void> ToHost(PJRT_Buffer_MemoryLayout* layout, std::span<std::byte> bytes, size_t* size) const;

  Api api_;
  Owned<PJRT_Buffer> buffer_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_BUFFER_H_
