// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/tensor.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "reference/tensor/block_pool.h"
#include "support/aligned_memory.h"
#include "support/dtype.h"

namespace opbyop::reference {
namespace {

template <typename Stored, typename T>
void Widen(const std::byte* bytes, int64_t count, T* out) {
  for (int64_t i = 0; i < count; ++i) {
    Stored v;
    std::memcpy(&v, bytes + i * static_cast<int64_t>(sizeof(Stored)), sizeof(Stored));
    out[i] = static_cast<T>(v);
  }
}

template <typename Stored, typename T>
void Narrow(const T* values, int64_t count, std::byte* out) {
  for (int64_t i = 0; i < count; ++i) {
    const auto v = static_cast<Stored>(values[i]);
    std::memcpy(out + i * static_cast<int64_t>(sizeof(Stored)), &v, sizeof(Stored));
  }
}

// All numbers of a format of at most 16 bits, by code. A table is made when it is first used.
const std::vector<double>& DecodeTable(const FloatFormat& format) {
  static std::mutex mutex;
  static std::map<const FloatFormat*, std::vector<double>> tables;  // a std::map does not move its entries
  const std::scoped_lock lock(mutex);
  std::vector<double>& table = tables[&format];
  if (table.empty()) {
    table.resize(size_t{1} << format.bits);
    for (size_t code = 0; code < table.size(); ++code) table[code] = DecodeFloat(format, code);
  }
  return table;
}

void DecodeFloats(const FloatFormat& format, const std::byte* bytes, int64_t count, double* out) {
  if (format.bits == 64) {
    std::memcpy(out, bytes, static_cast<size_t>(count) * 8);
  } else if (format.bits == 32) {
    Widen<float>(bytes, count, out);
  } else if (format.bits == 16 && format.precision == 8) {  // bf16: the upper half of an f32
    for (int64_t i = 0; i < count; ++i) {
      uint16_t code;
      std::memcpy(&code, bytes + 2 * i, 2);
      out[i] = std::bit_cast<float>(static_cast<uint32_t>(code) << 16);
    }
  } else if (format.bits == 16) {
    const std::vector<double>& table = DecodeTable(format);
    for (int64_t i = 0; i < count; ++i) {
      uint16_t code;
      std::memcpy(&code, bytes + 2 * i, 2);
      out[i] = table[code];
    }
  } else {
    const std::vector<double>& table = DecodeTable(format);
    const size_t mask = table.size() - 1;
    for (int64_t i = 0; i < count; ++i) out[i] = table[std::to_integer<size_t>(bytes[i]) & mask];
  }
}

std::string FloatText(const FloatFormat& format, double v) {
  if (format.precision == 24) return fmt::format("{}", static_cast<float>(v));
  if (format.precision < 24) return fmt::format("{:.6g}", v);
  return fmt::format("{}", v);
}

}  // namespace

int64_t SizeOf(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t d : shape) size *= d;
  return size;
}

Shape StridesOf(const Shape& shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

Shape IndexOf(int64_t number, const Shape& shape) {
  Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d]) index[d] = number % shape[d];
  return index;
}

size_t StorageBytes(ElementKind kind) {
  return WithStorage(kind, []<typename T>() { return sizeof(T); });
}

int64_t StoredBytes(ElementType type) { return *DtypeBytes(NameOf(type)); }

Buffer::Buffer(size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  AlignedMemory memory = TakeBlock(bytes);
  if (!memory) throw std::bad_alloc();
  data_ = std::shared_ptr<std::byte[]>(memory.release(),
                                       [bytes](std::byte* block) { ReturnBlock(AlignedMemory(block), bytes); });
}

