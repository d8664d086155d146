// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Points in time as microseconds since 1970 UTC, and as RFC 3339 with six fraction digits and "+00:00".
//
//   FormatTimestamp(*ParseTimestamp("2026-11-21T10:15:00Z"))   // "2026-11-21T10:15:00.000000+00:00"
//   FormatTimestamp(NowMicroseconds())
//
// Python 3.10's datetime.fromisoformat refuses "Z" and any fraction that does not have three or six digits.
#ifndef OPBYOP_SUPPORT_TEXT_TIMESTAMP_H_
#define OPBYOP_SUPPORT_TEXT_TIMESTAMP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opbyop {

int64_t NowMicroseconds();

// Returns nullopt if the text is no RFC 3339 date and time. Fraction digits after the sixth are dropped.
std::optional<int64_t> ParseTimestamp(std::string_view text);
std::string FormatTimestamp(int64_t microseconds);

// The time to the second as part of a name: "20261121T101500Z".
std::string FormatCompactTimestamp(int64_t microseconds);

// The duration in ISO 8601: "PT1.25S".
std::string FormatDuration(double milliseconds);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_TIMESTAMP_H_
