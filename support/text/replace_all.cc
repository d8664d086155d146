// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/replace_all.h"

namespace opbyop {

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace opbyop
