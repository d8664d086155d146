// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A database as the history uses it: SQLite in a file, or PostgreSQL for a team.
//
//   Expected<std::unique_ptr<Database>> db = OpenDatabase("out/history.db", Access::kWrite);
//   (*db)->Query("SELECT name FROM runs WHERE series = $1", {"host"}, [](const Record& r) { Print(r.Text(0)); });
//
// Statements are of the SQL that both understand. Parameters are $1, $2, ...; every error names the database.
#ifndef OPBYOP_HISTORY_DATABASE_DATABASE_H_
#define OPBYOP_HISTORY_DATABASE_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/expected.h"

namespace opbyop::history {

// NULL, a number or a text. A double that is NaN is NULL in the database.
using Value = std::variant<std::monostate, int64_t, double, std::string>;
using Values = std::vector<Value>;

// One row of an answer; columns from 0. What is NULL is 0 or empty.
class Record {
 public:
  virtual ~Record() = default;
  virtual bool IsNull(int column) const = 0;
  virtual int64_t Integer(int column) const = 0;
  virtual double Real(int column) const = 0;
  virtual std::string_view Text(int column) const = 0;  // valid until the next row
};

// Many rows into one table: INSERT in SQLite, COPY in PostgreSQL.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual Expected<void> Add(const Values& row) = 0;
  virtual Expected<void> Finish() = 0;  // what was added counts from here on
};

using RecordVisitor = std::function<void(const Record&)>;

class Database {
 public:
  virtual ~Database() = default;

  // Statements without parameters or answers, separated by semicolons.
  virtual Expected<void> Run(const std::string& script) = 0;

  // One statement. `visit` gets each row of its answer.
  virtual Expected<void> Query(const std::string& statement, const Values& parameters,
                               const RecordVisitor& visit = nullptr) = 0;

  // `columns`: how many the table has.
  virtual Expected<std::unique_ptr<RowWriter>> Write(const std::string& table, size_t columns) = 0;

  // A transaction that no other writer's can interleave with.
  virtual Expected<void> Begin() = 0;
  virtual Expected<void> Commit() = 0;
  virtual void Rollback() = 0;

  // Number of the last migration that was applied; 0: the database is empty.
  virtual Expected<int64_t> SchemaVersion() = 0;
  virtual Expected<void> SetSchemaVersion(int64_t version) = 0;

  // The statements of a migration as this database understands them.
  virtual std::string Dialect(std::string script) const = 0;

  // After many rows were added or removed: what the planner knows of the tables.
  virtual Expected<void> Analyze() = 0;

  // Gives the room of what was removed back.
  virtual Expected<void> Vacuum() = 0;
};

enum class Access { kRead, kWrite };

// A history of this process alone, gone with it.
inline constexpr std::string_view kInMemory = ":memory:";

// `where`: a file, kInMemory, or "postgresql://user@host/name". kWrite makes a missing file, and brings the schema up
// to date; kRead wants both as they are. kNoInput where there is none; kBadInput where it is no history; kUnsupported
// where it was made by a later version.
Expected<std::unique_ptr<Database>> OpenDatabase(const std::string& where, Access access);

// True for what OpenDatabase takes as PostgreSQL.
bool IsPostgres(std::string_view where);

// The one number that a statement answers; `fallback` where it has no row.
Expected<int64_t> QueryInteger(Database& db, const std::string& statement, const Values& parameters,
                               int64_t fallback = 0);

// Undone unless it was committed.
class Transaction {
 public:
  static Expected<Transaction> Begin(Database& db);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Expected<void> Commit();

 private:
  explicit Transaction(Database& db) : db_(&db) {}
  Database* db_;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_DATABASE_DATABASE_H_
