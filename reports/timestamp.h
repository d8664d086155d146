// Points in time as ingestion wants them: RFC 3339, six fraction digits, "+00:00", and no two rows alike.
//
//   FormatTimestamp(*ParseTimestamp("2026-11-21T10:15:00Z"))   // "2026-11-21T10:15:00.000000+00:00"
//
// Python 3.10's datetime.fromisoformat refuses "Z" and any fraction but three or six digits.
#ifndef OPBYOP_REPORTS_TIMESTAMP_H_
#define OPBYOP_REPORTS_TIMESTAMP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/rows.h"

namespace opbyop::reports {

// Microseconds since 1970 UTC; nullopt where the text is no RFC 3339 date and time.
std::optional<int64_t> ParseTimestamp(std::string_view text);
std::string FormatTimestamp(int64_t microseconds);

// "PT1.25S" (ISO 8601).
std::string FormatDuration(double milliseconds);

// Start of each row of the view, in microseconds. Rows of one case share one execution and missing rows have none;
// they are told apart by adding microseconds, because readers join on the start.
std::vector<int64_t> UniqueStarts(const View& view);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_TIMESTAMP_H_
