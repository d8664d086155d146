// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps that create the schema of a history: history/database/schema/NNNN_*.sql, numbered from 1 without gaps.
//
//   Migrate(*db, Migrations(), "out/history.db");
//
// A released step is never changed; a later step alters what it created. SQLite keeps the number of the last step in
// user_version, PostgreSQL in the table schema_migrations.
#ifndef OPBYOP_HISTORY_DATABASE_MIGRATIONS_H_
#define OPBYOP_HISTORY_DATABASE_MIGRATIONS_H_

#include <span>
#include <string>
#include <string_view>

#include "history/database/database.h"

namespace opbyop::history {

struct Migration {
  std::string_view name;    // the file's name
  std::string_view script;  // for both dialects, as the first step explains
};

// All steps, in order.
std::span<const Migration> Migrations();

// Applies the steps that the database has not had, each in its own transaction. `name` is the database's name in
// messages. Returns kUnsupported if it has had more steps than there are, and kBadInput if it has had none but has
// tables already.
Expected<void> Migrate(Database& db, std::span<const Migration> migrations, const std::string& name);

// Returns kBadInput if the database has not had all steps, kUnsupported as above.
Expected<void> CheckSchema(Database& db, std::span<const Migration> migrations, const std::string& name);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DATABASE_MIGRATIONS_H_
