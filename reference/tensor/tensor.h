// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of the reference evaluator: typed, contiguous, and copied on write.
//
//   Tensor t = Tensor::Make(ElementType::kF32, {2, 3});   // uninitialised
//   std::span<double> values = t.Mutable<double>();       // copies the elements if another tensor shares them
//   Tensor same = t;                                      // shares the elements
//
// Storage is row-major, by kind: i1 as uint8_t, integers as int64_t, floats as double, complex as
// std::complex<double>. A float element is always a number of its element type. A large tensor may be held in stored
// form (support/dtype.h) instead, and is decoded as a whole only if somebody asks for its data():
//
//   Tensor table = Tensor::OfStored(ElementType::kBf16, {128256, 4096}, bytes);
//   ForValues<double>(table, [&](int64_t first, std::span<const double> values) {...});   // block by block
//
// In addition to its values a tensor may
// carry a bound: how far a correct device may be from each element (docs/numerics.md). Without a bound the device must
// give the same bits.
#ifndef OPBYOP_REFERENCE_TENSOR_TENSOR_H_
#define OPBYOP_REFERENCE_TENSOR_TENSOR_H_

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/tensor/element_type.h"
#include "reference/tensor/gemm.h"
#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::reference {

using Complex = std::complex<double>;
using Shape = std::vector<int64_t>;

template <ElementKind kind>
struct StorageOf;
template <>
struct StorageOf<ElementKind::kBool> {
  using type = uint8_t;
};
template <>
struct StorageOf<ElementKind::kInteger> {
  using type = int64_t;
};
template <>
struct StorageOf<ElementKind::kFloat> {
  using type = double;
};
template <>
struct StorageOf<ElementKind::kComplex> {
  using type = Complex;
};

// Calls fn.template operator()<T>() with the storage type of `kind`.
template <typename Fn>
decltype(auto) WithStorage(ElementKind kind, Fn&& fn) {
  switch (kind) {
    case ElementKind::kBool:
      return fn.template operator()<uint8_t>();
    case ElementKind::kInteger:
      return fn.template operator()<int64_t>();
    case ElementKind::kFloat:
      return fn.template operator()<double>();
    case ElementKind::kComplex:
      break;
  }
  return fn.template operator()<Complex>();
}

int64_t SizeOf(const Shape& shape);
// Row-major strides in elements.
Shape StridesOf(const Shape& shape);
// The index of element `number` in row-major order.
Shape IndexOf(int64_t number, const Shape& shape);
size_t StorageBytes(ElementKind kind);
// The bytes of an element in stored form.
int64_t StoredBytes(ElementType type);

// Aligned memory, uninitialised when it is created. Copies share it.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t bytes);
  // Bytes of another owner, which are only read.
  Buffer(std::shared_ptr<const void> owner, std::span<const std::byte> bytes);
  std::byte* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }
  bool shared() const { return data_.use_count() > 1; }

 private:
  std::shared_ptr<std::byte[]> data_;
  size_t bytes_ = 0;
};

// The elements of a tensor in stored form, and their values once they have been asked for.
class StoredElements {
 public:
  StoredElements(ElementType type, int64_t size, Buffer bytes) : type_(type), size_(size), bytes_(std::move(bytes)) {}
  const Buffer& bytes() const { return bytes_; }
  const Buffer& Values();

 private:
  ElementType type_;
  int64_t size_;
  Buffer bytes_;
  std::once_flag once_;
  Buffer values_;
};

// The allowed distance of a correct device from each element, and the rule that it follows from.
struct Bound {
  Buffer values;                // one double per element; empty: every element must be equal
  Buffer deviations;            // standard deviation that rounding gives each element; empty: not known
  int64_t size = 0;             // elements in `values`
  std::string rule;             // "ulp<=4", "accumulation c=1 n=768 u=2^-24", "propagated over 5 ops"
  int depth = 1;                // ops whose rounding errors have been propagated into it
  bool zero_sign_free = false;  // -0 and +0 are the same answer
  // The only elements for which zero_sign_free holds, ascending; nullptr: every element.
  std::shared_ptr<const std::vector<int64_t>> open_zeros;
  bool random = false;  // random numbers: any value within the bound is right

