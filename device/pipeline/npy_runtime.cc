// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libopbyop_npy.so: the two functions that opbyop-npy-main calls, for a program that runs in a case's folder.
//
//   lli --dlopen=libopbyop_npy.so case.ll
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "support/dtype.h"
#include "support/files/npy.h"
#include "support/tensor_type.h"

namespace {

using opbyop::TensorType;

// Parses "2x3xf32", the form that opbyop-npy-main writes.
TensorType TypeOf(std::string_view text) {
  TensorType type;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    int64_t dim = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    type.shape.push_back(dim);
    text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);  // and the x after it
  }
  type.dtype = text;
  return type;
}

size_t BytesOf(const TensorType& type) { return static_cast<size_t>(opbyop::StoredBytes(type)); }

int32_t Refuse(const std::string& what) {
  fmt::print(stderr, "error: {}\n", what);
  return 1;
}

}  // namespace

extern "C" {

// Fills `data`, of the type that `type` names ("2x3xf32"), with input_<index>.npy. Returns 0, or 1 after a line on
// stderr.
int32_t opbyop_read_npy(int64_t index, void* data, const char* type) {
  const std::string name = fmt::format("input_{}.npy", index);
  const auto file = opbyop::ReadNpy(name);
  if (!file) return Refuse(file.error().message);
  const size_t size = file->bytes().size();
  if (size != BytesOf(TypeOf(type))) {
    return Refuse(fmt::format("{} holds {} bytes, the program's argument is a {}", name, size, type));
  }
  std::memcpy(data, file->bytes().data(), size);
  return 0;
}

// Writes `data` as output_<index>.npy. Returns 0, or 1 after a line on stderr.
int32_t opbyop_write_npy(int64_t index, const void* data, const char* type) {
  const TensorType parsed = TypeOf(type);
  const auto written = opbyop::WriteNpy(fmt::format("output_{}.npy", index), parsed,
                                        {static_cast<const std::byte*>(data), BytesOf(parsed)});
  return written ? 0 : Refuse(written.error().message);
}
}
