// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks of buffers: every element type to the device and back, strided host arrays, copies, deletion, events.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include "device/pjrt/element_type.h"
#include "device/pjrt/event.h"
#include "device/pjrt/interface/interface_check.h"

namespace opbyop::pjrt {
namespace {

using Shape = std::vector<int64_t>;
using Bytes = std::vector<std::byte>;

constexpr size_t kByteBits = 8;
constexpr auto kF32 = PJRT_Buffer_Type_F32;

size_t CountOf(const Shape& shape) {
  return static_cast<size_t>(std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>()));
}

// The number of bytes of one element on the host.
size_t WidthOf(PJRT_Buffer_Type type) { return (static_cast<size_t>(BitsOf(type)) + kByteBits - 1) / kByteBits; }

bool IsInteger(PJRT_Buffer_Type type) {
  const std::string_view name = ElementName(type);
  return name.starts_with("i") || name.starts_with("ui");
}

// Distinct elements, each a finite value of its type, so that no device has a reason to change them.
Bytes Elements(PJRT_Buffer_Type type, size_t count) {
  const size_t width = WidthOf(type);
  Bytes bytes(count * width);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(37 * i + 11);
  if (type == PJRT_Buffer_Type_PRED) {
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i % 3 == 0);
  } else if (!IsInteger(type)) {
    // Keeps the sign and the high bits of the exponent to those of numbers between 0 and 2; in complex numbers, of each
    // part.
    const bool complex = type == PJRT_Buffer_Type_C64 || type == PJRT_Buffer_Type_C128;
    const size_t part = complex ? width / 2 : width;
    for (size_t i = part - 1; i < bytes.size(); i += part) bytes[i] &= std::byte{0x3f};
  }
  NormalizeElements(type, bytes);
  return bytes;
}

std::string ShapeText(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

// Reads the buffer in the form that files have; an error is a sentence.
tl::expected<Bytes, Verdict> BytesOf(const Buffer& buffer, PJRT_Buffer_Type type, size_t count) {
  const size_t width = WidthOf(type), packed = (count * static_cast<size_t>(BitsOf(type)) + 7) / kByteBits;
  const Result<size_t> size = buffer.HostBytes();
  if (!size) return tl::unexpected(VerdictOf(size.error()));
  if (*size != count * width && *size != packed) {
    return tl::unexpected(
        Fail(fmt::format("{} elements of {} bytes need {} bytes on the host, says the plugin", count, width, *size)));
  }
  Bytes bytes(*size, std::byte{0xee});
  if (Result<void> copied = buffer.CopyToHost(bytes); !copied) return tl::unexpected(VerdictOf(copied.error()));
  if (*size != count * width) bytes = UnpackElements(type, bytes, count);
  NormalizeElements(type, bytes);
  return bytes;
}

// Fails with the position of the first difference.
Verdict Compared(const Bytes& sent, const Bytes& got, size_t width, const Shape& shape) {
  const auto [left, right] = std::ranges::mismatch(sent, got);
  if (left == sent.end() && right == got.end()) return Pass();
  const auto element = static_cast<size_t>(left - sent.begin()) / width;
  return Fail(fmt::format("element {} of shape {} comes back as another value", element, ShapeText(shape)));
}

Verdict ReturnsAs(const Buffer& buffer, PJRT_Buffer_Type type, const Shape& shape, const Bytes& sent) {
  const Result<int> is = buffer.Type();
  if (!is) return VerdictOf(is.error());
  if (*is != type) {
    return Fail(
        fmt::format("a buffer of {} says to be of {}", ElementName(type),
                    ElementName(*is).empty() ? fmt::format("type {}", static_cast<int>(*is)) : ElementName(*is)));
  }
  const Result<Shape> dimensions = buffer.Shape();
  if (!dimensions) return VerdictOf(dimensions.error());
  if (*dimensions != shape) {
    return Fail(fmt::format("a buffer of shape {} says to be of {}", ShapeText(shape), ShapeText(*dimensions)));
  }
  const auto got = BytesOf(buffer, type, CountOf(shape));
  return got ? Compared(sent, *got, WidthOf(type), shape) : got.error();
}

Verdict RoundTrip(Subject& subject, PJRT_Buffer_Type type, const Shape& shape) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Bytes sent = Elements(type, CountOf(shape));
  const Result<Buffer> buffer = (*subject.client())->BufferFromHost({type, shape, sent}, *device);
  return buffer ? ReturnsAs(*buffer, type, shape, sent) : VerdictOf(buffer.error());
}

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> kShapes = {
      {}, {4}, {1}, {0}, {3, 0, 2}, {5, 7}, {2, 3, 5}, {13, 1, 17}, {1, 2, 1, 3, 1}};
  return kShapes;
}