  std::span<const double> span() const {
    return {reinterpret_cast<const double*>(values.data()), static_cast<size_t>(size)};
  }
  bool IsZeroSignFree(int64_t i) const {
    return zero_sign_free && (!open_zeros || std::ranges::binary_search(*open_zeros, i));
  }
  std::span<const double> deviation_span() const {
    return {reinterpret_cast<const double*>(deviations.data()), deviations.bytes() / sizeof(double)};
  }
};

// Facts about the values that a tensor was computed from, if the evaluation tracks them (reference/eval/provenance.h).
struct Provenance {
  double scale = 0;     // largest finite modulus among its own values and those it depends on; 0: not tracked
  bool open = false;    // the specification leaves open some of the values it depends on
  bool random = false;  // some of the values it depends on are random numbers

  // Makes this the provenance of a tensor that depends on both.
  void Add(const Provenance& other) {
    scale = std::max(scale, other.scale);
    open = open || other.open;
    random = random || other.random;
  }
};

class Tensor {
 public:
  Tensor() = default;

  static Tensor Make(ElementType type, Shape shape);
  // Every element is `value`, which must be a number of the type.
  template <typename T>
  static Tensor Splat(ElementType type, Shape shape, T value) {
    Tensor t = Make(type, std::move(shape));
    for (T& v : t.Mutable<T>()) v = value;
    return t;
  }
  template <typename T>
  static Tensor Of(ElementType type, Shape shape, const std::vector<T>& values) {
    Tensor t = Make(type, std::move(shape));
    std::copy(values.begin(), values.end(), t.Mutable<T>().begin());
    return t;
  }
  // Holds the elements in stored form. The size of `bytes` must be right.
  static Tensor OfStored(ElementType type, Shape shape, Buffer bytes);
  // Every element is 0, or false.
  static Tensor Zeros(ElementType type, Shape shape);

  ElementType type() const { return type_; }
  ElementKind kind() const { return KindOf(type_); }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t dim(int64_t d) const { return shape_[static_cast<size_t>(d)]; }
  int64_t size() const { return size_; }
  TensorType tensor_type() const { return {shape_, std::string(NameOf(type_))}; }

  template <typename T>
  std::span<const T> data() const {
    const Buffer& values = stored_ ? stored_->Values() : buffer_;
    return {reinterpret_cast<const T*>(values.data()), static_cast<size_t>(size_)};
  }
  template <typename T>
  std::span<T> Mutable() {
    Unshare();
    return {reinterpret_cast<T*>(buffer_.data()), static_cast<size_t>(size_)};
  }

  // The elements in stored form; nullptr if the tensor holds values.
  const std::byte* stored() const { return stored_ ? stored_->bytes().data() : nullptr; }
  // The same tensor without values: what is kept for later needs less memory in stored form. What decodes it does not
  // keep the values of others alive.
  Tensor InStoredForm() const;

  // Returns the same elements in another shape of the same size.
  Tensor Reshaped(Shape shape) const;
  // Returns the same stored values as another type of the same kind. They are neither rounded nor wrapped.
  Tensor Retyped(ElementType type) const;

  // Returns an integer or i1 element.
  int64_t IntegerAt(int64_t i) const {
    return kind() == ElementKind::kBool ? data<uint8_t>()[static_cast<size_t>(i)]
                                        : data<int64_t>()[static_cast<size_t>(i)];
  }
  // Returns all integer or i1 elements, for example those of a shape operand.
  std::vector<int64_t> Integers() const;

  // True if both hold the same value of the program. On a device both then have the same error.
  bool IsSameValueAs(const Tensor& other) const {
    return type_ == other.type_ && size_ == other.size_ && buffer_.data() == other.buffer_.data() &&
           stored_ == other.stored_ && bound_ == other.bound_;
  }

