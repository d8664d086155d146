// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces the part of a page that a program writes, between two marks that are kept.
//
//   Expected<std::string> page = ReplaceMarkedBlock(*ReadFile("page.md"), "<!-- begin -->\n", "<!-- end -->", table);
#ifndef OPBYOP_SUPPORT_TEXT_MARKED_BLOCK_H_
#define OPBYOP_SUPPORT_TEXT_MARKED_BLOCK_H_

#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

// Returns the page with `block` between its marks. Returns kBadInput if a mark is missing or they are in the wrong
// order.
Expected<std::string> ReplaceMarkedBlock(std::string_view page, std::string_view begin, std::string_view end,
                                         std::string_view block);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_MARKED_BLOCK_H_
