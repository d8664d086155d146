// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/demands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace opbyop {
namespace {

// Returns the number of rows of `all` that "95%" or "1200" demands; nullopt if the text is neither.
std::optional<int64_t> RowsOf(std::string_view text, int64_t all) {
  const bool share = text.ends_with('%');
  if (share) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0)) return std::nullopt;
  if (share && number > 100) return std::nullopt;
  if (!share && (number != std::floor(number) || number > 1e15)) return std::nullopt;
  // A share is met if passed / all >= share: 2 of 3 rows are less than 66.7 %.
  constexpr double kNoise = 1e-9;
  return static_cast<int64_t>(share ? std::ceil(number * static_cast<double>(all) / 100 - kNoise) : number);
}

}  // namespace

bool Demands::Fails(Status status) const { return std::ranges::find(fail_on, status) != fail_on.end(); }

std::string Demands::FailOnText() const {
  std::vector<std::string_view> words;
  words.reserve(fail_on.size());
  for (const Status status : fail_on) words.push_back(ToString(status));
  return fmt::format("{}", fmt::join(words, ","));
}

std::vector<std::string> Demands::Flags() const {
  std::vector<std::string> flags;
  if (!min_pass.empty()) flags.push_back("--min-pass=" + min_pass);
  if (!fail_on.empty()) flags.push_back("--fail-on=" + FailOnText());
  return flags;
}

Expected<Demands> ParseDemands(const std::string& min_pass, const std::string& fail_on) {
  Demands demands{.min_pass = min_pass, .fail_on = {}};
  if (!min_pass.empty() && !RowsOf(min_pass, 1)) {
    return MakeError(
        ExitCode::kUsage,
        fmt::format("--min-pass={} is neither a number of rows nor a share of them, such as 95%", min_pass));
  }
  std::istringstream words(fail_on);
  for (std::string word; std::getline(words, word, ',');) {
    const std::optional<Status> status = ParseStatus(word);
    if (!status || !IsUnjudged(*status)) {
      return MakeError(
          ExitCode::kUsage,
          fmt::format(
              "--fail-on={}: '{}' is none of unsupported, inconclusive, skipped; failures make every run red anyway",
              fail_on, word));
    }
    demands.fail_on.push_back(*status);
  }
  return demands;
}

Demands Over(const Demands& given, const Demands& otherwise) {
  return {.min_pass = given.min_pass.empty() ? otherwise.min_pass : given.min_pass,
          .fail_on = given.fail_on.empty() ? otherwise.fail_on : given.fail_on};
}

std::vector<std::string> Unmet(const Demands& demands, const Counts& counts) {
  std::vector<std::string> unmet;
  if (counts.rows == 0) return unmet;
  for (const Status status : kAllStatuses) {
    if (!demands.Fails(status) || counts[status] == 0) continue;
    unmet.push_back(fmt::format("{} of {} rows {} {} (--fail-on)", counts[status], counts.rows,
                                counts[status] == 1 ? "is" : "are", ToString(status)));
  }
  const int64_t wanted = demands.min_pass.empty() ? 0 : RowsOf(demands.min_pass, counts.rows).value_or(0);
  if (counts.passed() < wanted) {
    unmet.push_back(fmt::format("{} of {} rows pass, {} must (--min-pass={})", counts.passed(), counts.rows, wanted,
                                demands.min_pass));
  }
  return unmet;
}

}  // namespace opbyop
