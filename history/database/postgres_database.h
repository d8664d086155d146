// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A history on a PostgreSQL server (history/database/database.h).
//
//   Expected<std::unique_ptr<Database>> db = OpenPostgres("postgresql://ops@db.example.com/opbyop", Access::kWrite);
#ifndef OPBYOP_HISTORY_DATABASE_POSTGRES_DATABASE_H_
#define OPBYOP_HISTORY_DATABASE_POSTGRES_DATABASE_H_

#include <memory>
#include <string>

#include "history/database/database.h"

namespace opbyop::history {

// As OpenDatabase, but does not check the schema: the database may be empty. Messages contain no password.
Expected<std::unique_ptr<Database>> OpenPostgres(const std::string& url, Access access);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DATABASE_POSTGRES_DATABASE_H_
