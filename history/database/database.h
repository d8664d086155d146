// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The database of a history: SQLite in a file, or PostgreSQL for a team.
//
//   Expected<std::unique_ptr<Database>> db = OpenDatabase("out/history.db", Access::kWrite);
//   (*db)->Query("SELECT name FROM runs WHERE series = $1", {"host"}, [](const Record& r) { Print(r.Text(0)); });
//
// Statements use the SQL that both understand. Parameters are $1, $2, ...; every error names the database.
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

// NULL, a number or a text. A double that is NaN is stored as NULL.
using Value = std::variant<std::monostate, int64_t, double, std::string>;
using Values = std::vector<Value>;

// One row of an answer; columns are counted from 0. NULL is read as 0 or as an empty text.
class Record {
 public:
  virtual ~Record() = default;
  virtual bool IsNull(int column) const = 0;
  virtual int64_t Integer(int column) const = 0;
  virtual double Real(int column) const = 0;
  virtual std::string_view Text(int column) const = 0;  // valid until the next row
};

// Writes many rows into one table: INSERT in SQLite, COPY in PostgreSQL.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual Expected<void> Add(const Values& row) = 0;
  virtual Expected<void> Finish() = 0;  // the rows are in the table only after this
};

using RecordVisitor = std::function<void(const Record&)>;

class Database {
 public:
  virtual ~Database() = default;

  // Runs statements without parameters or answers, separated by semicolons.
  virtual Expected<void> Run(const std::string& script) = 0;

  // Runs one statement. `visit` gets each row of its answer.
  virtual Expected<void> Query(const std::string& statement, const Values& parameters,
                               const RecordVisitor& visit = nullptr) = 0;

  // `columns` is the number of the table's columns.
  virtual Expected<std::unique_ptr<RowWriter>> Write(const std::string& table, size_t columns) = 0;

  // Starts a transaction; no other writer can interleave with it.
  virtual Expected<void> Begin() = 0;
  virtual Expected<void> Commit() = 0;
  virtual void Rollback() = 0;

  // The number of the last migration that was applied; 0: the database is empty.
  virtual Expected<int64_t> SchemaVersion() = 0;
  virtual Expected<void> SetSchemaVersion(int64_t version) = 0;

  // The statements of a migration in the dialect of this database.
  virtual std::string Dialect(std::string script) const = 0;

  // Updates the planner's statistics; for use after many rows were added or removed.
  virtual Expected<void> Analyze() = 0;

  // Frees the space of removed rows.
  virtual Expected<void> Vacuum() = 0;
};

enum class Access { kRead, kWrite };

// A history in memory that only this process sees and that ends with it.
inline constexpr std::string_view kInMemory = ":memory:";

// `where` is a file, kInMemory, or "postgresql://user@host/name". kWrite creates a missing file and brings the schema
// up to date; kRead requires both to be there. Returns kNoInput if there is no such database, kBadInput if it is no
// history, and kUnsupported if a later version of opbyop created it.
Expected<std::unique_ptr<Database>> OpenDatabase(const std::string& where, Access access);

// The one number that a statement answers; `fallback` if the answer has no row.
Expected<int64_t> QueryInteger(Database& db, const std::string& statement, const Values& parameters,
                               int64_t fallback = 0);

// A transaction that is rolled back unless it was committed.
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
