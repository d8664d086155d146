// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/marked_block.h"

#include <fmt/format.h>

namespace opbyop {

Expected<std::string> ReplaceMarkedBlock(std::string_view page, std::string_view begin, std::string_view end,
                                         std::string_view block) {
  const size_t from = page.find(begin);
  const size_t to = page.find(end);
  if (from == std::string_view::npos || to == std::string_view::npos || to < from + begin.size()) {
    return MakeError(ExitCode::kBadInput, fmt::format("the page lacks the marks {}...{}", begin, end));
  }
  return fmt::format("{}{}{}", page.substr(0, from + begin.size()), block, page.substr(to));
}

}  // namespace opbyop
