// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What makes the schema of a history, step by step: history/database/schema/NNNN_*.sql, numbered from 1 without gaps.
//
//   Migrate(*db, Migrations(), "out/history.db");
//
// A released step is never edited: a later one changes what it made. SQLite keeps the last number in user_version,
// PostgreSQL in the table schema_migrations.
#ifndef OPBYOP_HISTORY_DATABASE_MIGRATIONS_H_
#define OPBYOP_HISTORY_DATABASE_MIGRATIONS_H_

#include <span>
#include <string>
#include <string_view>

#include "history/database/database.h"

namespace opbyop::history {

struct Migration {
  std::string_view name;    // of its file
  std::string_view script;  // both dialects; see the first
};

// In order.
std::span<const Migration> Migrations();

// Applies, each in its own transaction, those that the database has not had. `name`: what messages call it.
// kUnsupported where it has had more than there are, kBadInput where a database without any has tables already.
Expected<void> Migrate(Database& db, std::span<const Migration> migrations, const std::string& name);

// kBadInput where it has not had all of them, kUnsupported as above.
Expected<void> CheckSchema(Database& db, std::span<const Migration> migrations, const std::string& name);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DATABASE_MIGRATIONS_H_
