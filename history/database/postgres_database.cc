// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/postgres_database.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "support/text/replace_all.h"

namespace opbyop::history {
namespace {

constexpr size_t kCopyBytes = 8 << 20;

struct Closer {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, Closer>;
using Result = std::unique_ptr<PGresult, Closer>;

class PostgresRecord : public Record {
 public:
  PostgresRecord(const PGresult* result, int row) : result_(result), row_(row) {}
  bool IsNull(int column) const override { return PQgetisnull(result_, row_, column) != 0; }
  int64_t Integer(int column) const override {
    const std::string_view text = Text(column);
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  double Real(int column) const override { return std::strtod(PQgetvalue(result_, row_, column), nullptr); }
  std::string_view Text(int column) const override {
    return {PQgetvalue(result_, row_, column), static_cast<size_t>(PQgetlength(result_, row_, column))};
  }

 private:
  const PGresult* result_;
  int row_;
};

std::string RealText(double value) {
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

// Texts in PostgreSQL cannot contain a zero byte.
std::string WithoutZeros(std::string text) {
  std::erase(text, '\0');
  return text;
}

class PostgresDatabase : public Database {
 public:
  PostgresDatabase(Connection connection, std::string name)
      : connection_(std::move(connection)), name_(std::move(name)) {}

  Error Failure() const {
    std::string text = PQerrorMessage(connection_.get());
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return {ExitCode::kNoInput, fmt::format("{}: {}", name_, ReplaceAll(std::move(text), "\n", " "))};
  }

  Expected<void> Run(const std::string& script) override {
    const Result result(PQexec(connection_.get(), script.c_str()));
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
      return Unexpected(Failure());
    return {};
  }

  Expected<void> Query(const std::string& statement, const Values& parameters, const RecordVisitor& visit) override {
    std::vector<std::string> texts(parameters.size());
    std::vector<const char*> values(parameters.size(), nullptr);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Value& value = parameters[i];
      if (const auto* number = std::get_if<int64_t>(&value)) texts[i] = std::to_string(*number);
      if (const auto* real = std::get_if<double>(&value)) {
        if (std::isnan(*real)) continue;
        texts[i] = RealText(*real);
      }
      if (const auto* text = std::get_if<std::string>(&value)) texts[i] = WithoutZeros(*text);
      if (!std::holds_alternative<std::monostate>(value)) values[i] = texts[i].c_str();
    }
    const Result result(PQexecParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()), nullptr,
                                     values.data(), nullptr, nullptr, 0));
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) return Unexpected(Failure());
    for (int row = 0; visit && row < PQntuples(result.get()); ++row) visit(PostgresRecord(result.get(), row));
    return {};
  }

  Expected<std::unique_ptr<RowWriter>> Write(const std::string& table, size_t columns) override;

  // One importer at a time, because the importer assigns the ids.
  Expected<void> Begin() override { return Run("BEGIN; LOCK TABLE schema_migrations IN EXCLUSIVE MODE"); }
  Expected<void> Commit() override { return Run("COMMIT"); }
  void Rollback() override { (void)Run("ROLLBACK"); }

  Expected<int64_t> SchemaVersion() override {
    const Expected<int64_t> there =
        QueryInteger(*this, "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1",
                     {std::string("schema_migrations")});
    if (!there || *there == 0) return there;
    return QueryInteger(*this, "SELECT coalesce(max(version), 0) FROM schema_migrations", {});
  }
  Expected<void> SetSchemaVersion(int64_t version) override {
    return Run(fmt::format("INSERT INTO schema_migrations VALUES ({}, now())", version));
  }

  std::string Dialect(std::string script) const override { return script; }

  Expected<void> Analyze() override { return Run("ANALYZE"); }
  Expected<void> Vacuum() override { return Run("VACUUM ANALYZE"); }

  PGconn* connection() { return connection_.get(); }

