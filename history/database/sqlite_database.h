// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A history in one file (history/database/database.h).
//
//   Expected<std::unique_ptr<Database>> db = OpenSqlite("out/history.db", Access::kRead);
#ifndef OPBYOP_HISTORY_DATABASE_SQLITE_DATABASE_H_
#define OPBYOP_HISTORY_DATABASE_SQLITE_DATABASE_H_

#include <filesystem>
#include <memory>

#include "history/database/database.h"

namespace opbyop::history {

// As OpenDatabase, but does not check the schema: the database may be empty. A writer waits up to half a minute for
// another.
Expected<std::unique_ptr<Database>> OpenSqlite(const std::filesystem::path& path, Access access);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DATABASE_SQLITE_DATABASE_H_
