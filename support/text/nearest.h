// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Guesses the known name that a user meant when typing another one.
//
//   "unknown verb 'pofile'; " + DidYouMean("pofile", verbs) + "--help lists all"   // "...; did you mean profile? ..."
//   DidYouMean("xyz", verbs);                                                      // ""
#ifndef OPBYOP_SUPPORT_TEXT_NEAREST_H_
#define OPBYOP_SUPPORT_TEXT_NEAREST_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opbyop {

// The known name with the smallest distance: letters inserted, removed, replaced or exchanged with a neighbour. Returns
// nullopt if the distance to every name is more than a third of the longer word. Case is ignored.
std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> names);

// "did you mean profile? ", a part of a message about an unknown name. Empty if no name is near.
std::string DidYouMean(std::string_view typed, std::span<const std::string> names);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_NEAREST_H_
