// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/granularity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace opbyop {
namespace {

using Kind = Granularity::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 5> kWords = {{{"op", Kind::kOp},
                                                                      {"window", Kind::kWindow},
                                                                      {"module", Kind::kModule},
                                                                      {"layer", Kind::kLayer},
                                                                      {"model", Kind::kModel}}};

// The number of decimal digits from 1 to `most`.
std::optional<int64_t> NumberOf(std::string_view digits, int64_t most) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool good = error == std::errc() && end == digits.data() + digits.size() && number >= 1 && number <= most;
  return good ? std::optional(number) : std::nullopt;
}

}  // namespace

Expected<Granularity> Granularity::Parse(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const bool numbered = colon != std::string_view::npos;
  for (const auto& [name, kind] : kWords) {
    if (name != word) continue;
    if (!numbered && kind != Kind::kWindow) return Granularity{kind};
    const bool takes = kind == Kind::kWindow || kind == Kind::kModule;
    const auto number = numbered && takes ? NumberOf(text.substr(colon + 1), kMostInWindow) : std::nullopt;
    if (number) return Granularity{kind, *number};
  }
  return MakeError(
      ExitCode::kUsage,
      fmt::format("granularity '{}' is not one of op, window:K, module, module:DEPTH, layer and model, where "
                  "K and DEPTH are numbers from 1 to {}",
                  text, kMostInWindow));
}

std::string Granularity::ToText() const {
  for (const auto& [name, word] : kWords) {
    if (word == kind) return number == 0 ? std::string(name) : fmt::format("{}:{}", name, number);
  }
  return "op";
}

}  // namespace opbyop
