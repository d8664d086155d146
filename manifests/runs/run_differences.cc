// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/run_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace opbyop {
namespace {

using Decides = std::map<std::string, std::string>;

// Returns `text` around `at`, short enough for a sentence.
std::string Excerpt(const std::string& text, size_t at) {
  constexpr size_t kBefore = 20, kShown = 80;
  if (text.size() <= kShown) return text;
  const size_t begin = at > kBefore ? at - kBefore : 0;
  return (begin > 0 ? "..." : "") + text.substr(begin, kShown) + (begin + kShown < text.size() ? "..." : "");
}

std::string Difference(const std::string& name, const std::string* then, const std::string* now) {
  static const std::string kNothing;
  const std::string& a = then == nullptr ? kNothing : *then;
  const std::string& b = now == nullptr ? kNothing : *now;
  const auto at = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto side = [&](const std::string* value) {
    return value == nullptr ? std::string("absent") : "'" + Excerpt(*value, at) + "'";
  };
  return fmt::format("its {} is {}, this run's is {}", name, side(then), side(now));
}

}  // namespace

std::string RunDifferences(const Decides& then, const Decides& now) {
  std::set<std::pair<bool, std::string>> names;  // "stages" before "target.stages.lower.name"
  const auto look = [&](const Decides& one, const Decides& other) {
    for (const auto& [name, value] : one) {
      const auto found = other.find(name);
      if (found == other.end() || found->second != value) names.emplace(name.find('.') != std::string::npos, name);
    }
  };
  look(then, now);
  look(now, then);
  constexpr size_t kShown = 3;
  std::string text;
  size_t shown = 0;
  const auto find = [](const Decides& in, const std::string& name) {
    const auto found = in.find(name);
    return found == in.end() ? nullptr : &found->second;
  };
  for (const auto& [detail, name] : names) {
    if (shown++ == kShown) break;
    text += (text.empty() ? "" : "; ") + Difference(name, find(then, name), find(now, name));
  }
  return names.size() > kShown ? fmt::format("{}; and {} more", text, names.size() - kShown) : text;
}

}  // namespace opbyop
