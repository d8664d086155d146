// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Guesses which known name somebody meant who typed another one.
//
//   "unknown verb 'pofile'; " + DidYouMean("pofile", verbs) + "--help lists all"   // "...; did you mean profile?
//   --help ..." DidYouMean("xyz", verbs);      // ""
#ifndef OPBYOP_SUPPORT_TEXT_NEAREST_H_
#define OPBYOP_SUPPORT_TEXT_NEAREST_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opbyop {

// The name that the fewest letters to insert, remove, replace or exchange with their neighbor lead to; nullopt where
// all are more than a third of the longer word away. Upper and lower case are one.
std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> names);

// "did you mean profile? ", a part of a message about an unknown name; empty where none is near.
std::string DidYouMean(std::string_view typed, std::span<const std::string> names);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_NEAREST_H_
