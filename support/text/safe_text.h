// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text from programs that nobody vouches for, made safe to keep, to print and to put into any report.
//
//   SafeText("a\x01\xff")              // "a\uFFFD\uFFFD": valid UTF-8, only characters that XML 1.0 allows
//   SafeLine(diagnostic, 4096)         // one line of at most about 4 KiB; says so where it was longer
#ifndef OPBYOP_SUPPORT_TEXT_SAFE_TEXT_H_
#define OPBYOP_SUPPORT_TEXT_SAFE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace opbyop {

// Bytes that are no UTF-8 and characters that XML 1.0 forbids or terminals obey become U+FFFD; terminal escape
// sequences go.
std::string SafeText(std::string_view text);

// Where the first byte that is part of no UTF-8 character stands; npos: nowhere.
size_t FirstNonUtf8(std::string_view text);

// At most `limit` bytes, cut between characters, with "…" where something was cut.
std::string Shorten(std::string_view text, size_t limit);

// SafeText of at most `limit` bytes of `text`, with blanks for the ends of lines. What was cut is marked
// "… [cut: 15728640 bytes]", with the size of the whole.
std::string SafeLine(std::string_view text, size_t limit);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_SAFE_TEXT_H_
