// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regular expressions for untrusted text, in time that is linear in the length of the text (RE2's syntax).
//
//   Expected<Pattern> pattern = Pattern::Compile("not [a-z]+");
//   pattern->IsFoundIn(line);
//
// Text and pattern are bytes: invalid UTF-8 is matched like any other text.
#ifndef OPBYOP_SUPPORT_TEXT_PATTERN_H_
#define OPBYOP_SUPPORT_TEXT_PATTERN_H_

#include <memory>
#include <string_view>

#include "support/expected.h"

namespace re2 {
class RE2;
}

namespace opbyop {

class Pattern {
 public:
  // Returns kBadInput with a message such as "`(a` is no regular expression: missing ): (a".
  static Expected<Pattern> Compile(std::string_view text);

  // Searches all of `text`; `^` and `$` match its ends.
  bool IsFoundIn(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_PATTERN_H_
