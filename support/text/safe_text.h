// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes text from untrusted programs safe to keep, to print and to put into reports.
//
//   SafeText("a\x01\xff")              // "a\uFFFD\uFFFD": valid UTF-8, only characters that XML 1.0 allows
//   SafeLine(diagnostic, 4096)         // one line of at most about 4 KiB; says so if it was longer
#ifndef OPBYOP_SUPPORT_TEXT_SAFE_TEXT_H_
#define OPBYOP_SUPPORT_TEXT_SAFE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace opbyop {

// Replaces invalid UTF-8, characters that XML 1.0 forbids and characters that terminals obey by U+FFFD, and removes
// terminal escape sequences.
std::string SafeText(std::string_view text);

// The position of the first byte that is not part of a UTF-8 character, or npos if there is none.
size_t FirstNonUtf8(std::string_view text);

inline constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// At most `limit` bytes, cut between characters, with kEllipsis at the end if something was cut.
std::string Shorten(std::string_view text, size_t limit);

// SafeText of at most `limit` bytes of `text`, with line ends replaced by blanks. A cut is marked with the size of the
// whole: "… [cut: 15728640 bytes]".
std::string SafeLine(std::string_view text, size_t limit);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_SAFE_TEXT_H_