Verdict RoundTrips(Subject& subject, PJRT_Buffer_Type type) {
  for (const Shape& shape : Shapes()) {
    Verdict verdict = RoundTrip(subject, type, shape);
    if (verdict.status != Status::kPass) return verdict;
  }
  return Pass(fmt::format("{} shapes", Shapes().size()));
}

// Sends a host array of 3 x 5 with these strides, whose element 0 0 is `start` elements from its beginning.
Verdict FromStrides(Subject& subject, const Shape& strides, int64_t start) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Shape shape = {3, 5};
  constexpr int64_t kWidth = 4;
  const Bytes host = Elements(kF32, 30);
  Bytes expected(CountOf(shape) * kWidth);
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t k = 0; k < shape[1]; ++k) {
      std::copy_n(host.begin() + kWidth * start + i * strides[0] + k * strides[1], kWidth,
                  expected.begin() + kWidth * (i * shape[1] + k));
    }
  }
  const Client& client = **subject.client();
  auto args = Arguments<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client.get();
  args.data = host.data() + kWidth * start;
  args.type = kF32;
  args.dims = shape.data();
  args.num_dims = shape.size();
  args.byte_strides = strides.data();
  args.num_byte_strides = strides.size();
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = device->get();
  if (Result<void> called = client.api().Call(args); !called) return VerdictOf(called.error());
  const Buffer buffer(client.api(), args.buffer);
  const Owned<PJRT_Event> event = Own(client.api(), args.done_with_host_buffer);
  return ReturnsAs(buffer, kF32, shape, expected);
}

Result<Buffer> Send(Subject& subject, const Device& device, const Shape& shape, const Bytes& sent,
                    PJRT_HostBufferSemantics semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
  return (*subject.client())->BufferFromHost({kF32, shape, sent}, device, semantics);
}

// The shape and the bytes of a 3 x 5 buffer that was sent to the device.
struct Sent {
  Shape shape = {3, 5};
  Bytes bytes = Elements(kF32, 15);
};

Verdict WithBuffer(Subject& subject, const std::function<Verdict(const Device&, const Buffer&, const Sent&)>& check) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Sent sent;
  const Result<Buffer> buffer = Send(subject, *device, sent.shape, sent.bytes);
  if (!buffer) return VerdictOf(buffer.error());
  return check(*device, *buffer, sent);
}

// Copies with the first dimension innermost, which is no plugin's default.
Verdict ToColumns(Subject& subject) {
  return WithBuffer(subject, [&](const Device&, const Buffer& buffer, const Sent& sent) {
    const Shape order = {0, 1};
    PJRT_Buffer_MemoryLayout layout = {};
    layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
    layout.tiled.minor_to_major = order.data();
    layout.tiled.minor_to_major_size = order.size();
    Bytes columns(sent.bytes.size());
    auto args = Arguments<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer.get();
    args.host_layout = &layout;
    args.dst = columns.data();
    args.dst_size = columns.size();
    const Api& api = (*subject.client())->api();
    if (Result<void> called = api.Call(args); !called) return VerdictOf(called.error());
    if (Result<void> done = Await(api, Own(api, args.event), "PJRT_Buffer_ToHostBuffer"); !done) {
      return VerdictOf(done.error());
    }
    constexpr size_t kWidth = 4, kRows = 3, kColumns = 5;
    Bytes rows(columns.size());
    for (size_t i = 0; i < kRows * kColumns; ++i) {
      const size_t from = kWidth * (i % kColumns * kRows + i / kColumns);
      std::copy_n(columns.begin() + static_cast<std::ptrdiff_t>(from), kWidth,
                  rows.begin() + static_cast<std::ptrdiff_t>(kWidth * i));
    }
    return Compared(sent.bytes, rows, kWidth, sent.shape);
  });
}

