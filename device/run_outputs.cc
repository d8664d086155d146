// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/run_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/files/npy.h"

namespace opbyop::device {

Expected<void> WriteRunOutput(const std::filesystem::path& dir, size_t i, const TensorType& type,
                              std::span<const std::byte> first, std::span<const std::byte> last) {
  const std::filesystem::path last_path = dir / fmt::format("last_output_{}.npy", i);
  std::error_code ignored;
  std::filesystem::remove(last_path, ignored);  // a file of an earlier execution
  const Expected<void> written = WriteNpy(dir / fmt::format("output_{}.npy", i), type, first);
  if (!written || last.empty() || std::ranges::equal(first, last)) return written;
  return WriteNpy(last_path, type, last);
}

}  // namespace opbyop::device
