// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One text for another, wherever it stands.
//
//   ReplaceAll("--file={file}", "{file}", "a.mlir")     // "--file=a.mlir"
#ifndef OPBYOP_SUPPORT_TEXT_REPLACE_ALL_H_
#define OPBYOP_SUPPORT_TEXT_REPLACE_ALL_H_

#include <string>
#include <string_view>

namespace opbyop {

// From left to right; what `to` brings in is not looked at again. `from` is not empty.
std::string ReplaceAll(std::string text, std::string_view from, std::string_view to);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_REPLACE_ALL_H_
