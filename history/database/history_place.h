// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tells a history by its place, without opening it.
//
//   if (IsHistory("out/history.db")) ...
#ifndef OPBYOP_HISTORY_DATABASE_HISTORY_PLACE_H_
#define OPBYOP_HISTORY_DATABASE_HISTORY_PLACE_H_

#include <string>
#include <string_view>

namespace opbyop::history {

// Whether `where` is a PostgreSQL address.
bool IsPostgres(std::string_view where);

// Whether `where` is a PostgreSQL address or an SQLite database file.
bool IsHistory(const std::string& where);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DATABASE_HISTORY_PLACE_H_
