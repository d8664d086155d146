// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces every occurrence of a text.
//
//   ReplaceAll("--file={file}", "{file}", "a.mlir")     // "--file=a.mlir"
#ifndef OPBYOP_SUPPORT_TEXT_REPLACE_ALL_H_
#define OPBYOP_SUPPORT_TEXT_REPLACE_ALL_H_

#include <string>
#include <string_view>

namespace opbyop {

// Replaces from left to right; the inserted text is not searched again. `from` must not be empty.
std::string ReplaceAll(std::string text, std::string_view from, std::string_view to);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_REPLACE_ALL_H_