Buffer::Buffer(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
    : data_(std::const_pointer_cast<void>(std::move(owner)), const_cast<std::byte*>(bytes.data())),
      bytes_(bytes.size()) {}

Tensor Tensor::Make(ElementType type, Shape shape) {
  Tensor t;
  t.type_ = type;
  t.size_ = SizeOf(shape);
  t.shape_ = std::move(shape);
  t.buffer_ = Buffer(static_cast<size_t>(t.size_) * StorageBytes(t.kind()));
  return t;
}

Tensor Tensor::OfStored(ElementType type, Shape shape, Buffer bytes) {
  Tensor t;
  t.type_ = type;
  t.size_ = SizeOf(shape);
  t.shape_ = std::move(shape);
  t.stored_ = std::make_shared<StoredElements>(type, t.size_, std::move(bytes));
  return t;
}

Tensor Tensor::InStoredForm() const {
  Buffer bytes = stored_ ? stored_->bytes() : Buffer(static_cast<size_t>(size_ * StoredBytes(type_)));
  if (!stored_) EncodeElements(type_, buffer_.data(), size_, bytes.data());
  Tensor t = OfStored(type_, shape_, std::move(bytes));
  t.bound_ = bound_;
  t.provenance_ = provenance_;
  return t;
}

const Buffer& StoredElements::Values() {
  std::call_once(once_, [this] {
    values_ = Buffer(static_cast<size_t>(size_) * StorageBytes(KindOf(type_)));
    DecodeElements(type_, bytes_.data(), size_, values_.data());
  });
  return values_;
}

Tensor Tensor::Zeros(ElementType type, Shape shape) {
  Tensor t = Make(type, std::move(shape));
  if (t.buffer_.bytes() > 0) std::memset(t.buffer_.data(), 0, t.buffer_.bytes());
  return t;
}

Tensor Tensor::Reshaped(Shape shape) const {
  Tensor t = *this;
  t.shape_ = std::move(shape);
  return t;
}

Tensor Tensor::Retyped(ElementType type) const {
  Tensor t = *this;
  t.Decode();
  t.type_ = type;
  return t;
}

std::vector<int64_t> Tensor::Integers() const {
  std::vector<int64_t> out(static_cast<size_t>(size_));
  for (size_t i = 0; i < out.size(); ++i) out[i] = IntegerAt(static_cast<int64_t>(i));
  return out;
}

void Tensor::Decode() {
  if (!stored_) return;
  buffer_ = stored_->Values();
  stored_.reset();
}

void Tensor::Unshare() {
  Decode();
  if (!buffer_.shared()) return;
  Buffer copy(buffer_.bytes());
  std::memcpy(copy.data(), buffer_.data(), buffer_.bytes());
  buffer_ = std::move(copy);
}

void DecodeElements(ElementType type, const std::byte* bytes, int64_t count, void* out) {
  const ElementTypeInfo& info = Info(type);
  switch (info.kind) {
    case ElementKind::kBool: {
      auto* values = static_cast<uint8_t*>(out);
      for (int64_t i = 0; i < count; ++i) values[i] = bytes[i] != std::byte{0};
      return;
    }
    case ElementKind::kFloat:
      DecodeFloats(*info.format, bytes, count, static_cast<double*>(out));
      return;
    case ElementKind::kComplex:
      DecodeFloats(*info.format, bytes, 2 * count, static_cast<double*>(out));
      return;
    case ElementKind::kInteger:
      break;
  }
  auto* values = static_cast<int64_t*>(out);
  switch (info.width) {
    case 64:
      std::memcpy(values, bytes, static_cast<size_t>(count) * 8);
      return;
    case 32:
      return info.is_signed ? Widen<int32_t>(bytes, count, values) : Widen<uint32_t>(bytes, count, values);
    case 16:
      return info.is_signed ? Widen<int16_t>(bytes, count, values) : Widen<uint16_t>(bytes, count, values);
    default:
      for (int64_t i = 0; i < count; ++i) values[i] = WrapInteger(info, std::to_integer<uint64_t>(bytes[i]));
  }
}

void EncodeElements(ElementType type, const void* stored, int64_t count, std::byte* out) {
  const ElementTypeInfo& info = Info(type);
  switch (info.kind) {
    case ElementKind::kBool:
      std::memcpy(out, stored, static_cast<size_t>(count));
      return;
    case ElementKind::kFloat:
      return EncodeSpan(*info.format, {static_cast<const double*>(stored), static_cast<size_t>(count)}, out);
    case ElementKind::kComplex:
      return EncodeSpan(*info.format, {static_cast<const double*>(stored), static_cast<size_t>(2 * count)}, out);
    case ElementKind::kInteger:
      break;
  }
  const auto* values = static_cast<const int64_t*>(stored);
  switch (info.width) {
    case 64:
      std::memcpy(out, values, static_cast<size_t>(count) * 8);
      return;
    case 32:
      return Narrow<uint32_t>(values, count, out);
    case 16:
      return Narrow<uint16_t>(values, count, out);
    default:
      return Narrow<uint8_t>(values, count, out);
  }
}

Expected<Tensor> TensorFromBytes(ElementType type, Shape shape, std::span<const std::byte> bytes) {
  Tensor t = Tensor::Make(type, std::move(shape));
  const int64_t stored = StoredBytes(type);
  if (static_cast<int64_t>(bytes.size()) != t.size() * stored) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} elements of {} take {} bytes, found {}", t.size(),
                                                      NameOf(type), t.size() * stored, bytes.size()));
  }
  WithStorage(t.kind(), [&]<typename T>() { DecodeElements(type, bytes.data(), t.size(), t.Mutable<T>().data()); });
  return t;
}

