// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/text_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>

namespace opbyop {
namespace {

constexpr uint32_t kMostAlignment = 4096;

}  // namespace

Expected<void> CheckTextResources(std::string_view text, std::string_view name, int first_line) {
  constexpr std::string_view kBegin = "{-#", kEnd = "#-}", kBlob = "\"0x";
  constexpr size_t kDigits = 8;
  const size_t end = text.rfind(kEnd), begin = text.rfind(kBegin, end);
  if (end == std::string_view::npos || begin == std::string_view::npos) return {};
  // If anything but white space follows, the marks may belong to a comment or a string.
  if (text.find_first_not_of(" \t\r\n", end + kEnd.size()) != std::string_view::npos) return {};
  for (size_t at = text.find(kBlob, begin); at < end; at = text.find(kBlob, at + 1)) {
    const std::string_view digits = text.substr(at + kBlob.size(), kDigits);
    uint32_t written = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), written, 16);
    if (error != std::errc() || rest != digits.data() + kDigits) continue;  // MLIR reports it
    const uint32_t alignment = __builtin_bswap32(written);
    if (std::has_single_bit(alignment) && alignment <= kMostAlignment) continue;
    return MakeError(
        ExitCode::kBadInput,
        fmt::format("{}:{}: this resource has an alignment of {}, expected a power of two up to {}", name,
                    first_line + std::count(text.begin(), text.begin() + at, '\n'), alignment, kMostAlignment));
  }
  return {};
}

}  // namespace opbyop
