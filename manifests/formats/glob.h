// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Globs over ids and names: `*` matches any text, `?` one character, and every other character itself.
#ifndef OPBYOP_MANIFESTS_FORMATS_GLOB_H_
#define OPBYOP_MANIFESTS_FORMATS_GLOB_H_

#include <string_view>

namespace opbyop {

bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_GLOB_H_
