// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/execution_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "device/pjrt/element_type.h"
#include "support/dtype.h"

namespace opbyop::pjrt {
namespace {

constexpr size_t kByteBits = 8;

// Fills buffers before a copy, so that bytes that the copy leaves unwritten do not pass by luck.
constexpr std::byte kUnwritten{0xa5};

std::string ShapeText(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

bool Matches(const std::vector<int64_t>& shape, const std::vector<int64_t>& declared) {
  return std::ranges::equal(shape, declared, [](int64_t a, int64_t b) { return a == b || b == kDynamic; });
}

// The elements of a buffer in stored form. The size that the plugin requests must be that of the elements, packed or
// not.
Expected<std::vector<std::byte>> Fetch(const Buffer& buffer, PJRT_Buffer_Type element, const TensorType& type,
                                       const std::string& what) {
  const auto fail = [&](const CallError& error) {
    Error failed = ToError(error);
    failed.message = fmt::format("{}: {}", what, failed.message);
    return Unexpected(std::move(failed));
  };
  const auto elements = static_cast<size_t>(NumElements(type).value_or(0));
  if (elements == 0) {
    if (const Result<void> ready = buffer.AwaitReady(); !ready && !ready.error().absent) return fail(ready.error());
    return std::vector<std::byte>();
  }
  const Result<size_t> size = buffer.HostBytes();
  if (!size) return fail(size.error());
  const auto stored = static_cast<size_t>(StoredBytes(type));
  const auto bits = static_cast<size_t>(BitsOf(element));
  const bool is_packed = bits < kByteBits && *size != stored;
  const size_t expected = is_packed ? (elements * bits + kByteBits - 1) / kByteBits : stored;
  if (*size != expected) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} takes {} bytes by the plugin, {} of {} are {}", what, *size,
                                                      ShapeText(type.shape), type.dtype, expected));
  }
  std::vector<std::byte> bytes(*size, kUnwritten);
  if (const Result<void> copied = buffer.CopyToHost(bytes); !copied) return fail(copied.error());
  if (is_packed) bytes = UnpackElements(element, bytes, elements);
  NormalizeElements(element, bytes);
  return bytes;
}

}  // namespace

Expected<InputTensor> InputTensor::Read(const std::filesystem::path& path, const TensorType& type) {
  const std::optional<PJRT_Buffer_Type> element = ElementType(type.dtype);
  if (!element) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("PJRT {}.{} has no buffers of {}", PJRT_API_MAJOR, PJRT_API_MINOR, type.dtype));
  }
  Expected<NpyFile> file = ReadNpy(path);
  if (!file) return Unexpected(file.error());
  const TensorType found = {file->shape(), type.dtype};
  if (!Matches(file->shape(), type.shape) || static_cast<int64_t>(file->bytes().size()) != StoredBytes(found)) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: shape {}, dtype {}; the program takes {} of {}", path.string(),
                                 ShapeText(file->shape()), file->descr(), ShapeText(type.shape), type.dtype));
  }
  InputTensor tensor(*element);
  tensor.file_ = std::move(*file);
  return tensor;
}

InputTensor InputTensor::PartOf(int64_t device, const TensorType& type, const Division& division) const {
  InputTensor part(type_);
  part.is_part_ = true;
  part.part_shape_ = ShardShape(file_.shape(), division);
  part.part_ = Sharded({file_.shape(), type.dtype}, division).Take(file_.bytes(), device);
  return part;
}

Expected<OutputTensor> FetchOutput(const Buffer& buffer, const TensorType& declared, const std::string& what) {
  const std::optional<PJRT_Buffer_Type> element = ElementType(declared.dtype);
  if (!element) {
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("PJRT {}.{} has no buffers of {}", PJRT_API_MAJOR, PJRT_API_MINOR, declared.dtype));
  }
  const Result<int> type = buffer.Type();
  if (!type) return Unexpected(ToError(type.error()));
  if (*type != *element) {
    const std::string_view name = ElementName(*type);
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} has elements of {} by the plugin, {} by the program", what,
                                 name.empty() ? fmt::format("type {}", static_cast<int>(*type)) : std::string(name),
                                 declared.dtype));
  }
  Result<std::vector<int64_t>> shape = buffer.Shape();
  if (!shape) return Unexpected(ToError(shape.error()));
  if (!Matches(*shape, declared.shape)) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} has shape {} by the plugin, {} by the program", what,
                                                      ShapeText(*shape), ShapeText(declared.shape)));
  }
  OutputTensor output = {.type = {std::move(*shape), declared.dtype}, .bytes = {}};
  auto bytes = Fetch(buffer, *element, output.type, what);
  if (!bytes) return Unexpected(bytes.error());
  output.bytes = std::move(*bytes);
  return output;
}

Expected<void> CheckUntouched(const Buffer& buffer, const InputTensor& input, const std::string& name) {
  const HostTensor sent = input.host();
  const TensorType type = {{sent.shape.begin(), sent.shape.end()}, std::string(ElementName(sent.type))};
  const auto bytes = Fetch(buffer, sent.type, type, name + ", read back");
  if (!bytes) return Unexpected(bytes.error());
  bool same = std::ranges::equal(*bytes, sent.bytes);
  if (!same && BitsOf(sent.type) < static_cast<int>(kByteBits)) {
    std::vector<std::byte> normalized(sent.bytes.begin(), sent.bytes.end());
    NormalizeElements(sent.type, normalized);
    same = *bytes == normalized;
  }
  if (same) return {};
  bool all_unwritten = BitsOf(sent.type) >= static_cast<int>(kByteBits);
  for (size_t i = 0; i < bytes->size() && all_unwritten; ++i) {
    all_unwritten = (*bytes)[i] == sent.bytes[i] || (*bytes)[i] == kUnwritten;
  }
  if (all_unwritten) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the plugin copies only a part of {} to the host, and calls it done", name));
  }
  return MakeError(ExitCode::kBadInput,
                   fmt::format("the execution wrote into {}, which the program does not donate", name));
}

}  // namespace opbyop::pjrt
