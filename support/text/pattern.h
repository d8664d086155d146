// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regular expressions over text of others, in time linear in its length (RE2's syntax).
//
//   Expected<Pattern> pattern = Pattern::Compile("not [a-z]+");
//   pattern->IsFoundIn(line);
//
// Text and pattern are bytes: what is not UTF-8 is matched like all else.
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
  // kBadInput: "`(a` is no regular expression: missing ): (a".
  static Expected<Pattern> Compile(std::string_view text);

  // Anywhere in `text`; `^` and `$` are its ends.
  bool IsFoundIn(std::string_view text) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_PATTERN_H_
