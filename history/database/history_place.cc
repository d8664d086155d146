// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/history_place.h"

#include <fstream>

#include "support/files/file.h"

namespace opbyop::history {

bool IsPostgres(std::string_view where) {
  return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

bool IsHistory(const std::string& where) {
  if (IsPostgres(where)) return true;
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  Expected<std::ifstream> file = OpenFile(where);
  if (!file) return false;
  file->read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return *file && begin == kMagic;
}

}  // namespace opbyop::history
