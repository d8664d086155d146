// Text from compilers and workers made safe for every report format.
//
//   SafeText("a\x01\xff")      // "a\uFFFD\uFFFD": valid UTF-8, only characters that XML 1.0 allows
//   FirstLine("\nerror: x\n")  // "error: x"
#ifndef OPBYOP_REPORTS_SAFE_TEXT_H_
#define OPBYOP_REPORTS_SAFE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace opbyop {

// Bytes that are no UTF-8 and characters that XML 1.0 forbids become U+FFFD; terminal escape sequences go.
std::string SafeText(std::string_view text);

// The first line with something in it, without surrounding blanks.
std::string FirstLine(std::string_view text);

// At most `limit` bytes, cut between characters, with "…" where something was cut.
std::string Shorten(std::string_view text, size_t limit);

// "12,345".
std::string Grouped(int64_t value);

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_SAFE_TEXT_H_
