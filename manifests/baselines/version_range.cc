// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/baselines/version_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <compare>

namespace opbyop {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads "0.12.0" from the start of the text and removes it from there.
Version Take(std::string_view& text) {
  Version version;
  while (!text.empty() && IsDigit(text.front())) {
    int64_t part = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (failure != std::errc()) return {};
    version.push_back(part);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.size() < 2 || text[0] != '.' || !IsDigit(text[1])) break;
    text.remove_prefix(1);
  }
  return version;
}

std::strong_ordering Compare(const Version& a, const Version& b) {
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int64_t left = i < a.size() ? a[i] : 0, right = i < b.size() ? b[i] : 0;
    if (left != right) return left <=> right;
  }
  return std::strong_ordering::equal;
}

}  // namespace

Version VersionIn(std::string_view text) {
  bool at_word = true;
  while (!text.empty()) {
    if (at_word && IsDigit(text.front())) {
      if (Version version = Take(text); version.size() > 1) return version;
      at_word = false;
      continue;
    }
    // "v1.2" is a version; "cuda12.9" and "sm_9.0" name something else.
    const bool letter = text.front() != ' ' && text.front() != ',' && text.front() != '(' && text.front() != '-';
    at_word = !letter || (at_word && text.front() == 'v');
    text.remove_prefix(1);
  }
  return {};
}

Expected<VersionRange> VersionRange::Parse(std::string_view text) {
  const auto bad = [whole = text] {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("'{}' is no range of versions: expected comparisons such as '>=0.12,<0.14'", whole));
  };
  VersionRange range;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const auto trim = [&] {
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
    };
    trim();
    Bound bound = {part.starts_with('<'),
                   part.starts_with(">=") || part.starts_with("<=") || part.starts_with("=="),
                   part.starts_with('>'),
                   {}};
    if (!bound.less && !bound.equal && !bound.greater) return bad();
    part.remove_prefix(bound.equal ? 2 : 1);
    trim();
    bound.version = Take(part);
    if (bound.version.empty() || !part.empty()) return bad();
    range.bounds_.push_back(std::move(bound));
  }
  return range;
}

bool VersionRange::Contains(const Version& version) const {
  return !version.empty() && std::ranges::all_of(bounds_, [&](const Bound& bound) {
    const std::strong_ordering order = Compare(version, bound.version);
    return order < 0 ? bound.less : order > 0 ? bound.greater : bound.equal;
  });
}

}  // namespace opbyop