Verdict ReportsLayout(Subject& subject) {
  return WithBuffer(subject, [](const Device&, const Buffer& buffer, const Sent& sent) {
    const Result<Layout> layout = buffer.DeviceLayout();
    if (!layout) return VerdictOf(layout.error());
    Shape order = layout->minor_to_major;
    std::ranges::sort(order);
    if (order != Shape{0, 1}) {
      return Fail(fmt::format("dimensions {} are no order of the {} that the buffer has",
                              ShapeText(layout->minor_to_major), sent.shape.size()));
    }
    return Pass(fmt::format("minor to major {}, {} tiles", ShapeText(layout->minor_to_major), layout->tiles));
  });
}

Verdict ReportsDeviceSize(Subject& subject) {
  return WithBuffer(subject, [](const Device&, const Buffer& buffer, const Sent& sent) {
    const Result<size_t> size = buffer.DeviceBytes();
    if (!size) return VerdictOf(size.error());
    if (*size < sent.bytes.size())
      return Fail(fmt::format("{} bytes lie on the device as {}", sent.bytes.size(), *size));
    return Pass(fmt::format("{} bytes for {}", *size, sent.bytes.size()));
  });
}

Verdict ReportsPlacement(Subject& subject) {
  return WithBuffer(subject, [](const Device& device, const Buffer& buffer, const Sent&) {
    const Result<PJRT_Device*> on = buffer.Device();
    if (!on) return VerdictOf(on.error());
    if (*on != device.get()) return Fail("a buffer reports another device than the one it was sent to");
    const Result<PJRT_Memory*> in = buffer.Memory();
    if (!in) return VerdictOf(in.error());
    const Result<Memory> usual = device.DefaultMemory();
    if (usual && usual->get() != *in) return Fail("a buffer reports another memory than the device's default");
    return Pass();
  });
}

// The host may reuse its array after the call has returned.
Verdict Keeps(Subject& subject) {
  const auto device = subject.device();
  if (!device) return Skip(device.error());
  const Sent sent;
  Bytes reused = sent.bytes;
  const Result<Buffer> buffer = Send(subject, *device, sent.shape, reused);
  if (!buffer) return VerdictOf(buffer.error());
  std::ranges::fill(reused, std::byte{0});
  return ReturnsAs(*buffer, kF32, sent.shape, sent.bytes);
}

Verdict CopiesToDevice(Subject& subject) {
  return WithBuffer(subject, [](const Device& device, const Buffer& buffer, const Sent& sent) {
    const Result<Buffer> copy = buffer.CopyToDevice(device.get());
    return copy ? ReturnsAs(*copy, kF32, sent.shape, sent.bytes) : VerdictOf(copy.error());
  });
}

Verdict CopiesToMemory(Subject& subject) {
  return WithBuffer(subject, [](const Device& device, const Buffer& buffer, const Sent& sent) {
    const Result<std::vector<Memory>> memories = device.Memories();
    if (!memories) return VerdictOf(memories.error());
    for (const Memory& memory : *memories) {
      const Result<Buffer> copy = buffer.CopyToMemory(memory.get());
      if (!copy) return VerdictOf(copy.error());
      Verdict verdict = ReturnsAs(*copy, kF32, sent.shape, sent.bytes);
      if (verdict.status != Status::kPass) return verdict;
    }
    return Pass(fmt::format("{} memories", memories->size()));
  });
}

// A deleted buffer must say that it is deleted, and reading it must be an error.
Verdict Deletes(Subject& subject) {
  return WithBuffer(subject, [](const Device&, const Buffer& buffer, const Sent& sent) {
    if (Result<void> deleted = buffer.Delete(); !deleted) return VerdictOf(deleted.error());
    const Result<bool> gone = buffer.IsDeleted();
    if (!gone) return VerdictOf(gone.error());
    if (!*gone) return Fail("a buffer that was deleted says that it is not");
    Bytes bytes(sent.bytes.size());
    if (buffer.CopyToHost(bytes)) return Fail("a buffer that was deleted can still be read");
    return Pass();
  });
}

// Calls `ask` with the event of a copy to the host.
Verdict WithEvent(Subject& subject, const std::function<Verdict(const Api&, Owned<PJRT_Event>)>& ask) {
  return WithBuffer(subject, [&](const Device&, const Buffer& buffer, const Sent& sent) {
    static Bytes bytes(sent.bytes.size());  // target of a copy that may end after this check
    const Api& api = (*subject.client())->api();
    auto args = Arguments<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer.get();
    args.dst = bytes.data();
    args.dst_size = bytes.size();
    if (Result<void> called = api.Call(args); !called) return VerdictOf(called.error());
    if (args.event == nullptr) return Fail("PJRT_Buffer_ToHostBuffer gave no event");
    return ask(api, Own(api, args.event));
  });
}