 private:
  Connection connection_;
  std::string name_;
};

constexpr int64_t kFirstTable = 0x6f7062796f70;  // a number that no other program locks: "opbyop"

// Keeps rows as text and sends them in pieces of some megabytes, so that several writers can alternate.
class CopyWriter : public RowWriter {
 public:
  CopyWriter(PostgresDatabase& db, std::string table) : db_(db), table_(std::move(table)) {}

  Expected<void> Add(const Values& row) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) buffer_ += '\t';
      AddValue(row[i]);
    }
    buffer_ += '\n';
    return buffer_.size() < kCopyBytes ? Expected<void>() : Finish();
  }

  Expected<void> Finish() override {
    if (buffer_.empty()) return {};
    const Result started(PQexec(db_.connection(), ("COPY " + table_ + " FROM STDIN").c_str()));
    if (PQresultStatus(started.get()) != PGRES_COPY_IN) return Unexpected(db_.Failure());
    const bool sent = PQputCopyData(db_.connection(), buffer_.data(), static_cast<int>(buffer_.size())) == 1;
    buffer_.clear();
    if (PQputCopyEnd(db_.connection(), sent ? nullptr : "cannot be sent") != 1) return Unexpected(db_.Failure());
    Expected<void> done;
    while (const Result result{PQgetResult(db_.connection())}) {
      if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) done = Unexpected(db_.Failure());
    }
    return done;
  }

 private:
  void AddValue(const Value& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) {
      fmt::format_to(std::back_inserter(buffer_), "{}", *number);
    } else if (const auto* real = std::get_if<double>(&value); real && !std::isnan(*real)) {
      buffer_ += RealText(*real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      for (const char c : *text) AddCharacter(c);
    } else {
      buffer_ += "\\N";
    }
  }

  void AddCharacter(char c) {
    switch (c) {
      case '\0':
        break;
      case '\\':
        buffer_ += "\\\\";
        break;
      case '\t':
        buffer_ += "\\t";
        break;
      case '\n':
        buffer_ += "\\n";
        break;
      case '\r':
        buffer_ += "\\r";
        break;
      default:
        buffer_ += c;
    }
  }

  PostgresDatabase& db_;
  std::string table_;
  std::string buffer_;
};

Expected<std::unique_ptr<RowWriter>> PostgresDatabase::Write(const std::string& table, size_t) {
  return std::make_unique<CopyWriter>(*this, table);
}

// The address without the password: "postgresql://ops@host:5432/name".
std::string NameOf(PGconn* connection) {
  const auto text = [](const char* part) { return std::string(part ? part : ""); };
  return fmt::format("postgresql://{}@{}:{}/{}", text(PQuser(connection)), text(PQhost(connection)),
                     text(PQport(connection)), text(PQdb(connection)));
}

}  // namespace

Expected<std::unique_ptr<Database>> OpenPostgres(const std::string& url, Access access) {
  Connection connection(PQconnectdb(url.c_str()));
  const std::string name = NameOf(connection.get());
  const bool connected = PQstatus(connection.get()) == CONNECTION_OK;
  auto db = std::make_unique<PostgresDatabase>(std::move(connection), name);
  if (!connected) return Unexpected(db->Failure());
  std::string set = "SET client_min_messages = warning; SET client_encoding = 'UTF8'";
  if (access == Access::kRead) set += "; SET default_transaction_read_only = on";
  if (access == Access::kWrite) {
    // If two programs create the table at once, one of them gets the error that its type exists, because IF NOT EXISTS
    // looks before it locks.
    set += fmt::format("; SELECT pg_advisory_xact_lock({})", kFirstTable);
    set +=
        "; CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER NOT NULL PRIMARY KEY, applied TIMESTAMP WITH "
        "TIME ZONE NOT NULL)";
  }
  if (const Expected<void> done = db->Run(set); !done) return Unexpected(done.error());
  return db;
}

}  // namespace opbyop::history
