// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A file that is compiled into the programs (cmake/embed.cmake).
//
//   for (const ShippedFile& file : ShippedFiles()) Read(file.name, file.text);
#ifndef OPBYOP_REFERENCE_MEANINGS_SHIPPED_FILE_H_
#define OPBYOP_REFERENCE_MEANINGS_SHIPPED_FILE_H_

#include <string_view>

namespace opbyop::reference {

struct ShippedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_SHIPPED_FILE_H_
