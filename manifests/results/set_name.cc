// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/results/set_name.h"

#include <fmt/format.h>

#include <charconv>

#include "support/text/timestamp.h"

namespace opbyop {
namespace {

constexpr std::string_view kFresh = "#seed";

bool ParseSeed(std::string_view text, uint64_t& seed) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, seed);
  return error == std::errc() && end == last && seed >= 1 && seed <= kMostFreshSeed;
}

}  // namespace

std::string FreshSetName(std::string_view policy, uint64_t seed) { return fmt::format("{}{}{}", policy, kFresh, seed); }

std::optional<uint64_t> FreshSeedOf(std::string_view set) {
  const size_t at = set.find(kFresh);
  uint64_t seed = 0;
  if (at == std::string_view::npos || !ParseSeed(set.substr(at + kFresh.size()), seed)) return std::nullopt;
  return seed;
}

std::string PolicyOfSet(std::string_view set) { return std::string(set.substr(0, set.find('#'))); }

uint64_t FreshSeedOfDay(int64_t microseconds) {
  constexpr size_t kDateDigits = 8;
  uint64_t seed = 1;
  (void)ParseSeed(FormatCompactTimestamp(microseconds).substr(0, kDateDigits), seed);
  return seed;
}

bool ParseFreshSeed(std::string_view text, std::optional<uint64_t>& seed) {
  if (text == "none") {
    seed.reset();
    return true;
  }
  uint64_t number = 0;
  if (!ParseSeed(text, number)) return false;
  seed = number;
  return true;
}

std::string FreshSeedText(const std::optional<uint64_t>& seed) { return seed ? std::to_string(*seed) : "none"; }

}  // namespace opbyop
