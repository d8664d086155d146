// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "device/pjrt/event.h"
#include "device/pjrt/raw_enum.h"

namespace opbyop::pjrt {
namespace {

// The order of dimensions in row-major layout.
std::vector<int64_t> RowMajor(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

// Copies elements of `width` bytes from the order of `layout` to row-major order.
void CopyToRowMajor(const std::vector<int64_t>& shape, const Layout& layout, size_t width,
                    std::span<const std::byte> from, std::span<std::byte> to) {
  const size_t rank = shape.size();
  std::vector<size_t> strides(rank);
  size_t stride = width;
  for (const int64_t dimension : layout.minor_to_major) {
    strides[static_cast<size_t>(dimension)] = stride;
    stride *= static_cast<size_t>(shape[static_cast<size_t>(dimension)]);
  }
  std::vector<int64_t> index(rank, 0);
  for (size_t at = 0; at + width <= to.size(); at += width) {
    size_t place = 0;
    for (size_t d = 0; d < rank; ++d) place += static_cast<size_t>(index[d]) * strides[d];
    if (place + width > from.size()) return;
    std::memcpy(&to[at], &from[place], width);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

bool IsPermutation(std::vector<int64_t> order) {
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The order of dimensions that these strides describe. Of dimensions with equal strides, the later one is the faster.
std::vector<int64_t> OrderOf(std::span<const int64_t> strides) {
  std::vector<int64_t> order = RowMajor(strides.size());
  std::ranges::sort(order, {}, [&](int64_t d) { return std::pair(strides[static_cast<size_t>(d)], -d); });
  return order;
}

}  // namespace

bool Layout::is_row_major() const { return tiles == 0 && minor_to_major == RowMajor(minor_to_major.size()); }

Result<int> Buffer::Type() const {
  auto args = Arguments<PJRT_Buffer_ElementType_Args>();
  args.buffer = get();
  return api_.Call(args).map([&] { return RawEnum(args.type); });
}

Result<std::vector<int64_t>> Buffer::Shape() const {
  auto unpadded = Arguments<PJRT_Buffer_UnpaddedDimensions_Args>();
  unpadded.buffer = get();
  if (api_.Has<PJRT_Buffer_UnpaddedDimensions_Args>() && api_.Call(unpadded)) {
    if (unpadded.unpadded_dims == nullptr) return std::vector<int64_t>();
    return std::vector<int64_t>(unpadded.unpadded_dims, unpadded.unpadded_dims + unpadded.num_dims);
  }
  auto args = Arguments<PJRT_Buffer_Dimensions_Args>();
  args.buffer = get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.dims == nullptr) return std::vector<int64_t>();
  return std::vector<int64_t>(args.dims, args.dims + args.num_dims);
}

Result<Layout> Buffer::DeviceLayout() const {
  auto args = Arguments<PJRT_Buffer_GetMemoryLayout_Args>();
  args.buffer = get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  Layout layout;
  if (RawEnum(args.layout.type) == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const PJRT_Buffer_MemoryLayout_Strides& strides = args.layout.strides;
    if (strides.byte_strides != nullptr) {
      layout.minor_to_major = OrderOf(std::span(strides.byte_strides, strides.num_byte_strides));
    }
    return layout;
  }
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = args.layout.tiled;
  if (tiled.minor_to_major != nullptr) {
    layout.minor_to_major.assign(tiled.minor_to_major, tiled.minor_to_major + tiled.minor_to_major_size);
  }
  layout.tiles = tiled.num_tiles;
  return layout;
}

Result<size_t> Buffer::DeviceBytes() const {
  auto args = Arguments<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  args.buffer = get();
  return api_.Call(args).map([&] { return args.on_device_size_in_bytes; });
}

Result<bool> Buffer::IsDeleted() const {
  auto args = Arguments<PJRT_Buffer_IsDeleted_Args>();
  args.buffer = get();
  return api_.Call(args).map([&] { return args.is_deleted; });
}

Result<void> Buffer::Delete() const {
  auto args = Arguments<PJRT_Buffer_Delete_Args>();
  args.buffer = get();
  return api_.Call(args);
}

Result<void> Buffer::AwaitReady() const {
  auto args = Arguments<PJRT_Buffer_ReadyEvent_Args>();
  args.buffer = get();
  if (Result<void> called = api_.Call(args); !called) return called;
  return Await(api_, Own(api_, args.event), "PJRT_Buffer_ReadyEvent");
}

Result<void> Buffer::ToHost(PJRT_Buffer_MemoryLayout* layout, std::span<std::byte> bytes, size_t* size) const {
  auto args = Arguments<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = get();
  args.host_layout = layout;
  args.dst = size == nullptr ? bytes.data() : nullptr;
  args.dst_size = bytes.size();
  if (Result<void> called = api_.Call(args); !called) return called;
  if (size != nullptr) {
    *size = args.dst_size;
    if (args.event != nullptr) return Await(api_, Own(api_, args.event), "PJRT_Buffer_ToHostBuffer");
    return {};
  }
  return Await(api_, Own(api_, args.event), "PJRT_Buffer_ToHostBuffer");
}

namespace {

// Row-major, for a tensor of `order.size()` dimensions. The layout points into `order`.
ArgumentBlock<PJRT_Buffer_MemoryLayout> HostLayout(const Api& api, const std::vector<int64_t>& order) {
  PJRT_Buffer_MemoryLayout layout = {};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  return {layout, api.BytesOf<PJRT_Buffer_MemoryLayout>()};
}

// Whether a plugin refuses the host's layout, rather than the copy itself.
bool RefusesLayout(const CallError& error) {
  return !error.absent &&
         (error.code == PJRT_Error_Code_UNIMPLEMENTED || error.code == PJRT_Error_Code_INVALID_ARGUMENT);
}

}  // namespace

Result<size_t> Buffer::HostBytes() const {
  const Result<std::vector<int64_t>> shape = Shape();
  if (!shape) return tl::unexpected(shape.error());
  const std::vector<int64_t> order = RowMajor(shape->size());
  ArgumentBlock<PJRT_Buffer_MemoryLayout> layout = HostLayout(api_, order);
  size_t size = 0;
  Result<void> called = ToHost(layout.get(), {}, &size);
  if (!called && RefusesLayout(called.error())) called = ToHost(nullptr, {}, &size);
  if (!called) return tl::unexpected(called.error());
  return size;
}

Result<void> Buffer::CopyToHost(std::span<std::byte> bytes) const {
  if (bytes.empty()) {
    Result<void> ready = AwaitReady();
    return !ready && ready.error().absent ? Result<void>() : ready;
  }
  const Result<std::vector<int64_t>> shape = Shape();
  if (!shape) return tl::unexpected(shape.error());
  const std::vector<int64_t> order = RowMajor(shape->size());
  ArgumentBlock<PJRT_Buffer_MemoryLayout> host = HostLayout(api_, order);
  Result<void> copied = ToHost(host.get(), bytes, nullptr);
  if (copied || !RefusesLayout(copied.error())) return copied;

  const Result<Layout> layout = DeviceLayout();
  if (!layout) return copied;
  if (layout->is_row_major()) return ToHost(nullptr, bytes, nullptr);
  const auto elements =
      static_cast<size_t>(std::accumulate(shape->begin(), shape->end(), int64_t{1}, std::multiplies<>()));
  const bool whole = elements > 0 && bytes.size() % elements == 0;
  if (layout->tiles > 0 || layout->minor_to_major.size() != shape->size() || !IsPermutation(layout->minor_to_major) ||
      !whole) {
    return copied;
  }
  std::vector<std::byte> raw(bytes.size());
  copied = ToHost(nullptr, raw, nullptr);
  if (copied) CopyToRowMajor(*shape, *layout, bytes.size() / elements, raw, bytes);
  return copied;
}

Result<PJRT_Device*> Buffer::Device() const {
  auto args = Arguments<PJRT_Buffer_Device_Args>();
  args.buffer = get();
  return api_.Call(args).map([&] { return args.device; });
}

Result<PJRT_Memory*> Buffer::Memory() const {
  auto args = Arguments<PJRT_Buffer_Memory_Args>();
  args.buffer = get();
  return api_.Call(args).map([&] { return args.memory; });
}

Result<Buffer> Buffer::CopyToDevice(PJRT_Device* device) const {
  auto args = Arguments<PJRT_Buffer_CopyToDevice_Args>();
  args.buffer = get();
  args.dst_device = device;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.dst_buffer == nullptr) return tl::unexpected(MissingResultError("PJRT_Buffer_CopyToDevice", "buffer"));
  return Buffer(api_, args.dst_buffer);
}

Result<Buffer> Buffer::CopyToMemory(PJRT_Memory* memory) const {
  auto args = Arguments<PJRT_Buffer_CopyToMemory_Args>();
  args.buffer = get();
  args.dst_memory = memory;
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  if (args.dst_buffer == nullptr) return tl::unexpected(MissingResultError("PJRT_Buffer_CopyToMemory", "buffer"));
  return Buffer(api_, args.dst_buffer);
}

}  // namespace opbyop::pjrt
