// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors as .npy files, which programs of this project, workers in any language and NumPy exchange.
//
//   Expected<NpyFile> file = ReadNpy("input_0.npy");   // memory-mapped, read-only
//   WriteNpy("output_0.npy", TensorType{{2, 3}, "f32"}, bytes);
//
// Format: NumPy's npy 1.0, C order. dtypes that NumPy lacks are raw void elements of their size, so the
// reader must know the dtype from elsewhere (a case's signature does).
#ifndef OPBYOP_SUPPORT_FILES_NPY_H_
#define OPBYOP_SUPPORT_FILES_NPY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop {

// A mapped .npy file. Movable; the bytes live as long as the object.
class NpyFile {
 public:
  NpyFile() = default;
  NpyFile(NpyFile&& other) noexcept;
  NpyFile& operator=(NpyFile&& other) noexcept;
  ~NpyFile();

  const std::vector<int64_t>& shape() const { return shape_; }
  const std::string& descr() const { return descr_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // Reads the whole file now, where the system can; otherwise each page is read when it is used.
  void ReadAhead() const;

 private:
  friend Expected<NpyFile> ReadNpy(const std::filesystem::path& path);

  void* mapping_ = nullptr;
  size_t mapping_size_ = 0;
  std::vector<int64_t> shape_;
  std::string descr_;
  std::span<const std::byte> bytes_;
};

// Returns kNoInput if the file is absent, kBadInput if it is not npy, truncated or in Fortran order.
Expected<NpyFile> ReadNpy(const std::filesystem::path& path);

// `bytes` must have NumElements(type) * DtypeBytes(type.dtype) bytes; otherwise returns kInternal.
Expected<void> WriteNpy(const std::filesystem::path& path, const TensorType& type, std::span<const std::byte> bytes);

// The same, and gives the memory of what is written back to the system as it goes: a file in memory and its source are
// together no larger than the file and a block.
Expected<void> MoveToNpy(const std::filesystem::path& path, const TensorType& type, std::vector<std::byte> bytes);

// Bytes of a block that fits a cache; a multiple of every element's.
inline constexpr size_t kNpyBlock = size_t{1} << 18;

// The same of bytes that nobody has yet: `fill` writes them block by block, in order, from byte `first` of the data on.
Expected<void> WriteNpyByBlocks(const std::filesystem::path& path, const TensorType& type,
                                const std::function<void(size_t first, std::span<std::byte> block)>& fill);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_NPY_H_