std::vector<std::byte> TensorToBytes(const Tensor& tensor) {
  const int64_t bytes = tensor.size() * StoredBytes(tensor.type());
  if (tensor.stored() != nullptr) return {tensor.stored(), tensor.stored() + bytes};
  std::vector<std::byte> out = ZerosInHugePages<std::byte>(static_cast<size_t>(bytes));
  WithStorage(tensor.kind(),
              [&]<typename T>() { EncodeElements(tensor.type(), tensor.data<T>().data(), tensor.size(), out.data()); });
  return out;
}

StoredNumbers StoredNumbersOf(const Tensor& tensor) {
  if (tensor.kind() != ElementKind::kFloat) return {tensor.data<int64_t>().data(), NumberForm::kI64};
  if (tensor.stored() != nullptr) return StoredNumbersOf(tensor.type(), tensor.stored());
  return {tensor.data<double>().data(), NumberForm::kF64};
}

StoredNumbers StoredNumbersOf(ElementType type, const std::byte* bytes) {
  const FloatFormat& format = FormatOf(type);
  if (format.bits == 64) return {bytes, NumberForm::kF64};
  if (format.bits == 32) return {bytes, NumberForm::kF32};
  if (format.bits == 16 && format.precision == 8) return {bytes, NumberForm::kBf16};
  const std::vector<double>& table = DecodeTable(format);
  return {bytes, format.bits == 16 ? NumberForm::kCode16 : NumberForm::kCode8, table.data(), table.size() - 1};
}

std::string ElementText(const Tensor& tensor, int64_t index) {
  if (tensor.stored() != nullptr) {
    const int64_t bytes = StoredBytes(tensor.type());
    Tensor one = Tensor::Make(tensor.type(), {});
    WithStorage(one.kind(), [&]<typename T>() {
      DecodeElements(tensor.type(), tensor.stored() + index * bytes, 1, one.Mutable<T>().data());
    });
    return ElementText(one, 0);
  }
  const ElementTypeInfo& info = Info(tensor.type());
  const auto i = static_cast<size_t>(index);
  switch (info.kind) {
    case ElementKind::kBool:
      return tensor.data<uint8_t>()[i] ? "true" : "false";
    case ElementKind::kInteger:
      return info.is_signed ? fmt::format("{}", tensor.data<int64_t>()[i])
                            : fmt::format("{}", static_cast<uint64_t>(tensor.data<int64_t>()[i]));
    case ElementKind::kFloat:
      return FloatText(*info.format, tensor.data<double>()[i]);
    case ElementKind::kComplex:
      break;
  }
  const Complex c = tensor.data<Complex>()[i];
  return fmt::format("({},{})", FloatText(*info.format, c.real()), FloatText(*info.format, c.imag()));
}

}  // namespace opbyop::reference
