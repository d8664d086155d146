// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/timestamp.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <string_view>

namespace opbyop {
namespace {

constexpr int64_t kSecond = 1'000'000;

// Reads exactly `digits` digits from the front.
std::optional<int> TakeNumber(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  const std::string_view number = text.substr(0, digits);
  const auto [end, error] = std::from_chars(number.begin(), number.end(), value);
  if (error != std::errc() || end != number.end() || value < 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool Take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// The fraction after the seconds, in microseconds; digits past the sixth are dropped.
int64_t TakeFraction(std::string_view& text) {
  if (!Take(text, ".")) return 0;
  int64_t value = 0;
  int64_t unit = kSecond / 10;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value += unit * (text.front() - '0');
    unit /= 10;
    text.remove_prefix(1);
  }
  return value;
}

// Microseconds east of UTC.
std::optional<int64_t> TakeZone(std::string_view& text) {
  if (text.empty() || Take(text, "Zz")) return 0;
  const int64_t sign = text.front() == '-' ? -1 : 1;
  if (!Take(text, "+-")) return std::nullopt;
  const auto hours = TakeNumber(text, 2);
  if (!hours || !Take(text, ":")) return std::nullopt;
  const auto minutes = TakeNumber(text, 2);
  if (!minutes) return std::nullopt;
  return sign * (*hours * 60 + *minutes) * 60 * kSecond;
}

struct Calendar {
  int year;
  unsigned month;
  unsigned day;
  std::chrono::hh_mm_ss<std::chrono::microseconds> clock;
};

Calendar CalendarOf(int64_t microseconds) {
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(microseconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
          std::chrono::hh_mm_ss<std::chrono::microseconds>{time - day}};
}

}  // namespace

int64_t NowMicroseconds() {
  using std::chrono::duration_cast, std::chrono::microseconds, std::chrono::system_clock;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  const auto year = TakeNumber(text, 4);
  if (!year || !Take(text, "-")) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month || !Take(text, "-")) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day || !Take(text, "Tt ")) return std::nullopt;
  const auto hour = TakeNumber(text, 2);
  if (!hour || !Take(text, ":")) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute || !Take(text, ":")) return std::nullopt;
  const auto second = TakeNumber(text, 2);
  if (!second) return std::nullopt;
  const int64_t fraction = TakeFraction(text);
  const auto zone = TakeZone(text);
  if (!zone || !text.empty()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + *hour) * 60 + *minute) * 60 * kSecond + *second * kSecond + fraction - *zone;
}

std::string FormatTimestamp(int64_t microseconds) {
  const Calendar at = CalendarOf(microseconds);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}+00:00", at.year, at.month, at.day,
                     at.clock.hours().count(), at.clock.minutes().count(), at.clock.seconds().count(),
                     at.clock.subseconds().count());
}

std::string FormatCompactTimestamp(int64_t microseconds) {
  const Calendar at = CalendarOf(microseconds);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", at.year, at.month, at.day, at.clock.hours().count(),
                     at.clock.minutes().count(), at.clock.seconds().count());
}

std::string FormatDuration(double milliseconds) {
  std::string seconds = fmt::format("{:.6f}", milliseconds < 0 ? 0 : milliseconds / 1000);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.') seconds.pop_back();
  return "PT" + seconds + "S";
}

}  // namespace opbyop
