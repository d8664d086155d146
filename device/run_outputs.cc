// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/run_outputs.h"

#include <fmt/format.h>

#include <cstring>

#include "support/files/npy.h"

namespace opbyop::device {

Expected<void> WriteRunOutput(const std::filesystem::path& dir, size_t i, const TensorType& type,
                              std::span<const std::byte> bytes, OutputsOf run) {
  const std::filesystem::path first_path = dir / fmt::format("output_{}.npy", i);
  const std::filesystem::path last_path = dir / fmt::format("last_output_{}.npy", i);
  if (run == OutputsOf::kFirstRun) {
    std::error_code ignored;
    std::filesystem::remove(last_path, ignored);  // a file of an earlier execution
    return WriteNpy(first_path, type, bytes);
  }
  const Expected<NpyFile> first = ReadNpy(first_path);
  if (!first) return Unexpected(first.error());
  const bool same = first->bytes().size() == bytes.size() &&  // memcmp is far faster than a loop
                    (bytes.empty() || std::memcmp(first->bytes().data(), bytes.data(), bytes.size()) == 0);
  return same ? Expected<void>() : WriteNpy(last_path, type, bytes);
}

}  // namespace opbyop::device
