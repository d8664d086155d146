// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "reference/inputs/spread_order.h"

namespace opbyop::exhaustive {

Expected<Part> ParsePart(std::string_view text) {
  Part part;
  const char* const end = text.data() + text.size();
  const auto [slash, bad] = std::from_chars(text.data(), end, part.part);
  const bool has_slash = bad == std::errc() && slash != end && *slash == '/';
  const auto [rest, bad_too] = has_slash ? std::from_chars(slash + 1, end, part.parts) : std::from_chars_result{};
  if (!has_slash || bad_too != std::errc() || rest != end || part.part < 1 || part.part > part.parts) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("`{}` is not a part: expected K/N with K from 1 to N, such as 1/64", text));
  }
  return part;
}

ChunkPlan::ChunkPlan(uint64_t values, uint64_t size) : size_(std::min(values, size)), chunks_(values / size_) {}

std::vector<uint64_t> ChunkPlan::Of(Part part) const {
  std::vector<uint64_t> chunks;
  const uint64_t begin = chunks_ * (part.part - 1) / part.parts;
  const uint64_t end = chunks_ * part.part / part.parts;
  reference::SpreadOrder walk(chunks_, 0);
  for (uint64_t i = 0; i < end; ++i) {
    const uint64_t chunk = walk.Next();
    if (i >= begin) chunks.push_back(chunk);
  }
  return chunks;
}

}  // namespace opbyop::exhaustive
