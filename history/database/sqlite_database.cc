// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/sqlite_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <unordered_map>
#include <utility>

#include "support/text/replace_all.h"

namespace opbyop::history {
namespace {

constexpr int kWaitMs = 30'000;

struct SqliteCloser {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, SqliteCloser>;
using Statement = std::unique_ptr<sqlite3_stmt, SqliteCloser>;

class SqliteRecord : public Record {
 public:
  explicit SqliteRecord(sqlite3_stmt* statement) : statement_(statement) {}
  bool IsNull(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  int64_t Integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  double Real(int column) const override { return sqlite3_column_double(statement_, column); }
  std::string_view Text(int column) const override {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text ? std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)))
                : std::string_view();
  }

 private:
  sqlite3_stmt* statement_;
};

// The text must live until the statement is stepped.
void Bind(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    sqlite3_bind_int64(statement, index, *number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, index, *real);  // stores NaN as NULL
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    sqlite3_bind_null(statement, index);
  }
}

class SqliteDatabase : public Database {
 public:
  SqliteDatabase(Handle handle, std::string name) : handle_(std::move(handle)), name_(std::move(name)) {}

  Error Failure(int code) const {
    const int primary = code & 0xff;
    const bool unreadable = primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT;
    std::string text = fmt::format("{}: {}", name_, sqlite3_errmsg(handle_.get()));
    if (unreadable) text += ": is it a history that `opbyop history import` made?";
    if (primary == SQLITE_BUSY) text += ": another program has written to it for half a minute";
    if (primary == SQLITE_READONLY) text += ": it cannot be written: is the file or its folder read-only?";
    if (primary == SQLITE_CANTOPEN) text += ": it cannot be opened: is its folder missing, or read-only?";
    if (primary == SQLITE_FULL) text += ": what was imported before is there, what did not fit is not";
    const bool system = primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY || primary == SQLITE_FULL ||
                        primary == SQLITE_IOERR || primary == SQLITE_BUSY || primary == SQLITE_PERM;
    return {unreadable ? ExitCode::kBadInput : system ? ExitCode::kNoInput : ExitCode::kInternal, std::move(text)};
  }

  Expected<void> Run(const std::string& script) override {
    if (const int code = sqlite3_exec(handle_.get(), script.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK)
      return Unexpected(Failure(code));
    return {};
  }

  Expected<void> Query(const std::string& text, const Values& parameters, const RecordVisitor& visit) override {
    const Expected<Statement> statement = Prepare(text);
    if (!statement) return Unexpected(statement.error());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const int index = sqlite3_bind_parameter_index(statement->get(), fmt::format("${}", i + 1).c_str());
      if (index > 0) Bind(statement->get(), index, parameters[i]);
    }
    const SqliteRecord record(statement->get());
    while (true) {
      const int code = sqlite3_step(statement->get());
      if (code == SQLITE_DONE) return {};
      if (code != SQLITE_ROW) return Unexpected(Failure(code));
      if (visit) visit(record);
    }
  }

  Expected<std::unique_ptr<RowWriter>> Write(const std::string& table, size_t columns) override;

  Expected<void> Begin() override { return Run("BEGIN IMMEDIATE"); }
  Expected<void> Commit() override { return Run("COMMIT"); }
  void Rollback() override { (void)Run("ROLLBACK"); }

  Expected<int64_t> SchemaVersion() override { return QueryInteger(*this, "PRAGMA user_version", {}); }
  Expected<void> SetSchemaVersion(int64_t version) override {
    return Run(fmt::format("PRAGMA user_version = {}", version));
  }

  std::string Dialect(std::string script) const override {
    constexpr std::string_view kBegin = "/* sqlite: ", kEnd = " */";
    for (size_t at = 0; (at = script.find(kBegin, at)) != std::string::npos;) {
      script.erase(at, kBegin.size());
      script.erase(script.find(kEnd, at), kEnd.size());
    }
    return ReplaceAll(std::move(script), "CREATE OR REPLACE VIEW", "CREATE VIEW");
  }

  // Analyzes only a part of large tables.
  Expected<void> Analyze() override { return Run("PRAGMA analysis_limit = 1000; ANALYZE"); }
  Expected<void> Vacuum() override { return Run("VACUUM"); }

  Expected<Statement> Prepare(const std::string& text) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(handle_.get(), text.data(), static_cast<int>(text.size()), &statement, nullptr);
    if (code != SQLITE_OK) return Unexpected(Failure(code));
    return Statement(statement);
  }

 private:
  Handle handle_;
  std::string name_;
};

class SqliteWriter : public RowWriter {
 public:
  SqliteWriter(const SqliteDatabase& db, Statement statement) : db_(db), statement_(std::move(statement)) {}

  Expected<void> Add(const Values& row) override {
    for (size_t i = 0; i < row.size(); ++i) Bind(statement_.get(), static_cast<int>(i) + 1, row[i]);
    const int code = sqlite3_step(statement_.get());
    sqlite3_reset(statement_.get());
    if (code != SQLITE_DONE) return Unexpected(db_.Failure(code));
    return {};
  }
  Expected<void> Finish() override { return {}; }

 private:
  const SqliteDatabase& db_;
  Statement statement_;
};

Expected<std::unique_ptr<RowWriter>> SqliteDatabase::Write(const std::string& table, size_t columns) {
  std::string text = "INSERT INTO " + table + " VALUES (";
  for (size_t i = 0; i < columns; ++i) text += i == 0 ? "?" : ", ?";
  Expected<Statement> statement = Prepare(text + ")");
  if (!statement) return Unexpected(statement.error());
  return std::make_unique<SqliteWriter>(*this, std::move(*statement));
}

}  // namespace

Expected<std::unique_ptr<Database>> OpenSqlite(const std::filesystem::path& path, Access access) {
  std::error_code error;
  const bool writes = access == Access::kWrite;
  if (!writes && !std::filesystem::exists(path, error)) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{}: no such history: `opbyop history import RUN --db {}` makes one", path.string(),
                                 path.string()));
  }
  if (std::filesystem::is_directory(path, error)) {
    return MakeError(ExitCode::kNoInput,
                     path.string() + ": is a folder: a history is a file, such as history.db in it");
  }
  if (std::filesystem::is_other(path, error)) {
    return MakeError(ExitCode::kNoInput, path.string() + ": is a pipe, a socket or a device, expected a file");
  }
  if (writes && path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      return MakeError(ExitCode::kNoInput,
                       fmt::format("{}: its folder cannot be made: {}", path.string(), error.message()));
    }
  }
  sqlite3* raw = nullptr;
  // A connection is used by one thread at a time.
  const int flags = SQLITE_OPEN_NOMUTEX | (writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  auto db = std::make_unique<SqliteDatabase>(Handle(raw), path.string());
  if (code != SQLITE_OK) return Unexpected(db->Failure(code));
  sqlite3_busy_timeout(raw, kWaitMs);
  // A cache of at most 256 MiB, so that pages are not read again for each of a run's tables.
  if (const Expected<void> set = db->Run("PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY"); !set)
    return Unexpected(set.error());
  return db;
}

}  // namespace opbyop::history