  const std::shared_ptr<const Bound>& bound() const { return bound_; }
  void set_bound(std::shared_ptr<const Bound> bound) { bound_ = std::move(bound); }
  const Provenance& provenance() const { return provenance_; }
  void set_provenance(Provenance provenance) { provenance_ = provenance; }
  // The bounds of all elements. Empty if all are 0.
  std::span<const double> bounds() const { return bound_ ? bound_->span() : std::span<const double>(); }

 private:
  void Unshare();
  void Decode();

  ElementType type_ = ElementType::kF32;
  Shape shape_;
  int64_t size_ = 0;
  Buffer buffer_;
  std::shared_ptr<StoredElements> stored_;  // instead of buffer_
  std::shared_ptr<const Bound> bound_;
  Provenance provenance_;
};

// Convert between a tensor and its stored form: little-endian, each element in whole bytes (support/dtype.h). Returns
// kBadInput if the size of `bytes` is wrong.
Expected<Tensor> TensorFromBytes(ElementType type, Shape shape, std::span<const std::byte> bytes);
std::vector<std::byte> TensorToBytes(const Tensor& tensor);

// Decodes `count` stored elements from `bytes` to `out`, an array of the type's storage type.
void DecodeElements(ElementType type, const std::byte* bytes, int64_t count, void* out);
void EncodeElements(ElementType type, const void* values, int64_t count, std::byte* out);

// The elements of a real tensor, for CopyNumbers and Gemm; those of a float type from their stored form, which must stay.
StoredNumbers StoredNumbersOf(const Tensor& tensor);
StoredNumbers StoredNumbersOf(ElementType type, const std::byte* bytes);

// Calls fn(first, values) for consecutive blocks of elements `begin` to `end` - 1, whose storage type is T. A tensor in
// stored form is decoded block by block.
template <typename T, typename Fn>
void ForValues(const Tensor& tensor, int64_t begin, int64_t end, Fn&& fn) {
  constexpr int64_t kBlock = 4096;
  const int64_t bytes = StoredBytes(tensor.type());
  std::vector<T> decoded(static_cast<size_t>(tensor.stored() == nullptr ? 0 : std::min(kBlock, end - begin)));
  for (int64_t at = begin; at < end; at += kBlock) {
    const int64_t count = std::min(kBlock, end - at);
    if (tensor.stored() == nullptr) {
      fn(at, tensor.data<T>().subspan(static_cast<size_t>(at), static_cast<size_t>(count)));
    } else {
      DecodeElements(tensor.type(), tensor.stored() + at * bytes, count, decoded.data());
      fn(at, std::span<const T>(decoded).first(static_cast<size_t>(count)));
    }
  }
}

// The same for all elements.
template <typename T, typename Fn>
void ForValues(const Tensor& tensor, Fn&& fn) {
  ForValues<T>(tensor, 0, tensor.size(), std::forward<Fn>(fn));
}

// One element as text for messages: "1.5", "nan", "(1,-2)", "true", "-3".
std::string ElementText(const Tensor& tensor, int64_t index);

struct Token {};
struct Value;
using TupleValue = std::vector<Value>;

// The results of an asynchronous op, available once it has finished.
struct FutureState;
using Future = std::shared_ptr<FutureState>;

struct Value {
  std::variant<Tensor, Token, TupleValue, Future> v;

  Value() : v(Token{}) {}
  Value(Tensor tensor) : v(std::move(tensor)) {}
  Value(Token token) : v(token) {}
  Value(TupleValue tuple) : v(std::move(tuple)) {}
  Value(Future future) : v(std::move(future)) {}

  bool is_tensor() const { return std::holds_alternative<Tensor>(v); }
  const Tensor& tensor() const { return std::get<Tensor>(v); }
  Tensor& tensor() { return std::get<Tensor>(v); }
};

struct FutureState {
  bool ready = false;
  TupleValue values;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_TENSOR_H_
