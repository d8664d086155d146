// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/database.h"

#include <fmt/format.h>

#include <utility>

#include "history/database/history_place.h"
#include "history/database/migrations.h"
#include "history/database/postgres_database.h"
#include "history/database/sqlite_database.h"

namespace opbyop::history {

Expected<std::unique_ptr<Database>> OpenDatabase(const std::string& where, Access access) {
  Expected<std::unique_ptr<Database>> db = IsPostgres(where) ? OpenPostgres(where, access) : OpenSqlite(where, access);
  if (!db) return db;
  const std::string name = IsPostgres(where) ? "the history in PostgreSQL" : where;
  const Expected<void> ready =
      access == Access::kWrite ? Migrate(**db, Migrations(), name) : CheckSchema(**db, Migrations(), name);
  if (!ready) return Unexpected(ready.error());
  return db;
}

Expected<int64_t> QueryInteger(Database& db, const std::string& statement, const Values& parameters, int64_t fallback) {
  int64_t number = fallback;
  const Expected<void> done =
      db.Query(statement, parameters, [&](const Record& record) { number = record.Integer(0); });
  if (!done) return Unexpected(done.error());
  return number;
}

Expected<Transaction> Transaction::Begin(Database& db) {
  if (const Expected<void> started = db.Begin(); !started) return Unexpected(started.error());
  return Transaction(db);
}

Transaction::Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}

Transaction::~Transaction() {
  if (db_) db_->Rollback();
}

Expected<void> Transaction::Commit() {
  if (Expected<void> done = db_->Commit(); !done) return done;
  db_ = nullptr;
  return {};
}

}  // namespace opbyop::history