Verdict AwaitsEvent(Subject& subject) {
  return WithEvent(subject, [](const Api& api, Owned<PJRT_Event> event) {
    auto await = Arguments<PJRT_Event_Await_Args>();
    await.event = event.get();
    if (Result<void> awaited = api.Call(await); !awaited) return VerdictOf(awaited.error());
    auto ready = Arguments<PJRT_Event_IsReady_Args>();
    ready.event = event.get();
    if (Result<void> called = api.Call(ready); !called) return VerdictOf(called.error());
    if (!ready.is_ready) return Fail("an event that was awaited says that it is not ready");
    auto error = Arguments<PJRT_Event_Error_Args>();
    error.event = event.get();
    if (Result<void> called = api.Call(error); !called) return VerdictOf(called.error());
    return Pass();
  });
}

struct Calls {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  PJRT_Error* error = nullptr;
};

// The callback must be called once, within the limit, and not again.
Verdict CallsBack(Subject& subject) {
  return WithEvent(subject, [](const Api& api, Owned<PJRT_Event> event) {
    constexpr std::chrono::seconds kLimit(10);
    constexpr std::chrono::milliseconds kMore(20);
    static Calls calls;  // a callback may be called after this check
    calls.count = 0;
    auto args = Arguments<PJRT_Event_OnReady_Args>();
    args.event = event.get();
    args.user_arg = &calls;
    args.callback = [](PJRT_Error* error, void* user) {
      auto* to = static_cast<Calls*>(user);
      const std::lock_guard lock(to->mutex);
      ++to->count;
      to->error = error;
      to->changed.notify_all();
    };
    if (Result<void> called = api.Call(args); !called) return VerdictOf(called.error());
    std::unique_lock lock(calls.mutex);
    if (!calls.changed.wait_for(lock, kLimit, [&] { return calls.count > 0; })) {
      return Fail(fmt::format("the callback of an event was not called within {} s", kLimit.count()));
    }
    if (calls.error != nullptr) return VerdictOf(api.Take("PJRT_Event_OnReady", calls.error));
    calls.changed.wait_for(lock, kMore, [&] { return calls.count > 1; });
    return calls.count == 1 ? Pass() : Fail("the callback of an event was called twice");
  });
}

Verdict BecomesReady(Subject& subject) {
  return WithBuffer(subject, [](const Device&, const Buffer& buffer, const Sent&) {
    const Result<void> ready = buffer.AwaitReady();
    return ready ? Pass() : VerdictOf(ready.error());
  });
}

}  // namespace

std::vector<Check> BufferChecks() {
  // All types that occur in ops must be transferred to the device and back; one type shows whether any transfer works.
  std::vector<Check> checks = {{"buffers.f32", true, [](Subject& subject) { return RoundTrips(subject, kF32); }}};
  for (const PJRT_Buffer_Type type : ElementTypes()) {
    if (type == kF32) continue;
    checks.push_back({fmt::format("buffers.{}", ElementName(type)), false,
                      [type](Subject& subject) { return RoundTrips(subject, type); }});
  }
  const std::vector<Check> more = {
      {"buffers.host_columns", false, [](Subject& subject) { return FromStrides(subject, {4, 12}, 0); }},
      {"buffers.host_gaps", false, [](Subject& subject) { return FromStrides(subject, {40, 8}, 0); }},
      {"buffers.host_backwards", false, [](Subject& subject) { return FromStrides(subject, {-20, -4}, 14); }},
      {"buffers.to_host_columns", false, &ToColumns},
      {"buffers.layout", false, &ReportsLayout},
      {"buffers.device_size", false, &ReportsDeviceSize},
      {"buffers.place", false, &ReportsPlacement},
      {"buffers.host_array_is_free", false, &Keeps},
      {"buffers.copy_to_device", false, &CopiesToDevice},
      {"buffers.copy_to_memory", false, &CopiesToMemory},
      {"buffers.delete", false, &Deletes},
      {"events.await", false, &AwaitsEvent},
      {"events.callback", false, &CallsBack},
      {"events.buffer_ready", false, &BecomesReady},
  };
  checks.insert(checks.end(), more.begin(), more.end());
  for (Check& check : checks) check.on_device = true;
  return checks;
}

}  // namespace opbyop::pjrt
